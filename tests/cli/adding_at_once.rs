use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::add::{add, dropped, file, patched};
use super::ran::{codes, toolrack};
use crate::support::{Home, fixture};

/// Ends the thread that rewrites, however the test ends.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Two versions of one plugin, of the same length.
fn versions() -> [Vec<u8>; 2] {
    let library = fixture("well_behaved");
    [fs::read(&library).unwrap(), patched(&library, "\"version\":\"0.1.0\"", "\"version\":\"0.2.0\"")]
}

#[test]
fn a_file_that_is_rewritten_meanwhile_comes_in_whole_or_not_at_all() {
    let home = Home::new();
    let versions = versions();
    let source = file(&home, "libmoving.so", &versions[0]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                for version in &versions {
                    fs::write(&source, version).unwrap();
                }
            }
        });
        for _ in 0..8 {
            let ran = add(&home, &source);
            let document = ran.json();
            match ran.status {
                Some(0) => assert_eq!(document["added"].as_array().map(Vec::len), Some(1), "{document:#}"),
                // Caught while it was empty, half there, or between two versions.
                _ => {
                    let codes = codes(&document["rejected"]);
                    assert!(["T1004", "T1006", "T1008"].contains(&codes[0]), "{document:#}");
                }
            }
            if let Ok(taken) = fs::read(home.tools().join("libmoving.so")) {
                // A writer that stands still for longer than anyone waits leaves a beginning, whose segments are
                // complete: what is missing is never loaded. Bytes of both are what must not be.
                let one = versions.iter().any(|version| version.starts_with(&taken));
                assert!(one, "a mixture of two versions");
            }
        }
    });
    add(&home, &source).ended(0);
    assert_eq!(dropped(&home), ["libmoving.so"]);
}

#[test]
fn a_file_that_is_replaced_by_a_rename_meanwhile_comes_in_whole() {
    let home = Home::new();
    let versions = versions();
    let source = file(&home, "libmoving.so", &versions[0]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            let next = source.with_extension("next");
            while !stop.load(Ordering::Relaxed) {
                for version in &versions {
                    fs::write(&next, version).unwrap();
                    fs::rename(&next, &source).unwrap();
                }
            }
        });
        for _ in 0..4 {
            add(&home, &source).ended(0);
            let taken = fs::read(home.tools().join("libmoving.so")).unwrap();
            assert!(versions.contains(&taken), "a mixture of two versions");
        }
    });
}

#[test]
fn of_two_that_add_at_once_both_succeed_and_one_is_last() {
    let home = Home::new();
    let versions = versions();
    let sources: Vec<_> = versions
        .iter()
        .enumerate()
        .map(|(index, version)| {
            let folder = home.path().join(format!("from-{index}"));
            fs::create_dir(&folder).unwrap();
            let source = folder.join("libsame.so");
            fs::write(&source, version).unwrap();
            source
        })
        .collect();
    std::thread::scope(|scope| {
        for source in &sources {
            scope.spawn(|| add(&home, source).ended(0));
        }
    });
    assert_eq!(dropped(&home), ["libsame.so"]);
    assert!(versions.contains(&fs::read(home.tools().join("libsame.so")).unwrap()));
    toolrack(&home, ["call", "echo", r#"{"text":"works"}"#]).ended(0);
}
