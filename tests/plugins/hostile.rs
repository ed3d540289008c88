use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support::logs::logged;
use crate::support::nested::source;
use crate::support::rack::{Rack, file_name};
use crate::support::{fixture, need};

#[test]
fn a_folder_of_files_that_do_harm_gives_the_one_plugin_once_and_a_code_for_each_other() {
    if !["bash", "gcc", "python3", "strip"].iter().all(|program| need(program, "install it")) {
        return;
    }
    let rack = Rack::new();
    let corpus = rack.home.path().join("corpus");
    let script = source("tests/corpus/make_corpus.sh");
    let made = Command::new("bash").arg(script).args([&fixture("well_behaved"), &corpus]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let report = rack.load_folders(std::slice::from_ref(&corpus));

    let [winner] = &report.loaded[..] else { panic!("{:#?}", report.loaded) };
    assert_eq!(winner.tools, ["echo"]);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");

    let mut got: BTreeMap<String, String> = BTreeMap::new();
    for diagnosis in &report.rejected {
        let code = diagnosis.code.expect("every rejection has a code").to_string();
        assert!(
            got.insert(file_name(&diagnosis.path), code).is_none(),
            "two codes for one file: {diagnosis}"
        );
    }
    let mut expected: BTreeMap<String, String> = BTreeMap::new();
    let mut others = 0;
    for line in std::fs::read_to_string(corpus.join("expected.tsv")).unwrap().lines() {
        let [name, verdict, code] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        match verdict {
            "plugin" if name == file_name(&winner.path) => {}
            // The same plugin once more.
            "plugin" => drop(expected.insert(name.to_owned(), "T5006".to_owned())),
            "rejected" => drop(expected.insert(name.to_owned(), code.to_owned())),
            "other" => others += 1,
            _ => panic!("{line:?}"),
        }
    }
    let got: BTreeSet<_> = got.into_iter().collect();
    let expected: BTreeSet<_> = expected.into_iter().collect();
    let too_many: Vec<_> = got.difference(&expected).collect();
    let missing: Vec<_> = expected.difference(&got).collect();
    assert!(too_many.is_empty() && missing.is_empty(), "got {too_many:#?} instead of {missing:#?}");
    assert_eq!(report.others, others);
    assert!(report.rejected.iter().all(|diagnosis| diagnosis.to_string().len() < 1024));

    // What is no plugin is no warning; everything else is one, but for second copies.
    let warnings = logged(&corpus.display().to_string());
    let warnings = warnings.iter().filter(|record| record.level == log::Level::Warn).count();
    let copies = expected.iter().filter(|(_, code)| code == "T1007").count();
    assert_eq!(warnings, expected.len() - copies);
}
