//! A rejection, as data.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;

use crate::Code;
use crate::escape::{escaped, path_bytes_hex};

/// Why a file is not in the table, or a plugin not in order: what failed, why, and what to do next.
///
/// Its text has one line a level:
///
/// ```text
/// T2007 for another machine: `/tools/libx.so` is built for aarch64, this host is x86_64
///   caused by: …
///   help: build the plugin on or for this machine
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The stable code; nothing if none fits.
    pub code: Option<Code>,
    /// The file, or whatever else the diagnosis is of.
    pub path: PathBuf,
    /// Why, in one line.
    pub reason: String,
    /// The cause below it, as another program or library put it.
    pub detail: Option<String>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnosis {
    /// A diagnosis with its reason, and nothing more yet.
    pub fn new(code: Code, path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Diagnosis { code: Some(code), path: path.into(), reason: reason.into(), detail: None, help: None }
    }

    /// A diagnosis for which there is no code: of a configuration, a folder, a request.
    pub fn uncoded(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Diagnosis { code: None, path: path.into(), reason: reason.into(), detail: None, help: None }
    }

    /// Adds the cause.
    #[must_use]
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.detail = Some(cause.to_string());
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(code) = self.code {
            write!(f, "{code} {}: ", code.title())?;
        }
        write!(f, "`{}`: {}", escaped(&self.path), self.reason)?;
        if let Some(detail) = &self.detail {
            write!(f, "\n  caused by: {}", detail.trim_end().replace('\n', "\n    "))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnosis {}

/// `{code, path, reason, detail, help}`; a path that is not UTF-8 is escaped, and `path_bytes` stands beside it.
impl serde::Serialize for Diagnosis {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code)?;
        map.serialize_entry("path", &escaped(&self.path).to_string())?;
        if let Some(bytes) = path_bytes_hex(&self.path) {
            map.serialize_entry("path_bytes", &bytes)?;
        }
        map.serialize_entry("reason", &self.reason)?;
        map.serialize_entry("detail", &self.detail)?;
        map.serialize_entry("help", &self.help)?;
        map.end()
    }
}
