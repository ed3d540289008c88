//! Finds the files of a folder that have a library's name. Opens none of them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use crate::open::{self, Limits};
use crate::{Code, Diagnosis, escaped};

/// A file with a library's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its path below the folder as it was given.
    pub path: PathBuf,
    /// The place of its folder among those scanned; the first wins where two files claim the same.
    pub root: usize,
}

/// What the folders hold. The same folders give the same answer, whatever order the system lists them in.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// Files to look into: in the order of the folders, in each by path.
    pub candidates: Vec<Candidate>,
    /// What has a library's name and is none, and folders that can not be read.
    pub rejected: Vec<Diagnosis>,
    /// Folders to scan that are not there, or are no folders: one diagnosis each, without a code. Whether that matters
    /// depends on who named them.
    pub missing: Vec<Diagnosis>,
}

/// Lists the libraries in `roots` and the folders below, as deep as `limits` says. Links to files are followed, links
/// to folders are not.
///
/// A file that is reached twice is two candidates: whether two files are the same is a question of their bytes. Only a
/// folder that is *named* twice is scanned once.
pub fn scan<P: AsRef<Path>>(roots: &[P], limits: &Limits) -> Scan {
    let mut scan = Scan::default();
    let mut seen: Vec<PathBuf> = Vec::new();
    for (index, root) in roots.iter().enumerate() {
        let root = root.as_ref();
        match std::fs::canonicalize(root) {
            Ok(real) if seen.contains(&real) => continue,
            Ok(real) => seen.push(real),
            Err(_) => {}
        }
        match std::fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => scan.folder(index, root, limits),
            Ok(_) => scan.missing.push(
                Diagnosis::uncoded(root, "it is no folder").help("name the folder that holds the libraries"),
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => scan.missing.push(
                Diagnosis::uncoded(root, "the folder does not exist")
                    .help("make the folder, or name another"),
            ),
            Err(error) => scan.rejected.push(open::unreachable_file(root, error)),
        }
    }
    scan
}

impl Scan {
    fn folder(&mut self, root: usize, path: &Path, limits: &Limits) {
        let mut walk = WalkDir::new(path)
            .follow_links(false)
            .max_depth(limits.max_depth)
            .sort_by(|a, b| a.file_name().cmp(b.file_name()))
            .into_iter();
        while let Some(entry) = walk.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.unreadable(path, &error);
                    continue;
                }
            };
            if entry.depth() == 0 {
                continue;
            }
            let is_folder = entry.file_type().is_dir();
            if !is_library_name(entry.file_name()) {
                if is_folder && entry.depth() == limits.max_depth {
                    log::debug!("`{}` lies too deep to be scanned", escaped(entry.path()));
                }
                continue;
            }
            if is_folder {
                walk.skip_current_dir();
            }
            match regular(&entry) {
                Ok(true) => self.candidates.push(Candidate { path: entry.into_path(), root }),
                // Gone between the folder's list and this look: as if it had never been there.
                Ok(false) => {}
                Err(diagnosis) => self.rejected.push(diagnosis),
            }
        }
    }

    fn unreadable(&mut self, root: &Path, error: &walkdir::Error) {
        let path = error.path().unwrap_or(root);
        let cause = error.io_error();
        if error.depth() > 0 && cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound) {
            return;
        }
        let diagnosis = Diagnosis::new(Code::T1003, path, "the folder can not be read")
            .help("let the user who runs toolrack read it and enter it: `chmod u+rx`");
        self.rejected.push(match cause {
            Some(cause) => diagnosis.caused_by(cause),
            None => diagnosis.caused_by(error),
        });
    }
}

/// Is it a regular file, or a link to one? Nothing is opened.
fn regular(entry: &DirEntry) -> Result<bool, Diagnosis> {
    let path = entry.path();
    let kind = entry.file_type();
    if kind.is_file() {
        return Ok(true);
    }
    if !kind.is_symlink() {
        return Err(open::not_regular(path, open::kind(kind)));
    }
    match std::fs::metadata(path) {
        Ok(target) if target.is_file() => Ok(true),
        Ok(target) => Err(open::not_regular(path, &format!("a link to {}", open::kind(target.file_type())))),
        Err(_) if path.symlink_metadata().is_err() => Ok(false),
        Err(error) => Err(open::unreachable_file(path, error)),
    }
}

/// Whether `name` is a library's on any system: `x.so`, `x.dylib`, `x.dll` in any case, and `x.so.1.2.3`.
pub fn is_library_name(name: &OsStr) -> bool {
    let mut name = name.as_encoded_bytes();
    // Version numbers stand behind `.so` only.
    let mut numbered = false;
    while let Some(dot) = name.iter().rposition(|byte| *byte == b'.') {
        let last = &name[dot + 1..];
        if last.is_empty() || !last.iter().all(u8::is_ascii_digit) {
            break;
        }
        name = &name[..dot];
        numbered = true;
    }
    let ends =
        |end: &[u8]| name.len() > end.len() && name[name.len() - end.len()..].eq_ignore_ascii_case(end);
    ends(b".so") || (!numbered && (ends(b".dylib") || ends(b".dll")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_librarys_name_ends_as_on_any_system_in_any_case() {
        for yes in ["a.so", "a.SO", "a.so.1", "a.So.1.22.3", "a.dylib", "a.DLL", "a b.so", "a.b.so"] {
            assert!(is_library_name(OsStr::new(yes)), "{yes}");
        }
        for no in [
            "a",
            "so",
            ".so",
            "a.so.",
            "a.so.x",
            "a.so.1x",
            "a.so.1..2",
            "a.dll.1",
            "a.so.1.d",
            "a.1",
            "a.rlib",
        ] {
            assert!(!is_library_name(OsStr::new(no)), "{no}");
        }
    }
}
