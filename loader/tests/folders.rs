use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolrack::Code;
use toolrack::open::{self, Limits};
use toolrack::probe::{self, FileProbe, Target};
use toolrack::scan::{Scan, scan};

use crate::synth::Elf;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn names(scan: &Scan, root: &Path) -> Vec<PathBuf> {
    scan.candidates.iter().map(|candidate| candidate.path.strip_prefix(root).unwrap().to_owned()).collect()
}

fn codes(scan: &Scan, root: &Path) -> Vec<(PathBuf, Option<Code>)> {
    let path = |path: &Path| path.strip_prefix(root).unwrap().to_owned();
    scan.rejected.iter().map(|diagnosis| (path(&diagnosis.path), diagnosis.code)).collect()
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Is this process bound by modes? If not, as root is not, the test runs again in a child that is.
fn bound_by_modes(test: &str) -> bool {
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    let child = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test])
        .env("TMPDIR", "/tmp")
        .output();
    match child {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && text.contains("1 passed"), "{text}");
        }
        Err(error) => {
            assert!(std::env::var_os("TOOLRACK_REQUIRE_PEERS").is_none(), "setpriv: {error}");
            println!("skipped: root reads everything, and there is no setpriv (package util-linux)");
        }
    }
    false
}

#[test]
fn a_scan_lists_libraries_by_name_and_path_in_one_order() {
    let root = folder();
    for name in
        ["b.so", "a.SO", "sub/c.dylib", "sub/deep/d.dll", "z.so.1.2", "text.txt", "x.rlib", "sub.so.d/e.so"]
    {
        write(&root.path().join(name), b"x");
    }
    let found = scan(&[root.path()], &Limits::default());
    let expected = ["a.SO", "b.so", "sub/c.dylib", "sub/deep/d.dll", "sub.so.d/e.so", "z.so.1.2"];
    assert_eq!(names(&found, root.path()), expected.map(PathBuf::from));
    assert!(found.rejected.is_empty() && found.missing.is_empty());
}

#[test]
fn a_scan_goes_as_deep_as_it_is_told() {
    let root = folder();
    write(&root.path().join("a.so"), b"x");
    write(&root.path().join("1/b.so"), b"x");
    write(&root.path().join("1/2/c.so"), b"x");
    let mut limits = Limits::default();
    limits.max_depth = 2;
    assert_eq!(names(&scan(&[root.path()], &limits), root.path()), ["1/b.so", "a.so"].map(PathBuf::from));
}

#[test]
fn a_folder_with_a_librarys_name_is_told_and_not_entered() {
    let root = folder();
    write(&root.path().join("x.so/inner.so"), b"x");
    let found = scan(&[root.path()], &Limits::default());
    assert!(found.candidates.is_empty());
    assert_eq!(codes(&found, root.path()), [(PathBuf::from("x.so"), Some(Code::T1001))]);
}

#[test]
fn the_folder_itself_may_have_a_librarys_name() {
    let root = folder();
    let tools = root.path().join("tools.so");
    write(&tools.join("a.so"), b"x");
    assert_eq!(scan(&[&tools], &Limits::default()).candidates.len(), 1);
}

#[test]
fn links_to_files_are_followed_and_links_to_folders_are_not() {
    let root = folder();
    let (here, there) = (root.path().join("tools"), root.path().join("elsewhere"));
    write(&there.join("real.so"), b"x");
    std::fs::create_dir(&here).unwrap();
    symlink(there.join("real.so"), here.join("link.so")).unwrap();
    symlink(&there, here.join("folder")).unwrap();
    symlink(&there, here.join("folder.so")).unwrap();
    symlink(".", here.join("self")).unwrap();
    symlink("nowhere", here.join("broken.so")).unwrap();
    symlink("loop.so", here.join("loop.so")).unwrap();
    symlink("nowhere", here.join("nobody-cares")).unwrap();
    symlink("/dev/null", here.join("null.so")).unwrap();
    fifo(&here.join("pipe.so"));
    let found = scan(&[&here], &Limits::default());
    assert_eq!(names(&found, &here), [PathBuf::from("link.so")]);
    let expected = [
        ("broken.so", Code::T1002),
        ("folder.so", Code::T1001),
        ("loop.so", Code::T1002),
        ("null.so", Code::T1001),
        ("pipe.so", Code::T1001),
    ];
    assert_eq!(codes(&found, &here), expected.map(|(name, code)| (PathBuf::from(name), Some(code))));
}

#[test]
fn a_root_that_is_a_link_is_followed() {
    let root = folder();
    write(&root.path().join("real/a.so"), b"x");
    symlink("real", root.path().join("link")).unwrap();
    assert_eq!(scan(&[root.path().join("link")], &Limits::default()).candidates.len(), 1);
}

