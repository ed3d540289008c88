//! Owner and mode on systems without them.
//!
//! Windows has access lists instead, and reading one takes calls outside safe Rust. They are not looked at: the
//! folder's own protection is the operator's to set, and `Admit::UNCHECKED` says so to whoever reports on the setup.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::config::Trust;
use crate::{Code, Diagnosis};

/// What this system's build does not check, one sentence each.
pub(super) const UNCHECKED: &[&str] = &[
    "who may write the tools folder and the files in it is not checked on this system: access lists are not read",
    "whether a folder's file system lets code run is not checked on this system",
];

/// Nothing to remember.
#[derive(Debug, Default)]
pub struct FolderChecks(());

impl FolderChecks {
    /// Nothing remembered.
    pub fn new() -> Self {
        FolderChecks(())
    }
}

/// No rule.
#[derive(Debug)]
pub(super) struct OwnerRule(());

impl OwnerRule {
    pub(super) fn new(trust: &Trust) -> Result<Self, Diagnosis> {
        if !trust.owners.is_empty() {
            log::warn!("`owners` under `[trust]` has no effect: this system's access lists are not read");
        }
        Ok(OwnerRule(()))
    }
}

/// The path without links, for the patterns.
pub(super) fn check_file(
    _: &OwnerRule,
    _: &FolderChecks,
    _: &File,
    path: &Path,
    absolute: &Path,
) -> Result<PathBuf, Diagnosis> {
    let real = fs::canonicalize(absolute).map_err(|error| {
        Diagnosis::new(Code::T1006, path, "went away while it was being checked").caused_by(error)
    })?;
    // `\\?\C:\x` is what Windows answers, and what nobody writes in a pattern.
    let plain =
        real.to_str().and_then(|text| text.strip_prefix(r"\\?\")).filter(|text| !text.starts_with("UNC"));
    Ok(plain.map_or(real.clone(), PathBuf::from))
}

pub(super) fn check_folder(_: &OwnerRule, _: &FolderChecks, _: &Path) -> Result<(), Diagnosis> {
    Ok(())
}
