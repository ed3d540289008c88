//! What came of loading folders.

use std::path::{Path, PathBuf};

use crate::Code;
use crate::diagnosis::Diagnosis;

/// What loaded, and what was rejected: a folder never fails as a whole.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The plugins that are in the table, by path.
    pub loaded: Vec<LoadedPlugin>,
    /// What is not, or not wholly, by path.
    pub rejected: Vec<Diagnosis>,
    /// How many files were looked at.
    pub files: usize,
    /// How many of them are sound libraries that are no plugins.
    pub others: usize,
}

/// A plugin that is in the table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedPlugin {
    /// The file in the tools folder.
    pub path: PathBuf,
    /// The plugin's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// The version of toolrack-abi that it was built with.
    pub abi: [u16; 2],
    /// The compiler that built it.
    pub rustc: String,
    /// The names of its tools, also of those that are hidden, as it registered them.
    pub tools: Vec<String>,
}

/// How far loading is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// What is done at the moment.
    pub stage: Stage,
    /// How many files are done.
    pub done: usize,
    /// Of how many.
    pub total: usize,
    /// The file that is under way.
    pub path: &'a Path,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Looking whether it is a plugin, and storing its bytes.
    Look,
    /// Opening it and registering its tools.
    Load,
}

impl Report {
    pub(super) fn reject(&mut self, diagnosis: Diagnosis) {
        // A second copy of a library is nobody's fault.
        let level = if diagnosis.code == Some(Code::T1007) { log::Level::Info } else { log::Level::Warn };
        log::log!(level, "skipped {diagnosis}");
        self.rejected.push(diagnosis);
    }

    /// For what is in the log already.
    pub(super) fn reject_quietly(&mut self, diagnosis: Diagnosis) {
        self.rejected.push(diagnosis);
    }

    pub(super) fn sort(&mut self) {
        self.loaded.sort_by(|a, b| a.path.cmp(&b.path));
        self.rejected.sort_by(|a, b| (&a.path, a.code, &a.reason).cmp(&(&b.path, b.code, &b.reason)));
    }
}
