//! The private copies that are loaded.
//!
//! A file in a tools folder may be replaced, overwritten or cut short at any moment, and the system loader keeps its
//! own idea of which path is which library. So the bytes of an admitted file go once, hashed, into a folder of this
//! user alone, under a path that no other bytes ever had; check and load then speak of that copy.
//!
//! ```text
//! store/bytes/<length>/<sha256>/<name>        the copy, read-only
//!                              /.verified     the boot in which the copy was last hashed, and how it looked then
//!                              /.facts.json   what is known about it
//! store/seen/<device>-<file>                  which bytes a file in a tools folder had, and how it looked then
//! store/tmp/                                  what is being written
//! ```
//!
//! A file that looks as it did when it was last hashed is not read again. For any other one, the length stands in the
//! path, so that one look tells whether the same bytes *may* be there: then they are hashed without being written.

mod boot;
mod copy;
mod digest;
mod entry;
mod private;
mod seen;
mod temp;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use boot::BootId;
pub use digest::Digest;
pub use entry::StoredEntry;

use crate::admit::{Admit, noexec};
use crate::escape::escaped;
use crate::open::Identity;
use crate::{Code, Diagnosis};
use copy::CopyError;
use temp::Temp;

/// A folder of copies, each under its own bytes' name.
///
/// Any number of processes may use one folder at once.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    boot: BootId,
}

/// A library whose bytes are in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stored {
    /// The hash of the bytes.
    pub digest: Digest,
    /// How many bytes.
    pub len: u64,
    /// The copy; absolute, without links.
    pub path: PathBuf,
    /// Whether this made the copy.
    pub novelty: Novelty,
}

/// Whether bytes were in the store already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// They were copied now.
    New,
    /// They were there.
    Known,
}

/// What a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreSize {
    /// How many libraries.
    pub libraries: u64,
    /// Bytes of all files in it.
    pub bytes: u64,
}

impl Stored {
    /// Opens the copy for reading.
    ///
    /// # Errors
    /// T1003; somebody took it out of the store.
    pub fn open(&self) -> Result<File, Diagnosis> {
        private::open_regular(&self.path).map_err(|error| {
            Diagnosis::new(Code::T1003, &self.path, "the copy in the store is gone").caused_by(error)
        })
    }
}

impl Store {
    /// Opens a store, and makes it if it is not there; takes away what dead processes left half-written.
    ///
    /// # Errors
    /// T5001 if the folder is another user's, or others could write it or change what leads to it; T3007 if its file
    /// system is mounted noexec; T6014 if it cannot be made. The diagnosis is of the store.
    pub fn open(path: &Path, boot: BootId, admit: &Admit) -> Result<Self, Diagnosis> {
        let cannot = |error: io::Error| refused(path, path, &error);
        private::make_root(path).map_err(cannot)?;
        let root = fs::canonicalize(path).map_err(cannot)?;
        private::refuse_foreign(&root)?;
        admit.folder(&root).map_err(|diagnosis| elsewhere(diagnosis, path))?;
        if let Some(diagnosis) = private::open_folder(&root).ok().and_then(|folder| noexec(&folder, path)) {
            let reason = "the store's file system is mounted noexec, so no library can be loaded from it";
            return Err(elsewhere(Diagnosis { reason: reason.to_owned(), help: None, ..diagnosis }, path));
        }
        let store = Store { root, boot };
        for folder in [store.temps(), store.bytes(), store.seen()] {
            private::make(&folder).map_err(cannot)?;
        }
        temp::sweep(&store.temps());
        Ok(store)
    }

    /// The store's folder, absolute and without links.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Puts the bytes of an open file into the store; `path` is where it was found, for messages and the copy's name.
    ///
    /// # Errors
    /// T1003 if it cannot be read, T1006 if it changed meanwhile, T6014 if the store is full or read-only. Whatever
    /// the error, nothing half-written can be seen.
    pub fn put(&self, file: &File, path: &Path) -> Result<Stored, Diagnosis> {
        let seen = file.metadata().map_err(|error| unreadable(path, error))?;
        self.put_as(file, path, &Identity::of(&seen))
    }

    /// Puts the bytes of a file that must still be as it was `seen`.
    ///
    /// # Errors
    /// As [`Store::put`].
    pub fn put_as(&self, file: &File, path: &Path, seen: &Identity) -> Result<Stored, Diagnosis> {
        let told = |error: CopyError| match error {
            CopyError::Read(error) => unreadable(path, error),
            CopyError::Write(error) => refused(path, &self.root, &error),
            CopyError::Changed => Diagnosis::new(Code::T1006, path, "changed while it was being read").help(
                "replace a library by a rename, not by writing into it; the next scan looks at it again",
            ),
        };
        let known = seen::digest(&self.seen(), seen).and_then(|digest| self.find(digest, seen.size));
        if let Some(stored) = known {
            return Ok(stored);
        }
        let began = SystemTime::now();
        if self.of_length(seen.size).exists() {
            let digest = copy::hash(file, seen).map_err(told)?;
            self.note_seen(seen, digest, began);
            if let Some(stored) = self.find(digest, seen.size) {
                return Ok(stored);
            }
        }
        private::within_limit(seen.size).map_err(|error| told(CopyError::Write(error)))?;
        let temp = Temp::new(&self.temps()).map_err(|error| told(CopyError::Write(error)))?;
        let digest = copy::copy(file, seen, temp.file()).map_err(told)?;
        self.note_seen(seen, digest, began);
        self.keep(digest, seen.size, temp, path).map_err(|error| told(CopyError::Write(error)))
    }

