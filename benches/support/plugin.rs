//! The plugin that is called and opened, and many that differ in their names alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolrack::{Config, Directories, LoaderSettings};

/// What stands for the plugin's number in its bytes.
const NAME: &[u8] = b"bench000";

/// The name of the tool of the plugin as it is built.
pub(crate) const TOOL: &str = "bench000_echo";

/// Builds the plugin, in the profile that the benches are built in.
pub(crate) fn build() -> PathBuf {
    let program = std::env::current_exe().expect("this program has a path");
    let profile = program.ancestors().nth(2).expect("cargo puts a bench into `PROFILE/deps`");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args([
        "build",
        "--quiet",
        "--package",
        "toolrack-bench-plugin",
    ]);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(cargo.status().expect("cargo runs").success(), "the plugin of the benches does not build");
    let (prefix, suffix) = (std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    profile.join(format!("{prefix}bench000{suffix}"))
}

/// Writes `count` plugins into `folder`: the same library with other names for plugin and tool, each of a length of
/// its own, as plugins are.
pub(crate) fn write_distinct(library: &Path, folder: &Path, count: usize) -> Vec<PathBuf> {
    let bytes = fs::read(library).expect("the plugin can be read");
    let places: Vec<usize> =
        bytes.windows(NAME.len()).enumerate().filter(|(_, at)| *at == NAME).map(|(at, _)| at).collect();
    assert!(count <= 1000 && !places.is_empty(), "three digits, and a name to put them into");
    let write = |number: usize| {
        let name = format!("bench{number:03}");
        let mut bytes = bytes.clone();
        for at in &places {
            bytes[*at..at + NAME.len()].copy_from_slice(name.as_bytes());
        }
        bytes.resize(bytes.len() + 8 * number, 0);
        let path = folder.join(format!("lib{name}{}", std::env::consts::DLL_SUFFIX));
        fs::write(&path, bytes).expect("a plugin can be written");
        path
    };
    (0..count).map(write).collect()
}

/// How a loader is set up whose store is `home/store`.
pub(crate) fn settings(home: &Path) -> LoaderSettings {
    LoaderSettings {
        config: Config::default(),
        store: home.join("store"),
        directories: Directories { data: home.join("data"), spill: home.join("spill") },
    }
}
