use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::ran::{Ran, assert_keys, codes, each, run, toolrack};
use crate::support::{Home, fixture, need};

/// The library with one text in it replaced by another of the same length.
pub(super) fn patched(library: &Path, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(library).unwrap();
    let places: Vec<usize> =
        (0..=bytes.len() - from.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
    assert!(!places.is_empty(), "no `{from}` in {}", library.display());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    bytes
}

/// A file of this name with these bytes, outside the tools folder.
pub(super) fn file(home: &Home, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let folder = home.path().join("downloads");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

pub(super) fn add(home: &Home, library: &Path) -> Ran {
    run(home.toolrack().args(["add", "--json"]).arg(library))
}

/// What the tools folder holds, by name.
pub(super) fn dropped(home: &Home) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(home.tools())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// It was rejected with this code, and nothing came into the folder.
#[track_caller]
fn rejected(home: &Home, library: &Path, code: &str) -> Ran {
    let ran = add(home, library).ended(1);
    let document = ran.json();
    assert_eq!(document["added"], json!([]));
    assert_eq!(codes(&document["rejected"]), [code], "{document:#}");
    assert_eq!(document["rejected"][0]["path"].as_str(), library.to_str());
    assert_eq!(dropped(home), [""; 0]);
    ran
}

#[test]
fn a_library_is_checked_dropped_in_and_its_tools_are_named() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let ran = run(home.toolrack().arg("add").arg(&library)).ended(0).quietly();
    let target = home.tools().join(library.file_name().unwrap());
    assert_eq!(ran.stdout, format!("added well_behaved 0.1.0 as `{}`\n  echo\n", target.display()));
    assert_eq!(fs::read(&target).unwrap(), fs::read(&library).unwrap());
    assert_eq!(toolrack(&home, ["call", "echo", r#"{"text":"hi"}"#]).ended(0).stdout, "hi\n");
}

#[test]
fn the_document_has_what_was_added_and_what_was_rejected() {
    let home = Home::new();
    let text = file(&home, "text.so", "hello");
    let ran = run(home.toolrack().args(["add", "--json"]).arg(fixture("well_behaved")).arg(&text)).ended(1);
    let document = ran.json();
    assert_keys(&document, "added rejected");
    assert_keys(&document["added"][0], "path plugin version tools");
    assert_eq!(document["added"][0]["plugin"], json!("well_behaved"));
    assert_eq!(document["added"][0]["version"], json!("0.1.0"));
    assert_eq!(document["added"][0]["tools"], json!(["echo"]));
    assert_eq!(codes(&document["rejected"]), ["T2001"]);
}

#[test]
fn the_folder_is_made_if_need_be() {
    let home = Home::new();
    let folder = home.path().join("made/for/this");
    run(home.toolrack().arg("--tools").arg(&folder).arg("add").arg(fixture("well_behaved"))).ended(0);
    assert!(folder.join(fixture("well_behaved").file_name().unwrap()).is_file());
    assert_eq!(dropped(&home), [""; 0]);
}

#[test]
fn what_is_no_plugin_stays_outside() {
    let home = Home::new();
    let plugin = fs::read(fixture("well_behaved")).unwrap();
    rejected(&home, &file(&home, "text.so", "hello"), "T2001");
    rejected(&home, &file(&home, "empty.so", ""), "T1004");
    rejected(&home, &file(&home, "half.so", &plugin[..4096]), "T1008");
    if need("gcc", "install a C compiler") {
        let library = home.path().join("downloads/plain.so");
        gcc("int answer(void) { return 42; }", &library);
        rejected(&home, &library, "-").says([]);
        gcc("int register_tool(void) { return 42; }", &library);
        rejected(&home, &library, "T4004");
    }
    if cfg!(unix) {
        rejected(&home, Path::new("/dev/null"), "T1001");
    }
}

/// Builds a small library from one line of C.
pub(super) fn gcc(source: &str, library: &Path) {
    let code = library.with_extension("c");
    fs::write(&code, source).unwrap();
    let status =
        std::process::Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(library).arg(&code).status();
    assert!(status.expect("gcc runs").success());
    fs::remove_file(code).unwrap();
}

#[test]
fn a_name_that_no_scan_looks_at_is_told() {
    let home = Home::new();
    let library = file(&home, "plugin.bin", fs::read(fixture("well_behaved")).unwrap());
    rejected(&home, &library, "-");
    run(home.toolrack().arg("add").arg(&library)).ended(1).says(["give it a name that ends `."]);
}

#[test]
fn a_path_that_is_not_there_is_not_understood_and_nothing_is_done() {
    let home = Home::new();
    let ran =
        run(home.toolrack().args(["add", "--json"]).arg(fixture("well_behaved")).arg("nowhere.so")).ended(2);
    assert_eq!(ran.diagnosis()["path"], json!("nowhere.so"));
    assert_eq!(dropped(&home), [""; 0]);
}

#[test]
fn a_library_that_fails_to_register_is_rejected_in_its_own_words() {
    let home = Home::new();
    rejected(&home, &fixture("cli_unwilling"), "T6004").says(["no licence for this machine"]);
}

#[cfg(unix)]
#[test]
fn a_library_that_crashes_ends_or_hangs_the_process_costs_a_child() {
    let home = Home::new();
    for (fault, code) in [("crash", "T6001"), ("exit", "T6003"), ("hang", "T6002")] {
        let mut command = home.toolrack();
        command.env("TOOLRACK_FIXTURE", fault).args(["add", "--json", "--patience"]);
        // Only what hangs waits for it.
        command.arg(if fault == "hang" { "0.5" } else { "30" }).arg(fixture("cli_constructor"));
        let document = run(&mut command).ended(1).json();
        assert_eq!(codes(&document["rejected"]), [code], "{fault}");
        assert_eq!(dropped(&home), [""; 0], "{fault}");
    }
}

#[test]
fn a_newer_version_replaces_the_older_one() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let name = library.file_name().unwrap().to_str().unwrap();
    add(&home, &library).ended(0);
    let newer = file(&home, name, patched(&library, "\"version\":\"0.1.0\"", "\"version\":\"0.2.0\""));
    let document = add(&home, &newer).ended(0).json();
    assert_eq!(document["added"][0]["version"], json!("0.2.0"));
    assert_eq!(dropped(&home), [name]);
}

#[test]
fn a_broken_version_leaves_the_old_one_in_its_place() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let name = library.file_name().unwrap().to_str().unwrap();
    add(&home, &library).ended(0);
    let bytes = fs::read(&library).unwrap();
    let broken = file(&home, name, &bytes[..4096]);
    assert_eq!(codes(&add(&home, &broken).ended(1).json()["rejected"]), ["T1008"]);
    // A plugin that the probe takes for good, and that fails when it is tried.
    let unwilling = file(&home, name, fs::read(fixture("cli_unwilling")).unwrap());
    assert_eq!(codes(&add(&home, &unwilling).ended(1).json()["rejected"]), ["T6004"]);
    assert_eq!(dropped(&home), [name]);
    assert_eq!(toolrack(&home, ["call", "echo", r#"{"text":"old"}"#]).ended(0).stdout, "old\n");
}

#[test]
fn a_second_copy_is_no_finding_and_a_person_is_told() {
    let home = Home::new();
    add(&home, &fixture("well_behaved")).ended(0);
    let copy = file(&home, "libz_copy.so", fs::read(fixture("well_behaved")).unwrap());
    let ran = run(home.toolrack().arg("add").arg(&copy)).ended(0).says(["T1007", "libz_copy.so"]);
    assert_eq!(ran.stdout, "");
    assert_eq!(codes(&add(&home, &copy).ended(0).json()["rejected"]), ["T1007"]);
    let document = toolrack(&home, ["list", "--json"]).ended(0).json();
    assert_eq!(each(&document["tools"], "name"), ["echo"]);
}

#[test]
fn the_operators_patterns_are_asked_about_the_name_it_will_have() {
    let home = Home::new();
    let library = fixture("well_behaved");
    let name = library.file_name().unwrap().to_str().unwrap();
    home.configure(&format!("[trust]\nallow = [\"{name}\"]\n"));
    add(&home, &library).ended(0);
    home.configure(&format!("[trust]\ndeny = [\"{name}\"]\n"));
    let newer = file(&home, name, patched(&library, "\"version\":\"0.1.0\"", "\"version\":\"0.2.0\""));
    let document = add(&home, &newer).ended(1).json();
    assert_eq!(codes(&document["rejected"]), ["T5002"]);
    assert_eq!(fs::read(home.tools().join(name)).unwrap(), fs::read(&library).unwrap());
    home.configure("[plugins.well_behaved]\nenabled = false\n");
    assert_eq!(codes(&add(&home, &newer).ended(1).json()["rejected"]), ["T5002"]);
}
