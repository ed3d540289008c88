use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use super::add::dropped;
use super::ran::{Ran, codes, run, toolrack};
use crate::support::Home;

/// A package's folder with this manifest and library.
fn package(home: &Home, name: &str, manifest: &str, library: &str) -> PathBuf {
    let folder = home.path().join(name);
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), library).unwrap();
    folder
}

const CDYLIB: &str =
    "[package]\nname = \"small\"\nedition = \"2024\"\n[lib]\ncrate-type = [\"cdylib\"]\n[workspace]\n";

/// `toolrack add`, started by `cargo test` as by `cargo run`: with all that cargo sets, and offline.
fn add(home: &Home, folder: &Path) -> Command {
    let user = |variable: &str, below: &str| {
        std::env::var_os(variable).map_or_else(
            || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(below),
            PathBuf::from,
        )
    };
    let mut command = home.toolrack();
    command
        .env("CARGO_HOME", user("CARGO_HOME", ".cargo"))
        .env("RUSTUP_HOME", user("RUSTUP_HOME", ".rustup"))
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages"))
        .env("CARGO_NET_OFFLINE", "true")
        .env("RUSTUP_AUTO_INSTALL", "0")
        .env("CARGO_PKG_NAME", "toolrack-cli")
        .env("RUSTUP_TOOLCHAIN", std::env::var_os("RUSTUP_TOOLCHAIN").unwrap_or_else(|| "stable".into()))
        .args(["add", "--json", "--profile", "dev"])
        .arg(folder);
    command
}

/// It was rejected without a code, and nothing came into the folder.
#[track_caller]
fn rejected(home: &Home, folder: &Path, says: &str) -> Ran {
    let ran = run(&mut add(home, folder)).ended(1);
    let document = ran.json();
    assert_eq!(codes(&document["rejected"]), ["-"], "{ran:#?}");
    let text = document["rejected"][0].to_string();
    assert!(text.contains(says), "no `{says}` in {text}");
    assert_eq!(dropped(home), [""; 0]);
    ran
}

#[test]
fn a_plugin_of_ten_lines_is_built_dropped_in_and_called() {
    let home = Home::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = format!(
        "[package]\nname = \"ten_lines\"\nversion = \"1.2.3\"\nedition = \"2024\"\n\
         [lib]\ncrate-type = [\"cdylib\"]\n\
         [dependencies]\ntoolrack-plugin = {{ path = {:?} }}\n\
         [workspace]\n[profile.dev]\ndebug = false\n",
        root.join("plugin")
    );
    let source = "use toolrack_plugin::{export_tools, tool};\n\n\
                  /// Says hello.\n#[tool(read_only)]\nfn hello(name: String) -> String {\n    \
                  format!(\"hello {name}\")\n}\n\nexport_tools![hello];\n";
    let folder = package(&home, "ten_lines", &manifest, source);
    // The versions that are here already.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let document = run(&mut add(&home, &folder)).ended(0).json();
    assert_eq!(document["rejected"], json!([]));
    assert_eq!(document["added"][0]["plugin"], json!("ten_lines"));
    assert_eq!(document["added"][0]["version"], json!("1.2.3"));
    assert_eq!(document["added"][0]["tools"], json!(["hello"]));
    assert_eq!(toolrack(&home, ["call", "hello", r#"{"name":"you"}"#]).ended(0).stdout, "hello you\n");
}

#[test]
fn a_package_that_does_not_compile_has_cargos_words_and_one_diagnosis() {
    let home = Home::new();
    let folder = package(&home, "broken", CDYLIB, "fn broken( {\n");
    rejected(&home, &folder, "the package did not build").says(["src/lib.rs:1"]);
    // Its manifest stands for it.
    rejected(&home, &folder.join("Cargo.toml"), "the package did not build");
    let ran = run(add(&home, Path::new("Cargo.toml")).current_dir(&folder)).ended(1);
    assert!(ran.stdout.contains("the package did not build"), "{ran:#?}");
}

#[test]
fn a_package_without_a_dynamic_library_is_told_what_to_write() {
    let home = Home::new();
    let folder = package(&home, "plain", "[package]\nname = \"plain\"\n[workspace]\n", "");
    rejected(&home, &folder, "crate-type = [\\\"cdylib\\\"]");
}

#[test]
fn a_package_whose_library_is_no_plugin_is_told_what_is_missing() {
    let home = Home::new();
    let folder = package(&home, "stranger", &CDYLIB.replace("small", "stranger"), "");
    rejected(&home, &folder, "does not define `register_tools`");
}

#[test]
fn a_manifest_that_cargo_does_not_understand_is_told_in_cargos_words() {
    let home = Home::new();
    let folder = package(&home, "odd", "[package]\nname = 3\n", "");
    rejected(&home, &folder, "cargo does not understand the package");
}

#[test]
fn the_root_of_a_workspace_is_no_package() {
    let home = Home::new();
    let root = package(&home, "many", "[workspace]\nmembers = [\"one\"]\nresolver = \"3\"\n", "");
    package(&home, "many/one", &CDYLIB.replace("[workspace]\n", ""), "");
    rejected(&home, &root, "this is a workspace, not a package");
}

#[test]
fn a_folder_without_a_manifest_is_not_understood() {
    let home = Home::new();
    let ran = run(&mut add(&home, &home.tools())).ended(2);
    let diagnosis = ran.diagnosis();
    assert!(diagnosis["reason"].as_str().unwrap().contains("no Cargo.toml"), "{diagnosis}");
    assert!(diagnosis["help"].as_str().unwrap().contains("--tools"), "{diagnosis}");
}

#[test]
fn a_package_pinned_to_a_toolchain_that_is_not_here_is_told_so() {
    if !has_toolchain("nightly") {
        return;
    }
    let home = Home::new();
    let folder = package(&home, "pinned", CDYLIB, "");
    fs::write(folder.join("rust-toolchain.toml"), "[toolchain]\nchannel = \"1.60.0\"\n").unwrap();
    rejected(&home, &folder, "1.60.0");
}

#[test]
fn a_package_is_built_with_the_toolchain_it_is_pinned_to() {
    if !has_toolchain("nightly") {
        return;
    }
    let home = Home::new();
    // Only a nightly compiler takes this line.
    let folder = package(&home, "nightly", &CDYLIB.replace("small", "nightly"), "#![feature(never_type)]\n");
    fs::write(folder.join("rust-toolchain.toml"), "[toolchain]\nchannel = \"nightly\"\n").unwrap();
    rejected(&home, &folder, "does not define `register_tools`");
}

/// Whether rustup has a toolchain.
fn has_toolchain(name: &str) -> bool {
    let list = Command::new("rustup").args(["toolchain", "list"]).output();
    let has =
        list.is_ok_and(|list| String::from_utf8_lossy(&list.stdout).lines().any(|it| it.starts_with(name)));
    has || crate::support::need("rustup with a nightly toolchain", "rustup toolchain install nightly")
}

#[test]
fn without_cargo_in_path_it_is_told_what_to_install() {
    let home = Home::new();
    let folder = package(&home, "lonely", CDYLIB, "");
    let ran = run(add(&home, &folder).env("PATH", home.path())).ended(1);
    let document = ran.json();
    assert!(document["rejected"][0]["help"].as_str().unwrap().contains("install Rust"), "{document:#}");
}
