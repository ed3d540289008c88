//! Tests that need another user, or a file system of their own: they run themselves again inside it.

use std::env;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const INSIDE: &str = "TOOLRACK_TEST_INSIDE";

/// Runs `body` as a user without rights, in a folder of that user.
///
/// `test` is the calling test's whole name. A test run by such a user anyway needs nothing for it.
pub(crate) fn as_nobody(test: &str, body: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    if !rustix::process::geteuid().is_root() {
        return body(folder.path());
    }
    // The program itself may stand where that user cannot reach it. The copy is another process's work: were it this
    // one's, a child that another test starts meanwhile would hold it open for writing, and it could not be run.
    let program = folder.path().join("tests");
    let copy = Command::new("cp").arg(env::current_exe().expect("this program")).arg(&program).status();
    assert!(copy.expect("cp").success());
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("a mode");
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]).arg(&program);
    run(command, test, "setpriv, from util-linux");
}

/// Runs `body` where no file may be larger than a few kilobytes.
pub(crate) fn with_small_files(test: &str, body: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        return body();
    }
    let mut command = Command::new("sh");
    command.args(["-c", r#"ulimit -f 64 && exec "$@""#, "sh"]).arg(env::current_exe().expect("this program"));
    command.env(INSIDE, "");
    run(command, test, "a shell with `ulimit -f`");
}

/// Runs `body` in a folder that is a small memory file system, mounted with these options.
pub(crate) fn on_tmpfs(test: &str, options: &str, body: impl FnOnce(&Path)) {
    if let Some(folder) = env::var_os(INSIDE) {
        return body(&PathBuf::from(folder));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = r#"mount -t tmpfs -o "$1" tmpfs "$TOOLRACK_TEST_INSIDE" && shift && exec "$@""#;
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh", options]).arg(env::current_exe().expect("this program"));
    command.env(INSIDE, folder.path());
    run(command, test, "root, who may mount a file system in a namespace");
}

fn run(mut command: Command, test: &str, need: &str) {
    let output = match command.args(["--exact", test, "--nocapture"]).output() {
        Ok(output) => output,
        Err(error) => return skipped(test, need, &error.to_string()),
    };
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => assert!(out.contains("1 passed"), "there is no test `{test}`: {out}"),
        // By a panic, or by a signal.
        Some(101) | None => panic!("inside:\n{out}\n{err}"),
        _ => skipped(test, need, &err),
    }
}

/// Says that a test did not run, and what it lacks.
pub(crate) fn skipped(test: &str, need: &str, why: &str) {
    assert!(
        env::var_os("TOOLRACK_REQUIRE_PEERS").is_none_or(|set| set != "1"),
        "`{test}` needs {need}: {why}"
    );
    // Straight to the stream, so that it is seen although the test passes.
    let _ = writeln!(std::io::stderr(), "skipped: `{test}` needs {need}: {}", why.trim());
}
