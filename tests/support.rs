//! What the tests share: built plugins, private folders, and the program with an environment of its own.

mod build;
mod home;
pub(crate) mod logs;
pub(crate) mod nested;
pub(crate) mod rack;

pub(crate) use build::{artifact, fixture, tool_library};
pub(crate) use home::Home;

/// Whether a program that a test needs is here. Absent, the test says so and passes; with
/// `TOOLRACK_REQUIRE_PEERS=1` it fails.
pub(crate) fn need(program: &str, install: &str) -> bool {
    let found = std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()));
    if !found {
        skip(&format!("`{program}` is not here; {install}"));
    }
    found
}

/// Says that a test, or a part of one, can not run here. With `TOOLRACK_REQUIRE_PEERS=1` that is a failure.
pub(crate) fn skip(why: &str) {
    assert!(std::env::var_os("TOOLRACK_REQUIRE_PEERS").is_none(), "{why}");
    // Past the capture: a skipped test must be seen.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("skipped: {why}\n").as_bytes());
}
