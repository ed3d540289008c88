//! Records which compiler builds this package, for the stamp of every plugin that depends on it.

use std::process::Command;

fn main() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_default();
    let version = version.trim().trim_start_matches("rustc ");
    let version = if version.is_empty() { "unknown" } else { version };
    println!("cargo::rustc-env=TOOLRACK_RUSTC={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
