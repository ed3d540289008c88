use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolrack::open::Limits;
use toolrack::probe::{Target, probe_paths};

use crate::build::{Header, shared};

/// `TOOLRACK_CORPUS_PLUGIN` names another plugin to build the corpus around than the stand-in.
///
/// The script that makes the corpus: the project's own, or where this package stands alone, the one given.
fn script() -> PathBuf {
    if let Some(path) = std::env::var_os("TOOLRACK_CORPUS_SCRIPT") {
        return path.into();
    }
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/make_corpus.sh")
}

#[test]
fn every_file_of_the_corpus_gets_its_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let good = match std::env::var_os("TOOLRACK_CORPUS_PLUGIN") {
        Some(path) => PathBuf::from(path),
        None => {
            let good = folder.path().join("good.so");
            shared(&Header::default().source("register_tools"), &good, &[]);
            good
        }
    };
    let corpus = folder.path().join("corpus");
    let status = Command::new("bash").arg(script()).args([&good, &corpus]).status().unwrap();
    assert!(status.success(), "the corpus script failed");
    let expected = std::fs::read_to_string(corpus.join("expected.tsv")).unwrap();
    let run = probe_paths(&[&corpus], &Limits::default(), Target::host());
    let got: BTreeMap<_, _> =
        run.files.iter().map(|file| (file.path.file_name().unwrap().to_str().unwrap(), file)).collect();
    let mut wrong = Vec::new();
    for line in expected.lines() {
        let [name, verdict, code] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        let file = got[name];
        let is = (file.verdict(), file.code().map_or("", |code| code.as_str()));
        if is != (verdict, code) {
            wrong.push(format!("{name}: expected {verdict} {code}, got {is:?}: {:?}", file.diagnosis));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(expected.lines().count(), run.files.len(), "a file that nobody expected");
}