#[test]
fn a_missing_folder_is_one_diagnosis_and_the_others_are_scanned() {
    let root = folder();
    write(&root.path().join("file"), b"x");
    write(&root.path().join("good/a.so"), b"x");
    let roots = ["gone", "file", "good", "good"].map(|name| root.path().join(name));
    let found = scan(&roots, &Limits::default());
    assert_eq!(
        found.missing.iter().map(|diagnosis| &*diagnosis.reason).collect::<Vec<_>>(),
        ["the folder does not exist", "it is no folder"]
    );
    assert_eq!(found.candidates.iter().map(|candidate| candidate.root).collect::<Vec<_>>(), [2]);
    assert!(found.rejected.is_empty());
}

#[test]
fn of_several_folders_the_first_comes_first() {
    let root = folder();
    write(&root.path().join("z/a.so"), b"x");
    write(&root.path().join("a/b.so"), b"x");
    let found = scan(&[root.path().join("z"), root.path().join("a")], &Limits::default());
    assert_eq!(names(&found, root.path()), ["z/a.so", "a/b.so"].map(PathBuf::from));
    assert_eq!(found.candidates[1].root, 1);
}

#[test]
fn a_folder_that_can_not_be_read_is_told_and_the_rest_is_listed() {
    if !bound_by_modes("folders::a_folder_that_can_not_be_read_is_told_and_the_rest_is_listed") {
        return;
    }
    let root = folder();
    let shut = root.path().join("shut");
    write(&root.path().join("a.so"), b"x");
    write(&shut.join("b.so"), b"x");
    set_mode(&shut, 0);
    let found = scan(&[root.path()], &Limits::default());
    let whole = scan(&[&shut], &Limits::default());
    set_mode(&shut, 0o700);
    assert_eq!(names(&found, root.path()), [PathBuf::from("a.so")]);
    assert_eq!(codes(&found, root.path()), [(PathBuf::from("shut"), Some(Code::T1003))]);
    assert_eq!(codes(&whole, &shut), [(PathBuf::new(), Some(Code::T1003))]);
}

#[test]
fn a_name_that_is_not_utf8_is_found_and_printed_escaped() {
    let root = folder();
    let name = OsStr::from_bytes(b"caf\xe9\n.so");
    write(&root.path().join(name), &Elf::default().bytes());
    let run = probe::probe_paths(&[root.path()], &Limits::default(), &target());
    assert_eq!(run.files[0].path.file_name(), Some(name));
    let json = serde_json::to_value(&run.files[0]).unwrap();
    assert!(json["path"].as_str().unwrap().ends_with("caf\\xE9\\n.so"));
    assert!(json["path_bytes"].as_str().unwrap().ends_with("636166e90a2e736f"));
}

