//! Files that are being written, out of sight until they are whole.
//!
//! A writer holds a lock on its file. So a file that can be locked has no writer any more: its process died, whatever
//! its number, in this container or another.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

use super::private;

/// A file under a name that nobody looks for; it goes away when it is dropped.
#[derive(Debug)]
pub(super) struct Temp {
    path: PathBuf,
    file: File,
    kept: Kept,
}

#[derive(Debug, PartialEq, Eq)]
enum Kept {
    No,
    Yes,
}

impl Temp {
    /// Makes one in the folder for them.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        loop {
            // The standard library seeds each of these at random.
            let path = folder.join(format!("{:016x}", RandomState::new().hash_one(process::id())));
            let file = match private::create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            // Between making and locking it, another process may have taken it for a dead one's.
            if claim(&file) && fs::symlink_metadata(&path).is_ok() {
                return Ok(Temp { path, file, kept: Kept::No });
            }
        }
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it the name under which it is looked for; gives back the open file.
    pub(super) fn keep_as(mut self, target: &Path) -> io::Result<File> {
        let file = self.file.try_clone()?;
        fs::rename(&self.path, target)?;
        self.kept = Kept::Yes;
        Ok(file)
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if self.kept == Kept::No {
            // A failure leaves a file that the next sweep takes away.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Writes a small file, whole or not at all.
pub(super) fn write(temps: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let temp = Temp::new(temps)?;
    let mut file = temp.file();
    file.write_all(bytes)?;
    temp.keep_as(target).map(drop)
}

/// Takes away what processes left that died while they wrote.
pub(super) fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if let Some(_held) = abandoned(&path) {
            let removed = fs::remove_file(&path);
            log::debug!("a half-written file of a dead process, `{}`: {removed:?}", crate::escaped(&path));
        }
    }
}

/// Takes the lock of a file's writer; says whether it could be had. Where there are no locks, nobody sweeps.
#[cfg(unix)]
fn claim(file: &File) -> bool {
    use rustix::fs::{FlockOperation, flock};

    flock(file, FlockOperation::NonBlockingLockExclusive) != Err(rustix::io::Errno::WOULDBLOCK)
}

/// The open file of a dead writer, locked.
#[cfg(unix)]
fn abandoned(path: &Path) -> Option<File> {
    use rustix::fs::{FlockOperation, flock};

    let file = private::open_regular(path).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok().then_some(file)
}

/// On Windows the writer's open handle is the lock.
#[cfg(windows)]
fn claim(_: &File) -> bool {
    true
}

/// Opens only if nobody else has it open; removing it then only marks it, until this handle closes.
#[cfg(windows)]
fn abandoned(path: &Path) -> Option<File> {
    use std::os::windows::fs::OpenOptionsExt;

    const FILE_SHARE_DELETE: u32 = 4;
    fs::OpenOptions::new().read(true).share_mode(FILE_SHARE_DELETE).open(path).ok()
}
