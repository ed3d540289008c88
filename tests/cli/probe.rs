use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::ran::{assert_keys, each, run, toolrack};
use crate::support::{Home, fixture, need};

const KEYS: &str = "path verdict code reason detail help format arch os plugin version tools abi rustc";

#[test]
fn a_plugin_is_told_in_full_without_running_it() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let document = toolrack(&home, ["probe", library.to_str().unwrap(), "--json"]).ended(0).quietly().json();
    assert_keys(&document, "files");
    let file = &document["files"][0];
    assert_keys(file, KEYS);
    assert_eq!(file["path"].as_str(), library.to_str());
    assert_eq!(file["verdict"], json!("plugin"));
    assert_eq!(file["arch"], json!(std::env::consts::ARCH));
    assert_eq!((&file["plugin"], &file["tools"]), (&json!("well_behaved"), &json!(["echo"])));
    for key in ["code", "reason", "detail", "help"] {
        assert_eq!(file[key], json!(null), "{key}");
    }
}

#[test]
fn people_get_a_table_with_what_to_do() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let text = home.tools().join("text.so");
    fs::write(&text, "hello").unwrap();
    let ran = run(home.toolrack().arg("probe").args([&library, &text])).ended(1).quietly();
    assert!(ran.stdout.starts_with("FILE "), "{ran:#?}");
    assert!(ran.stdout.contains("well_behaved 0.1.0: echo"), "{ran:#?}");
    assert!(ran.stdout.contains("T2001 ") && ran.stdout.contains("help: "), "{ran:#?}");
}

#[test]
fn a_path_that_is_missing_is_told_and_the_others_are_probed() {
    let home = Home::new();
    let ran = run(home.toolrack().args(["probe", "--json", "nowhere"]).arg(fixture("well_behaved"))).ended(2);
    assert_eq!(each(&ran.json()["files"], "verdict"), ["plugin"]);
    let diagnosis: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_keys(&diagnosis, super::ran::DIAGNOSIS);
    let ran = toolrack(&home, ["probe", "nowhere"]).ended(2).says(["`nowhere`: it does not exist"]);
    assert_eq!((ran.stdout.as_str(), ran.stderr.contains("no libraries")), ("", false));
}

#[test]
fn a_folder_without_libraries_is_an_empty_answer() {
    let home = Home::new();
    let tools = home.tools();
    let folder = tools.to_str().unwrap();
    assert_eq!(toolrack(&home, ["probe", folder, "--json"]).ended(0).json(), json!({ "files": [] }));
    toolrack(&home, ["probe", folder]).ended(0).says(["no libraries there"]);
}

#[test]
fn a_second_copy_is_no_finding() {
    let home = Home::new();
    home.drop_in_as(&fixture("well_behaved"), "a.so");
    home.drop_in_as(&fixture("well_behaved"), "b.so");
    let document = toolrack(&home, ["probe", home.tools().to_str().unwrap(), "--json"]).ended(0).json();
    assert_eq!(each(&document["files"], "verdict"), ["plugin", "rejected"]);
    assert_eq!(each(&document["files"], "code"), ["-", "T1007"]);
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn every_file_of_the_corpus_gets_its_verdict_and_its_code() {
    if !["gcc", "python3", "bash", "strip"].into_iter().all(|it| need(it, "the corpus is made with it")) {
        return;
    }
    let home = Home::new();
    let corpus = home.path().join("corpus");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/make_corpus.sh");
    let made = Command::new("bash").arg(script).arg(fixture("well_behaved")).arg(&corpus).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let document = toolrack(&home, ["probe", corpus.to_str().unwrap(), "--json"]).ended(1).quietly().json();
    let files = document["files"].as_array().unwrap();
    let found: BTreeMap<&str, &Value> =
        files.iter().map(|file| (file["path"].as_str().unwrap().rsplit('/').next().unwrap(), file)).collect();
    let expected = fs::read_to_string(corpus.join("expected.tsv")).unwrap();
    assert!(expected.lines().count() > 30);
    for line in expected.lines() {
        let [name, verdict, code] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        let file = found[name];
        assert_keys(file, KEYS);
        let code = if code.is_empty() { json!(null) } else { json!(code) };
        assert_eq!((&file["verdict"], &file["code"]), (&json!(verdict), &code), "{name}: {file:#}");
        assert_eq!(file["reason"].is_null(), code.is_null(), "{name}: {file:#}");
    }
    assert_eq!(expected.lines().count(), found.len(), "a file that nobody expected");
}