#[test]
fn opening_never_waits_and_never_takes_what_is_no_file() {
    let root = folder();
    let path = |name: &str| root.path().join(name);
    fifo(&path("pipe"));
    std::fs::create_dir(path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
    symlink("/dev/zero", path("device")).unwrap();
    symlink("gone", path("broken")).unwrap();
    symlink("loop-b", path("loop-a")).unwrap();
    symlink("loop-a", path("loop-b")).unwrap();
    write(&path("empty"), b"");
    write(&path("large"), b"12345");
    let mut limits = Limits::default();
    limits.max_file = 4;
    for (name, code) in [
        ("pipe", Code::T1001),
        ("folder", Code::T1001),
        ("socket", Code::T1001),
        ("device", Code::T1001),
        ("broken", Code::T1002),
        ("loop-a", Code::T1002),
        ("gone", Code::T1003),
        ("large/below-a-file", Code::T1003),
        ("empty", Code::T1004),
        ("large", Code::T1005),
    ] {
        let diagnosis = open::regular(&path(name), &limits).unwrap_err();
        assert_eq!(diagnosis.code, Some(code), "{name}: {diagnosis}");
        assert!(diagnosis.help.is_some(), "{name}");
    }
}

#[test]
fn a_file_without_read_permission_says_so() {
    if !bound_by_modes("folders::a_file_without_read_permission_says_so") {
        return;
    }
    let root = folder();
    let path = root.path().join("a.so");
    write(&path, b"x");
    set_mode(&path, 0);
    assert_eq!(open::regular(&path, &Limits::default()).unwrap_err().code, Some(Code::T1003));
}

#[test]
fn a_file_that_changes_after_it_was_opened_is_told() {
    let root = folder();
    let path = root.path().join("a.so");
    write(&path, b"before");
    let opened = open::regular(&path, &Limits::default()).unwrap();
    opened.unchanged().unwrap();
    write(&path, b"after, and longer");
    assert_eq!(opened.unchanged().unwrap_err().code, Some(Code::T1006));
}

#[test]
fn a_file_that_shrinks_under_the_probe_is_changed_not_incomplete() {
    let root = folder();
    let path = root.path().join("a.so");
    let bytes = Elf::default().bytes();
    write(&path, &bytes);
    let opened = open::regular(&path, &Limits::default()).unwrap();
    write(&path, &bytes[..100]);
    let verdict = probe::probe(&opened, &target()).verdict;
    assert_eq!(verdict.finding().unwrap().code, Code::T1006);
}

#[test]
fn a_sparse_file_of_gigabytes_costs_no_more_than_another() {
    let root = folder();
    let path = root.path().join("a.so");
    write(&path, &Elf::default().bytes());
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let mut limits = Limits::default();
    assert_eq!(probe::probe_file(&path, &limits, &target()).code(), Some(Code::T1005));
    limits.max_file = u64::MAX;
    assert_eq!(probe::probe_file(&path, &limits, &target()).verdict(), "plugin");
}

#[test]
fn the_same_bytes_twice_are_one_plugin_and_a_duplicate() {
    let root = folder();
    let bytes = Elf::default().bytes();
    for name in ["b/one.so", "a/two.so", "c.so"] {
        write(&root.path().join(name), &bytes);
    }
    std::fs::hard_link(root.path().join("c.so"), root.path().join("d.so")).unwrap();
    write(&root.path().join("other.so"), &[&bytes[..], b"x"].concat());
    write(&root.path().join("plain.so"), &Elf { symbols: Vec::new(), ..Elf::default() }.bytes());
    write(&root.path().join("plain-again.so"), &Elf { symbols: Vec::new(), ..Elf::default() }.bytes());
    let of = |paths: &[&str]| -> Vec<(String, Option<Code>)> {
        let paths: Vec<_> = paths.iter().map(|path| root.path().join(path)).collect();
        let run = probe::probe_paths(&paths, &Limits::default(), &target());
        let name = |file: &FileProbe| file.path.file_name().unwrap().to_str().unwrap().to_owned();
        run.files.iter().map(|file| (name(file), file.code())).collect()
    };
    let same = Some(Code::T1007);
    let expect =
        |list: &[(&str, Option<Code>)]| list.iter().map(|(a, b)| ((*a).to_owned(), *b)).collect::<Vec<_>>();
    assert_eq!(
        of(&[""]),
        expect(&[
            ("two.so", None),
            ("one.so", same),
            ("c.so", same),
            ("d.so", same),
            ("other.so", None),
            ("plain-again.so", None),
            ("plain.so", None),
        ])
    );
    // The order of a run is the order of its arguments.
    assert_eq!(of(&["b", "a"]), expect(&[("one.so", None), ("two.so", same)]));
}

#[test]
fn a_probe_as_json_has_every_key_whatever_the_verdict() {
    let root = folder();
    write(&root.path().join("plugin.so"), &Elf::default().bytes());
    write(&root.path().join("text.so"), b"hello");
    symlink("gone", root.path().join("broken.so")).unwrap();
    let run = probe::probe_paths(&[root.path(), &root.path().join("missing")], &Limits::default(), &target());
    assert_eq!(run.missing.len(), 1);
    let json = serde_json::to_value(&run.files).unwrap();
    for file in json.as_array().unwrap() {
        for key in ["path", "verdict", "code", "reason", "help", "format", "arch", "plugin", "tools"] {
            assert!(file.get(key).is_some(), "{file} lacks {key}");
        }
    }
    assert_eq!((&json[0]["verdict"], &json[0]["code"]), (&"rejected".into(), &"T1002".into()));
    assert_eq!((&json[1]["verdict"], &json[1]["code"]), (&"plugin".into(), &serde_json::Value::Null));
    assert_eq!((&json[1]["format"], &json[1]["arch"]), (&"elf".into(), &"x86_64".into()));
    assert_eq!(json[1]["tools"], serde_json::json!(["echo"]));
    assert_eq!(json[2]["tools"], serde_json::Value::Null);
}

#[test]
fn a_named_file_is_probed_whatever_its_name() {
    let root = folder();
    let path = root.path().join("no-library-name");
    write(&path, &Elf::default().bytes());
    let run = probe::probe_paths(&[path], &Limits::default(), &target());
    assert_eq!(run.files[0].verdict(), "plugin");
}

fn target() -> Target {
    Target::new("linux", "x86_64")
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