    /// The copy of these bytes, if it is there and sound.
    ///
    /// It is hashed again if that did not happen since the last boot, or if its file looks otherwise than it did
    /// then: copies are not synced to the disk, so a power failure can leave one without its bytes.
    pub fn find(&self, digest: Digest, len: u64) -> Option<Stored> {
        let folder = self.entry(digest, len);
        let path = entry::library_in(&folder)?;
        let file = private::open_regular(&path).ok()?;
        let identity = Identity::of(&file.metadata().ok()?);
        let mark = entry::mark(&self.boot, &identity);
        if !entry::is_marked(&folder, &mark) {
            if identity.size != len || copy::hash(&file, &identity).ok() != Some(digest) {
                log::warn!("the stored copy `{}` was damaged, and is made again", escaped(&path));
                if let Err(error) = fs::remove_file(&path) {
                    log::warn!("the damaged copy `{}` cannot be removed: {error}", escaped(&path));
                }
                return None;
            }
            self.set_mark(&folder, &mark);
        }
        Some(Stored { digest, len, path, novelty: Novelty::Known })
    }

    /// Every library in the store, by hash.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn list(&self) -> Result<Vec<StoredEntry>, Diagnosis> {
        entry::all(&self.bytes())
            .map_err(|error| Diagnosis::uncoded(&self.root, "the store cannot be read").caused_by(error))
    }

    /// How much the store holds.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn size(&self) -> Result<StoreSize, Diagnosis> {
        let list = self.list()?;
        let bytes = list.iter().map(|entry| entry.disk_bytes).sum();
        Ok(StoreSize { libraries: list.len() as u64, bytes })
    }

    /// The file beside the bytes that holds what is known about them.
    pub(crate) fn facts_path(&self, digest: Digest, len: u64) -> PathBuf {
        self.entry(digest, len).join(entry::FACTS)
    }

    /// Writes a small file into an entry, whole or not at all.
    pub(crate) fn write_beside(&self, path: &Path, bytes: &[u8]) -> Result<(), Diagnosis> {
        temp::write(&self.temps(), path, bytes).map_err(|error| refused(path, &self.root, &error))
    }

    /// Moves a finished copy to its place. If another process was faster, its copy is as good.
    fn keep(&self, digest: Digest, len: u64, temp: Temp, path: &Path) -> io::Result<Stored> {
        if let Some(stored) = self.find(digest, len) {
            return Ok(stored);
        }
        let folder = self.entry(digest, len);
        private::make(&self.of_length(len))?;
        private::make(&folder)?;
        let target = folder.join(entry::file_name(path));
        private::make_read_only(temp.file())?;
        let file = temp.keep_as(&target)?;
        // The rename itself changes how the file looks, so it is looked at afterwards.
        self.set_mark(&folder, &entry::mark(&self.boot, &Identity::of(&file.metadata()?)));
        Ok(Stored { digest, len, path: target, novelty: Novelty::New })
    }

    /// Without the mark a copy is hashed at its next use: slower, not wrong.
    fn set_mark(&self, folder: &Path, mark: &str) {
        if let Err(error) = temp::write(&self.temps(), &folder.join(entry::VERIFIED), mark.as_bytes()) {
            log::debug!("`{}` cannot be marked as verified: {error}", escaped(folder));
        }
    }

    /// Without the note the file is hashed at its next use: slower, not wrong.
    fn note_seen(&self, seen: &Identity, digest: Digest, began: SystemTime) {
        if let Err(error) = seen::note(&self.seen(), &self.temps(), seen, digest, began) {
            log::debug!("the hash of a file cannot be noted in `{}`: {error}", escaped(&self.root));
        }
    }

    fn seen(&self) -> PathBuf {
        self.root.join("seen")
    }

    fn temps(&self) -> PathBuf {
        self.root.join("tmp")
    }

    fn bytes(&self) -> PathBuf {
        self.root.join("bytes")
    }

    fn of_length(&self, len: u64) -> PathBuf {
        self.bytes().join(len.to_string())
    }

    fn entry(&self, digest: Digest, len: u64) -> PathBuf {
        self.of_length(len).join(digest.to_string())
    }
}

fn unreadable(path: &Path, error: io::Error) -> Diagnosis {
    Diagnosis::new(Code::T1003, path, "cannot be read").caused_by(error)
}

/// T6014: the store did not take it.
fn refused(path: &Path, store: &Path, error: &io::Error) -> Diagnosis {
    use io::ErrorKind::{
        FileTooLarge, NotADirectory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
    };
    let name = escaped(store).to_string();
    let (reason, help) = match error.kind() {
        StorageFull => (format!("the file system of the store `{name}` is full"), "free space there"),
        QuotaExceeded => (format!("the quota for the store `{name}` is used up"), "free space there"),
        FileTooLarge => (
            format!("a limit on the size of files stops the store `{name}`"),
            "raise the limit (`ulimit -f`)",
        ),
        ReadOnlyFilesystem => {
            (format!("the store `{name}` is on a read-only file system"), "remount it writable")
        }
        PermissionDenied => {
            (format!("the store `{name}` may not be written by this user"), "mend its owner and mode")
        }
        NotADirectory => {
            (format!("the store `{name}` is not a folder, or one above it is not"), "move that file away")
        }
        _ => (format!("the store `{name}` did not take it"), "see to the cause"),
    };
    elsewhere(Diagnosis::new(Code::T6014, path, reason).caused_by(error).help(help), store)
}

/// Adds the way out that always exists.
fn elsewhere(diagnosis: Diagnosis, store: &Path) -> Diagnosis {
    let way_out = format!(
        "name another folder than `{}`: `path` under `[store]` in `toolrack.toml`, or `XDG_CACHE_HOME`",
        escaped(store)
    );
    let help = diagnosis.help.as_ref().map_or(way_out.clone(), |help| format!("{way_out}; or {help}"));
    diagnosis.help(help)
}

#[cfg(all(test, unix))]
mod tests;
