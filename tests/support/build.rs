//! Builds what the tests load, once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

/// A library that cargo builds with the workspace, by its path below the folder of the profile.
pub(crate) fn artifact(path: &str) -> PathBuf {
    build();
    let path = profile_folder().join(path);
    assert!(path.is_file(), "{} is not built", path.display());
    path
}

/// A plugin of `tests/fixtures/examples`, or of `examples`.
pub(crate) fn fixture(name: &str) -> PathBuf {
    artifact(&format!("examples/{}", file_name(name)))
}

/// One of the tools that ship: `file`, `terminal`.
pub(crate) fn tool_library(name: &str) -> PathBuf {
    artifact(&file_name(&format!("toolrack_{name}")))
}

pub(super) fn file_name(name: &str) -> String {
    format!("{}{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// The folder that cargo put this test's own program into: `target/debug`, say.
pub(super) fn profile_folder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_toolrack")).parent().expect("a program lies in a folder")
}

/// `cargo test --workspace` has built all of it; `cargo test --test NAME` alone has not.
fn build() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "build",
            "--workspace",
            "--examples",
            "--lib",
            "--quiet",
        ]);
        if profile_folder().file_name().is_some_and(|name| name == "release") {
            cargo.arg("--release");
        }
        let status = cargo.status().expect("cargo runs");
        assert!(status.success(), "the plugins that the tests load do not build");
    });
}
