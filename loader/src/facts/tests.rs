use std::fs;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::Code;
use crate::admit::Admit;
use crate::config::Trust;
use crate::store::{BootId, Stored};

const BUILD: &str = "toolrack 0.1.0 rustc 1.95";

fn store(folder: &Path) -> (Store, Stored) {
    let admit = Admit::new(&Trust::default()).expect("a policy");
    let store = Store::open(&folder.join("store"), BootId::new("boot"), &admit).expect("a store");
    let path = folder.join("x.so");
    fs::write(&path, "bytes").expect("a file");
    let stored = store.put(&File::open(&path).expect("the file"), &path).expect("a copy");
    (store, stored)
}

fn facts(stored: &Stored) -> Facts {
    Facts {
        layout_ok: Some(true),
        plugin: Some(PluginFacts { name: "file".into(), version: "1.2.3".into() }),
        manifest: Some(r#"{"name":"file",  "tools":[]}"#.into()),
        descriptions: vec![
            r#"{"name":"a","schema":{"z":1,"a":1.50,"big":123456789012345678901234567890}}"#.into(),
        ],
        verdict: Verdict::Loaded,
        ..Facts::new(stored.digest, stored.len, BUILD, "boot")
    }
}

#[test]
fn facts_come_back_as_they_were_to_the_last_space_of_a_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, stored) = store(folder.path());
    assert_eq!(Facts::read(&store, stored.digest, stored.len, BUILD), None);
    let mut written = facts(&stored);
    written.write(&store, UNIX_EPOCH + Duration::from_secs(1_700_000_000)).expect("written");
    assert_eq!(written.recorded_s, 1_700_000_000);
    assert_eq!(Facts::read(&store, stored.digest, stored.len, BUILD).as_ref(), Some(&written));
    assert_eq!(Facts::read(&store, stored.digest, stored.len, "another build"), None);
    let text = fs::read_to_string(store.facts_path(stored.digest, stored.len)).expect("the file");
    assert!(text.contains(r#""manifest":{"name":"file",  "tools":[]}"#), "{text}");

    let diagnosis =
        Diagnosis::new(Code::T3003, "x.so", "undefined symbol `f`").caused_by("dlopen").help("link it");
    written.verdict = Verdict::failed(&diagnosis);
    written.write(&store, UNIX_EPOCH).expect("written again");
    assert_eq!(Facts::read(&store, stored.digest, stored.len, BUILD), Some(written));
    assert_eq!(Verdict::failed(&Diagnosis::uncoded("x", "y")), Verdict::Untried);
    assert_eq!(store.list().expect("a list").len(), 1, "facts are no library");
}

#[test]
fn facts_that_are_damaged_or_of_another_version_are_passed_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, stored) = store(folder.path());
    facts(&stored).write(&store, UNIX_EPOCH).expect("written");
    let path = store.facts_path(stored.digest, stored.len);
    let good = fs::read_to_string(&path).expect("the file");
    let other = Digest::of(b"others").to_string();
    for bad in [
        String::new(),
        "\0".repeat(good.len()),
        good[..good.len() / 2].to_owned(),
        good.replace("\"version\":1,\"sha", "\"version\":2,\"sha"),
        good.replace(&stored.digest.to_string(), &other),
        good.replace("\"loaded\"", "\"no such verdict\""),
        good.replace("\"len\":5", "\"len\":-1"),
        "[".repeat(100_000),
    ] {
        assert_ne!(bad, good);
        fs::write(&path, &bad).expect("a write");
        assert_eq!(Facts::read(&store, stored.digest, stored.len, BUILD), None, "{bad:.60}");
    }
    fs::write(&path, good).expect("a write");
    assert!(Facts::read(&store, stored.digest, stored.len, BUILD).is_some());
}

#[test]
fn a_text_that_is_not_json_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, stored) = store(folder.path());
    for text in ["{", "{} {}", ""] {
        let mut facts = Facts { descriptions: vec![text.into()], ..facts(&stored) };
        facts.write(&store, UNIX_EPOCH).expect_err("no JSON");
        assert_eq!(Facts::read(&store, stored.digest, stored.len, BUILD), None);
    }
}
