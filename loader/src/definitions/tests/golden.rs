use std::fs;
use std::path::PathBuf;

use super::*;

/// Every `NAME.tool.json` in `tests/golden/definitions` beside `NAME.FORM.json`. With `TOOLRACK_UPDATE_GOLDEN=1`
/// the latter are written anew.
#[test]
fn what_models_see_is_what_it_was() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/definitions");
    let update = std::env::var_os("TOOLRACK_UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut cases = 0;
    let mut names: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names {
        let Some(case) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".tool.json")) else {
            continue;
        };
        cases += 1;
        let tool = Description::from_json(&fs::read_to_string(&path).unwrap(), "golden").unwrap();
        for (provider, profile) in profiles() {
            let definitions = list(profile, [&tool].into_iter());
            assert_eq!(definitions.dropped, [], "{case}");
            if provider == "openai" {
                let shown: Value = serde_json::from_str(&definitions.json).unwrap();
                checker::check(&shown[0]["function"]["parameters"]);
            }
            let golden = folder.join(format!("{case}.{provider}.json"));
            if update {
                fs::write(&golden, format!("{}\n", definitions.json)).unwrap();
            }
            let expected = fs::read_to_string(&golden)
                .unwrap_or_else(|e| panic!("{}: {e}; TOOLRACK_UPDATE_GOLDEN=1 writes it", golden.display()));
            assert_eq!(
                definitions.json,
                expected.trim_end(),
                "{case} for {provider}; TOOLRACK_UPDATE_GOLDEN=1 accepts it"
            );
        }
    }
    assert!(cases >= 12, "only {cases} cases in {}", folder.display());
}
