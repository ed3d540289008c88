//! Builds a plugin's package with cargo.

use std::ffi::OsString;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{CrateType, Message, MetadataCommand, Package};
use toolrack::Diagnosis;

/// Builds the package in `folder` alone and gives the path of its library.
///
/// # Errors
/// If it is no package, builds no dynamic library, or cargo fails; cargo's own words are on standard error.
pub(crate) fn build(folder: &Path, profile: &str) -> Result<PathBuf, Diagnosis> {
    let folder = folder
        .canonicalize()
        .map_err(|e| Diagnosis::uncoded(folder, "the package can not be read").caused_by(e))?;
    let package = find(&folder)?;
    let is_cdylib = package.targets.iter().any(|target| target.crate_types.contains(&CrateType::CDyLib));
    if !is_cdylib {
        return Err(Diagnosis::uncoded(&folder, "the package builds no dynamic library")
            .help("add `[lib]` with `crate-type = [\"cdylib\"]` to its Cargo.toml"));
    }
    run(&folder, &package, profile)
}

fn find(folder: &Path) -> Result<Package, Diagnosis> {
    let manifest = folder.join("Cargo.toml");
    let mut command = MetadataCommand::new();
    command.cargo_path("cargo").current_dir(folder).manifest_path(&manifest).no_deps();
    for name in inherited() {
        command.env_remove(name);
    }
    let metadata = command.exec().map_err(|e| {
        if matches!(&e, cargo_metadata::Error::Io(e) if e.kind() == io::ErrorKind::NotFound) {
            return no_cargo(folder, &e);
        }
        Diagnosis::uncoded(&manifest, "cargo does not understand the package")
            .caused_by(e)
            .help("`cargo metadata` in that folder says the same; mend it there")
    })?;
    let found = metadata.packages.into_iter().find(|package| package.manifest_path == manifest);
    found.ok_or_else(|| {
        Diagnosis::uncoded(folder, "this is a workspace, not a package")
            .help("name the folder of the plugin's own package in it")
    })
}

fn no_cargo(folder: &Path, e: &dyn std::fmt::Display) -> Diagnosis {
    Diagnosis::uncoded(folder, "cargo could not be run")
        .caused_by(e)
        .help("install Rust, and have cargo in PATH")
}

fn run(folder: &Path, package: &Package, profile: &str) -> Result<PathBuf, Diagnosis> {
    let mut command = Command::new("cargo");
    // In the package's folder, so that its toolchain file and configuration hold.
    command.current_dir(folder).args(["build", "--lib", "--message-format", "json-render-diagnostics"]);
    command.args(["--profile", profile]).arg("--manifest-path").arg(folder.join("Cargo.toml"));
    for name in inherited() {
        command.env_remove(name);
    }
    let failed = |e: &dyn std::fmt::Display| no_cargo(folder, e);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(|e| failed(&e))?;
    let mut library = None;
    if let Some(stdout) = child.stdout.take() {
        for message in Message::parse_stream(BufReader::new(stdout)) {
            let message = message.map_err(|e| failed(&e))?;
            if let Message::CompilerArtifact(artifact) = message
                && artifact.package_id == package.id
                && artifact.target.crate_types.contains(&CrateType::CDyLib)
            {
                library = artifact.filenames.into_iter().find(|file| is_library(file.as_std_path()));
            }
        }
    }
    let status = child.wait().map_err(|e| failed(&e))?;
    if !status.success() {
        return Err(Diagnosis::uncoded(folder, "the package did not build")
            .caused_by(format!("cargo ended with {status}; its own words are above"))
            .help("mend what cargo says, and add it again"));
    }
    library.map(cargo_metadata::camino::Utf8PathBuf::into_std_path_buf).ok_or_else(|| {
        Diagnosis::uncoded(folder, "cargo built the package, but no dynamic library")
            .help("this target may have none (a static musl target, say); build for one that does")
    })
}

fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
}

/// What cargo and rustup set in the environment of a program that they run, this one perhaps. It speaks of this
/// program's package and toolchain, not of the plugin's. Without cargo above, it is the user's own and stays.
fn inherited() -> Vec<OsString> {
    if std::env::var_os("CARGO_PKG_NAME").is_none() {
        return Vec::new();
    }
    let by_cargo = |name: &str| {
        matches!(
            name,
            "CARGO"
                | "CARGO_MANIFEST_DIR"
                | "CARGO_MANIFEST_PATH"
                | "CARGO_MANIFEST_LINKS"
                | "CARGO_CRATE_NAME"
                | "CARGO_BIN_NAME"
                | "CARGO_PRIMARY_PACKAGE"
                | "CARGO_TARGET_TMPDIR"
                | "CARGO_RUSTC_CURRENT_DIR"
                | "OUT_DIR"
                | "RUSTUP_TOOLCHAIN"
                | "RUST_RECURSION_COUNT"
        ) || name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_BIN_EXE_")
    };
    std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_str().is_some_and(by_cargo)).collect()
}
