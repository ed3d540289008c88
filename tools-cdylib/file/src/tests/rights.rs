//! Root may do everything, and continuous integration often is root: these tests run themselves again as a
//! user without rights, or on a disk without room.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use super::support::*;
use crate::error::Kind;

const NOBODY: u32 = 65_534;
/// Set in the second run.
const SECOND_RUN: &str = "TOOLRACK_FILE_TEST_SECOND_RUN";

fn is_second_run() -> bool {
    std::env::var_os(SECOND_RUN).is_some()
}

/// Runs one test of this binary again below a command. The binary is copied: the build folder may be closed to
/// others.
fn run_again(command: &mut Command, place: &Path, test: &str) {
    let copy = place.join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let output = command
        .arg(&copy)
        .args(["--exact", &format!("tests::rights::{test}"), "--nocapture"])
        .env(SECOND_RUN, "1")
        .env("TMPDIR", place)
        .output()
        .unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// `true` if the rest of the test runs as a user whom modes hold back.
fn as_nobody(test: &str) -> bool {
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    assert!(!is_second_run(), "setpriv left us root");
    if need("setpriv") {
        let place = tempfile::tempdir().unwrap();
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o755)).unwrap();
        chown(place.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        let user = NOBODY.to_string();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &user, "--regid", &user, "--clear-groups"]);
        run_again(&mut command, place.path(), test);
    }
    false
}

/// Whether a program that a test needs is there. Without it the test says so and passes, unless
/// `TOOLRACK_REQUIRE_PEERS=1`.
fn need(program: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    let required = std::env::var_os("TOOLRACK_REQUIRE_PEERS").is_some_and(|value| value == "1");
    assert!(found || !required, "`{program}` is required and missing (package util-linux)");
    if !found {
        use std::io::Write;
        // Not `eprintln!`, which the test harness captures.
        let _ = writeln!(std::io::stderr(), "skipped: `{program}` is missing (package util-linux)");
    }
    found
}

fn set_mode(world: &World, name: &str, mode: u32) {
    std::fs::set_permissions(world.root().join(name), PermissionsExt::from_mode(mode)).unwrap();
}

#[test]
fn a_file_that_may_not_be_read_is_an_error() {
    if as_nobody("a_file_that_may_not_be_read_is_an_error") {
        let world = World::new().with("a.txt", "x").with("closed/b.txt", "x");
        set_mode(&world, "a.txt", 0);
        set_mode(&world, "closed", 0);
        for path in ["a.txt", "closed/b.txt"] {
            assert_error(&world.reading_fails(path), Kind::PermissionDenied, &[path, "permission denied"]);
        }
        set_mode(&world, "closed", 0o700);
    }
}

#[test]
fn a_folder_that_may_not_be_written_keeps_the_old_file() {
    if as_nobody("a_folder_that_may_not_be_written_keeps_the_old_file") {
        let world = World::new().with("d/a.txt", "old");
        set_mode(&world, "d", 0o555);
        let error = world.write("d/a.txt", "new").unwrap_err();
        assert_error(&error, Kind::PermissionDenied, &["`d/a.txt`", "folder", "permission denied"]);
        let error = world.write("d/new/b.txt", "new").unwrap_err();
        assert_error(&error, Kind::PermissionDenied, &["`d/new/b.txt`", "permission denied"]);
        set_mode(&world, "d", 0o755);
        assert_eq!((world.content("d/a.txt").as_str(), world.names("d").len()), ("old", 1));
    }
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    if as_nobody("a_file_that_may_not_be_written_is_not_replaced") {
        let world = World::new().with("a.txt", "old");
        set_mode(&world, "a.txt", 0o444);
        let error = world.write("a.txt", "new").unwrap_err();
        assert_error(&error, Kind::PermissionDenied, &["`a.txt`", "permission denied"]);
        assert_eq!(world.content("a.txt"), "old");
    }
}

#[test]
fn what_a_search_may_not_read_is_counted_and_the_rest_is_found() {
    if as_nobody("what_a_search_may_not_read_is_counted_and_the_rest_is_found") {
        let world =
            World::new().with("a.txt", "needle\n").with("b.txt", "needle\n").with("c/d.txt", "needle\n");
        set_mode(&world, "b.txt", 0);
        set_mode(&world, "c", 0);
        let text = world.search(&search_for("needle"));
        set_mode(&world, "c", 0o755);
        assert!(text.starts_with("a.txt\n1:needle\n[1 line in 1 file; 2 could not be read"), "{text}");
        assert!(text.contains("first `b.txt`: permission denied"), "{text}");
    }
}

#[test]
fn a_full_disk_keeps_the_old_file_and_leaves_nothing_behind() {
    let test = "a_full_disk_keeps_the_old_file_and_leaves_nothing_behind";
    if is_second_run() {
        // The folder for temporary files is a disk of 64 KiB by now.
        let world = World::new().with("a.txt", "old");
        let error = world.write("a.txt", &"x".repeat(1 << 20)).unwrap_err();
        assert_error(&error, Kind::StorageFull, &["`a.txt`", "no storage space"]);
        assert_eq!((world.content("a.txt").as_str(), world.names(".").len()), ("old", 1));
    } else if cfg!(target_os = "linux") && rustix::process::geteuid().is_root() && need("unshare") {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("disk")).unwrap();
        let mut command = Command::new("unshare");
        let script = "mount -t tmpfs -o size=64k none \"$TMPDIR/disk\" && export TMPDIR=\"$TMPDIR/disk\" && exec \"$@\"";
        command.args(["--mount", "sh", "-c", script, "sh"]);
        run_again(&mut command, place.path(), test);
    }
}
