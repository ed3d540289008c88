use std::path::PathBuf;

use tempfile::TempDir;

use crate::error::{FileError, Kind};
use crate::halt::Halt;
use crate::read::memory::Memory;
use crate::read::{Page, ReadFile, read_file};
use crate::search::{Output, SearchFiles, Target, search_files};
use crate::workspace::Workspace;
use crate::write::write_file;

/// A root, a folder beside it that is out of bounds, and a spill folder.
pub(super) struct World {
    folder: TempDir,
    pub(super) memory: Memory,
}

impl World {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["root", "outside", "spill"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, memory: Memory::default() }
    }

    pub(super) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.put(name, content);
        self
    }

    pub(super) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(super) fn outside(&self) -> PathBuf {
        self.folder.path().join("outside")
    }

    pub(super) fn spill(&self) -> PathBuf {
        self.folder.path().join("spill")
    }

    pub(super) fn content(&self, name: &str) -> String {
        std::fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root().join(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(super) fn workspace(&self) -> Workspace {
        Workspace::open(&self.root(), Some(&self.spill())).unwrap()
    }

    pub(super) fn page(&self, path: &str, offset: u64, limit: u64) -> Result<Page, FileError> {
        read_file(&self.workspace(), &ReadFile { path, offset, limit }, &|| None)
    }

    /// Reads with the defaults.
    pub(super) fn read(&self, path: &str) -> String {
        self.page(path, 1, 500).unwrap().text
    }

    /// Reads as one task of one session, which remembers.
    pub(super) fn read_in_task(&self, task: &str, path: &str, offset: u64, limit: u64) -> String {
        self.memory.answer("session", task, self.page(path, offset, limit).unwrap())
    }

    pub(super) fn reading_fails(&self, path: &str) -> FileError {
        self.page(path, 1, 500).unwrap_err()
    }

    pub(super) fn write(&self, path: &str, content: &str) -> Result<String, FileError> {
        write_file(&self.workspace(), path, content)
    }

    pub(super) fn search(&self, request: &SearchFiles<'_>) -> String {
        self.try_search(request).unwrap()
    }

    pub(super) fn try_search(&self, request: &SearchFiles<'_>) -> Result<String, FileError> {
        search_files(&self.workspace(), request, &|| None)
    }
}

/// A search for a pattern with the defaults.
pub(super) fn search_for(pattern: &str) -> SearchFiles<'_> {
    SearchFiles {
        pattern,
        target: Target::Content,
        path: ".",
        file_glob: None,
        limit: 50,
        offset: 0,
        output_mode: Output::Content,
        context: 0,
    }
}

/// A search for names with the defaults.
pub(super) fn find(pattern: &str) -> SearchFiles<'_> {
    SearchFiles { target: Target::Files, ..search_for(pattern) }
}

/// Halts at the `count`th time it is asked.
pub(super) fn halt_after(count: u32, halt: Halt) -> impl Fn() -> Option<Halt> {
    let asked = std::cell::Cell::new(0);
    move || {
        asked.set(asked.get() + 1);
        (asked.get() >= count).then_some(halt)
    }
}

#[track_caller]
pub(super) fn assert_error(error: &FileError, kind: Kind, parts: &[&str]) {
    assert_eq!(error.kind, kind, "{error}");
    for part in parts {
        assert!(error.message.contains(part), "{part:?} is not in {error}");
    }
}

#[cfg(unix)]
pub(super) fn link(target: impl AsRef<std::path::Path>, link: impl AsRef<std::path::Path>) {
    std::os::unix::fs::symlink(target, link).unwrap();
}

#[cfg(unix)]
pub(super) fn make_fifo(path: impl AsRef<std::path::Path>) {
    assert!(std::process::Command::new("mkfifo").arg(path.as_ref()).status().unwrap().success());
}
