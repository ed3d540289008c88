//! Admission by path: who may put code here, before a byte of it is trusted.
//!
//! A library runs with the host's rights, so whoever can change its file, or a folder above it, has those rights
//! too. [`Admit::by_path`] asks that question of an *open* file and of every folder and link that leads to it, as
//! sshd does before it believes a key file, and then applies the operator's patterns.
//!
//! The rules are pure (`owner`, `patterns`); the system calls that feed them stand apart (`walk`, `mount`).

#[cfg(unix)]
mod accounts;
mod mount;
#[cfg(unix)]
mod owner;
mod patterns;
#[cfg(unix)]
mod quote;
#[cfg_attr(unix, path = "admit/walk.rs")]
#[cfg_attr(not(unix), path = "admit/walk_unchecked.rs")]
mod walk;

use std::fs::File;
use std::path::Path;

pub use mount::noexec;
#[cfg(unix)]
pub(crate) use owner::own_folder;
pub use walk::FolderChecks;

use crate::config::{Config, Trust};
use crate::{Code, Diagnosis};
use patterns::{Patterns, Ruling};

/// The operator's policy, ready to be asked.
#[derive(Debug)]
pub struct Admit {
    owners: walk::OwnerRule,
    patterns: Patterns,
}

impl Admit {
    /// What a build for this system does not check, one sentence each; for whoever reports on the setup.
    pub const UNCHECKED: &'static [&'static str] = walk::UNCHECKED;

    /// Compiles the policy under `[trust]`.
    ///
    /// # Errors
    /// A pattern that is none, or an owner whom the system does not know.
    pub fn new(trust: &Trust) -> Result<Self, Diagnosis> {
        Ok(Admit { owners: walk::OwnerRule::new(trust)?, patterns: Patterns::new(trust)? })
    }

    /// Decides about a file that is open, and was opened under `path`.
    ///
    /// `folders` remembers what was found out about folders; a scan makes a new one, so that nothing stale decides.
    ///
    /// # Errors
    /// T3007 if the file's file system is mounted noexec; T5001 if someone who is not trusted could change the file
    /// or what leads to it; T5002, T5003 by the patterns; T1006 if another file stands at `path` by now.
    pub fn by_path(&self, folders: &FolderChecks, file: &File, path: &Path) -> Result<(), Diagnosis> {
        if let Some(diagnosis) = noexec(file, path) {
            return Err(diagnosis);
        }
        let absolute = std::path::absolute(path)
            .map_err(|error| Diagnosis::new(Code::T1003, path, "has no absolute path").caused_by(error))?;
        let real = walk::check_file(&self.owners, folders, file, path, &absolute)?;
        self.rule(&[&absolute, &real], path)
    }

    /// Decides by the patterns alone about a file that will stand at `path`.
    ///
    /// # Errors
    /// T5002, T5003.
    pub fn by_name(&self, path: &Path) -> Result<(), Diagnosis> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = absolute.parent().and_then(|folder| folder.canonicalize().ok());
        match (folder, absolute.file_name()) {
            (Some(folder), Some(name)) => self.rule(&[&absolute, &folder.join(name)], path),
            _ => self.rule(&[&absolute], path),
        }
    }

    fn rule(&self, names: &[&Path], path: &Path) -> Result<(), Diagnosis> {
        match self.patterns.rule(names) {
            Ruling::Admitted => Ok(()),
            Ruling::Denied(pattern) => {
                Err(Diagnosis::new(Code::T5002, path, format!("matches the pattern `{pattern}` under `deny`"))
                    .help("take the pattern out of `deny` under `[trust]` in `toolrack.toml`; `deny` wins over `allow`"))
            }
            Ruling::NotAllowed => Err(Diagnosis::new(Code::T5003, path, "matches no pattern under `allow`").help(
                "add a pattern that covers it to `allow` under `[trust]` in `toolrack.toml`; with an empty list all are allowed",
            )),
        }
    }

    /// Decides about a folder that holds what is trusted later: the store.
    ///
    /// # Errors
    /// T5001, as for a file.
    pub(crate) fn folder(&self, folder: &Path) -> Result<(), Diagnosis> {
        walk::check_folder(&self.owners, &FolderChecks::new(), folder)
    }
}

/// Decides about a plugin by the name in its manifest.
///
/// # Errors
/// T5002 if the operator disabled it.
pub fn plugin_enabled(config: &Config, plugin: &str, path: &Path) -> Result<(), Diagnosis> {
    if config.plugins.get(plugin).is_none_or(|settings| settings.enabled) {
        return Ok(());
    }
    let section = crate::config::table_name(&["plugins", plugin]);
    Err(Diagnosis::new(Code::T5002, path, format!("the plugin `{plugin}` is disabled"))
        .help(format!("set `enabled = true` under `{section}` in `toolrack.toml`")))
}

#[cfg(all(test, unix))]
mod tests;
