use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolrack::Code;

use crate::support::fixture;
use crate::support::logs::logged;
use crate::support::rack::{Rack, loaded, rejected};

/// The files of that name in a folder, however deep.
fn find(folder: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(find(&path, wanted));
        } else if wanted(entry.file_name().to_str().unwrap()) {
            found.push(path);
        }
    }
    found
}

/// The one file of facts in a store.
fn facts_file(rack: &Rack) -> PathBuf {
    let found = find(&rack.home.store(), &|name| name == ".facts.json");
    let [file] = &found[..] else { panic!("{found:?}") };
    file.clone()
}

/// The one stored copy.
fn copy(rack: &Rack) -> PathBuf {
    let found = find(&rack.home.store(), &|name| name.contains("well_behaved"));
    let [file] = &found[..] else { panic!("{found:?}") };
    file.clone()
}

fn facts(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn what_was_found_out_is_written_down_and_found_again() {
    let rack = Rack::with(&["well_behaved"]);
    let file = facts_file(&rack);
    let first = facts(&file);
    assert_eq!(first["layout_ok"], true);
    assert_eq!(first["plugin"]["name"], "well_behaved");
    assert_eq!(first["descriptions"][0]["name"], "echo");
    let written = fs::metadata(&file).unwrap().modified().unwrap();

    let again = rack.beside();
    assert_eq!(loaded(&again.load()), ["well_behaved"]);
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written, "nothing new to write");
    assert_eq!(again.text("echo", r#"{"text":"x"}"#), "x");
}

#[test]
fn fact_7_bytes_whose_layouts_were_compared_are_not_compared_again() {
    // A library that opted out would be refused if it were compared; its layouts are in truth the host's.
    let rack = Rack::with(&["well_behaved"]);
    let known = facts(&facts_file(&rack));
    rack.drop_in(&["opted_out"]);
    assert_eq!(rejected(&rack.load())[0].1, Code::T4007);

    let copy = find(&rack.home.store(), &|name| name.contains("opted_out")).remove(0);
    let mut claimed = known;
    let sha256 = copy.parent().unwrap().file_name().unwrap().to_str().unwrap();
    claimed["sha256"] = sha256.into();
    claimed["len"] = fs::metadata(&copy).unwrap().len().into();
    fs::write(copy.parent().unwrap().join(".facts.json"), claimed.to_string()).unwrap();
    let report = rack.beside().load();
    assert_eq!(loaded(&report), ["opted_out", "well_behaved"]);
}

#[test]
fn facts_of_another_build_of_the_host_are_found_out_again() {
    let rack = Rack::with(&["well_behaved"]);
    let file = facts_file(&rack);
    let mut other = facts(&file);
    let ours = other["host_build"].clone();
    other["host_build"] = "another".into();
    other["descriptions"] = Value::Array(Vec::new());
    fs::write(&file, other.to_string()).unwrap();
    assert_eq!(loaded(&rack.beside().load()), ["well_behaved"]);
    assert_eq!(facts(&file)["host_build"], ours);
}

#[test]
fn a_file_of_facts_that_can_not_be_read_costs_one_warning_and_is_written_again() {
    for garbage in ["", "{", "{\"version\":1}", "[]", "\u{0}"] {
        let rack = Rack::with(&["well_behaved"]);
        let file = facts_file(&rack);
        let good = facts(&file);
        fs::write(&file, garbage).unwrap();
        let again = rack.beside();
        let report = again.load();
        assert_eq!((loaded(&report).len(), report.rejected.len()), (1, 0));
        let told = logged(&file.display().to_string());
        let [warning] = &told[..] else { panic!("{garbage:?}: {told:#?}") };
        assert_eq!(warning.level, log::Level::Warn);
        assert_eq!(facts(&file)["descriptions"], good["descriptions"]);
        assert_eq!(again.text("echo", r#"{"text":"x"}"#), "x");
    }
}

#[test]
fn a_stored_copy_that_was_damaged_is_made_again() {
    let rack = Rack::new();
    rack.drop_in(&["well_behaved"]);
    // Another process fills the store: a library that this one has open must not be written to.
    let listed = rack.home.toolrack().args(["list", "--json"]).output().unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let copy = copy(&rack);
    let good = fs::read(&copy).unwrap();
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle..middle + 4096].fill(0xcc);
    fs::remove_file(&copy).unwrap();
    fs::write(&copy, bad).unwrap();
    assert_eq!(loaded(&rack.load()), ["well_behaved"]);
    assert!(fs::read(&copy).unwrap() == good, "the bytes that were dropped in");
    assert_eq!(logged(&copy.display().to_string()).iter().filter(|r| r.level == log::Level::Warn).count(), 1);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
}

#[test]
fn what_happens_to_the_file_in_the_tools_folder_does_not_disturb_what_was_loaded() {
    let rack = Rack::with(&["well_behaved"]);
    let dropped = find(&rack.home.tools(), &|_| true).remove(0);
    let other = fs::read(fixture("answers")).unwrap();
    let calls = || assert_eq!(rack.text("echo", r#"{"text":"still"}"#), "still");
    let file = fs::OpenOptions::new().write(true).open(&dropped).unwrap();
    file.set_len(0).unwrap();
    calls();
    fs::write(&dropped, vec![0; other.len()]).unwrap();
    calls();
    fs::write(&dropped, other).unwrap();
    calls();
    fs::remove_file(&dropped).unwrap();
    calls();
}

#[test]
fn the_new_bytes_of_an_overwritten_file_are_what_the_next_load_finds() {
    let rack = Rack::with(&["well_behaved"]);
    let dropped = find(&rack.home.tools(), &|_| true).remove(0);
    fs::write(&dropped, fs::read(fixture("answers")).unwrap()).unwrap();
    assert_eq!(loaded(&rack.load()), ["answers"]);
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#);
    fs::write(&dropped, &fs::read(fixture("answers")).unwrap()[..4096]).unwrap();
    let report = rack.load();
    assert_eq!(rejected(&report)[0].1, Code::T1008);
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#, "a failed update leaves the old one serving");
}
