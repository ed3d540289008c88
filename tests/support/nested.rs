//! Packages outside the workspace: another panic strategy, another version of the contract.
//!
//! They are built by a cargo of their own, all into one target folder beside that of the profile: what they have in
//! common is built once, and what lies among the workspace's own libraries are the workspace's own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::build::{file_name, profile_folder};

/// A workspace that a test writes. What is as it should be stays untouched, so that cargo builds nothing anew.
pub(crate) struct Nested {
    root: PathBuf,
    /// The packages lie in a folder of the workspace's own name: cargo tells packages in a target folder apart by their
    /// path inside their workspace.
    name: String,
}

impl Nested {
    /// A workspace with these members; dependencies, lints and profiles are those of this one.
    pub(crate) fn new(name: &str, members: &[&str]) -> Self {
        let nested = Nested { root: nested_folder().join(name), name: name.to_owned() };
        let root = read(&source("Cargo.toml"));
        let (workspace, _) = root.split_once("\n[package]").expect("the root package stands at the end");
        let (_, rest) = workspace.split_once("\nresolver").expect("a resolver stands after the members");
        let members: Vec<String> = members.iter().map(|member| format!("{name}/{member}")).collect();
        let rest = rest.replace("path = \"", &format!("path = \"{name}/"));
        nested.write("Cargo.toml", &format!("[workspace]\nmembers = {members:?}\nresolver{rest}\n"));
        // As locked as this workspace is. Cargo takes out what is not needed there.
        nested.write("Cargo.lock", &read(&source("Cargo.lock")));
        nested
    }

    /// Writes a file of a package.
    pub(crate) fn file(&self, path: &str, text: &str) {
        self.write(&format!("{}/{path}", self.name), text);
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == text) {
            return;
        }
        std::fs::create_dir_all(path.parent().expect("a folder above")).expect("a folder");
        std::fs::write(path, text).expect("a file of a nested package");
    }

    /// Writes a package that is one file, with these lines under `[dependencies]`.
    pub(crate) fn package(&self, name: &str, kind: &str, dependencies: &str, text: &str) {
        self.file(
            &format!("{name}/Cargo.toml"),
            &format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n{kind}\n\
                 path = \"main.rs\"\n\n[dependencies]\n{dependencies}\n{SAME_FEATURES}"
            ),
        );
        self.file(&format!("{name}/main.rs"), text);
    }

    /// Copies a package of this workspace, without its tests; `patch` may change a file's text.
    pub(crate) fn copy(&self, package: &str, patch: &dyn Fn(&str, String) -> String) {
        let mut folders = vec![source(package)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
                let path = entry.path();
                let relative = path.strip_prefix(source("")).expect("below the workspace");
                let relative = relative.to_str().expect("a plain name");
                let (_, name) = relative.split_once('/').expect("below the package");
                if path.is_dir() {
                    if !matches!(name, "tests" | "benches" | "examples") {
                        folders.push(path);
                    }
                    continue;
                }
                let text = read(&path);
                let text = if name == "Cargo.toml" { without_tests(&text) } else { text };
                self.file(relative, &patch(name, text));
            }
        }
    }

    /// Runs cargo; `rustc` goes to the compiler of the last package. Says how long it took.
    #[expect(clippy::print_stderr, reason = "how much of the tests' time it takes")]
    pub(crate) fn cargo(&self, command: &[&str], rustc: &[&str]) {
        let begin = Instant::now();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&self.root).args(command).args(["--quiet", "--offline", "--target-dir"]);
        cargo.arg(nested_folder().join("target"));
        if profile_folder().ends_with("release") {
            cargo.arg("--release");
        }
        let output = cargo.arg("--").args(rustc).output().expect("cargo runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?} in {}:\n{errors}", self.root.display());
        eprintln!("{command:?} in {}: {:?}", self.root.display(), begin.elapsed());
    }

    /// Builds the library of a package, with these arguments for the compiler.
    pub(crate) fn library(&self, package: &str, rustc: &[&str]) -> PathBuf {
        self.cargo(&["rustc", "--lib", "--package", package], rustc);
        built().join(file_name(&package.replace('-', "_")))
    }

    /// Builds the program of a package.
    pub(crate) fn program(&self, package: &str) -> PathBuf {
        self.cargo(&["rustc", "--bin", package, "--package", package], &[]);
        built().join(format!("{package}{}", std::env::consts::EXE_SUFFIX))
    }
}

/// What no nested package uses: with these, all of them have what they share with the same features, and cargo builds
/// it once. abi_stable alone takes longer than everything else.
const SAME_FEATURES: &str =
    "schemars.workspace = true\nserde.workspace = true\nserde_json.workspace = true\n";

/// A path in this workspace.
pub(crate) fn source(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A manifest's text without what only tests and benchmarks need, which are not copied.
fn without_tests(manifest: &str) -> String {
    let mut kept = String::new();
    let mut keeps = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            keeps = !["dev-dependencies", "[[test]]", "[[bench]]"].iter().any(|part| line.contains(part));
        }
        if keeps {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// `target/nested`, say.
fn nested_folder() -> PathBuf {
    profile_folder().with_file_name("nested")
}

/// Where cargo puts what it builds here: `target/nested/target/debug`, say.
fn built() -> PathBuf {
    nested_folder().join("target").join(profile_folder().file_name().expect("a profile has a name"))
}
