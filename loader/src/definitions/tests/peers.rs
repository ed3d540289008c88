use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::random::{Chance, Dialect, root};
use super::*;

/// What `tests/providers/check.py` says of each list; nothing if there is no Python to ask.
fn checked(cases: &str) -> Option<Vec<Value>> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/providers/check.py");
    let python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut python = match python {
        Ok(python) => python,
        Err(e) => {
            let wanted = std::env::var_os("TOOLRACK_REQUIRE_PEERS").is_some_and(|value| value == "1");
            assert!(!wanted, "python3: {e}; install Python 3");
            eprintln!("skipped: python3: {e}; install Python 3");
            return None;
        }
    };
    let mut stdin = python.stdin.take().unwrap();
    let cases = cases.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(cases.as_bytes()).unwrap());
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.status.success(), "check.py: {}", output.status);
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn case(cases: &mut String, id: &str, form: &str, tools: &str, plant: bool) {
    let tools: Value = serde_json::from_str(tools).unwrap();
    writeln!(cases, "{}", json!({ "id": id, "form": form, "tools": tools, "plant": plant })).unwrap();
}

#[test]
fn every_golden_file_keeps_its_providers_rules_and_no_planted_fault_does() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/definitions");
    let mut cases = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let Some((_, form)) = name.trim_end_matches(".json").rsplit_once('.') else { continue };
        if form == "tool" {
            continue;
        }
        case(&mut cases, &name, form, &std::fs::read_to_string(&path).unwrap(), true);
        count += 1;
    }
    let Some(answers) = checked(&cases) else { return };
    assert_eq!(answers.len(), count);
    assert!(count >= 9 * 12, "only {count} files");
    for answer in answers {
        assert_eq!(answer["faults"], json!([]), "{}", answer["id"]);
        assert_eq!(answer["missed"], json!([]), "{}", answer["id"]);
        assert!(answer["planted"].as_u64().unwrap() >= 4, "{}", answer["id"]);
    }
}

#[test]
fn schemas_of_chance_keep_every_providers_rules() {
    let mut chance = Chance::new();
    let mut cases = String::new();
    let mut originals = Vec::new();
    for round in 0..400 {
        let dialect = [Dialect::Wild, Dialect::Closed][round % 2];
        let schema = root(&mut chance, dialect);
        for (form, profile) in profiles() {
            let definitions = list(profile, [&tool("it", &schema)].into_iter());
            if definitions.count == 1 {
                case(&mut cases, &originals.len().to_string(), form, &definitions.json, false);
                originals.push((form, schema.clone(), definitions.json));
            }
        }
    }
    assert!(originals.len() > 2_000, "only {} lists", originals.len());
    let Some(answers) = checked(&cases) else { return };
    for (answer, (form, schema, shown)) in answers.iter().zip(&originals) {
        assert_eq!(answer["faults"], json!([]), "{form}: {shown}\nfrom {schema}");
    }
    assert_eq!(answers.len(), originals.len());
}
