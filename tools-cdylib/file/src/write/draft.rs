//! A new file that does not have its name yet.

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, File, Metadata, OpenOptions};

/// A file under a temporary name. It is removed again unless it is published.
pub(super) struct Draft<'a> {
    folder: &'a Dir,
    name: String,
    file: File,
    published: bool,
}

/// Who may read a draft while it is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Only its owner: it will take over the mode of the file that it replaces.
    Owner,
    /// Whoever may read a new file.
    AsUsual,
}

impl<'a> Draft<'a> {
    pub(super) fn create(folder: &'a Dir, readers: Readers) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            use cap_std::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        #[cfg(not(unix))]
        let _ = readers; // a new file inherits the rights of its folder
        loop {
            let name = unused_name();
            match folder.open_with(&name, &options) {
                Ok(file) => return Ok(Self { folder, name, file, published: false }),
                // Left behind by a process that had our number and was killed while it wrote.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Takes over mode and, if the system lets us, owner. `false` if the owner could not be kept.
    pub(super) fn take_over(&mut self, previous: &Metadata) -> io::Result<bool> {
        #[cfg(unix)]
        {
            use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
            let mine = self.file.metadata()?;
            let (owner, group) = (previous.uid(), previous.gid());
            let kept = (mine.uid(), mine.gid()) == (owner, group)
                || std::os::unix::fs::fchown(&self.file, Some(owner), Some(group)).is_ok();
            // After the owner, because changing it clears bits. "Runs as its owner" must not become "runs as us".
            let mode = if kept { previous.mode() & 0o7777 } else { previous.mode() & 0o777 };
            self.file.set_permissions(Permissions::from_mode(mode))?;
            Ok(kept)
        }
        #[cfg(not(unix))]
        {
            self.file.set_permissions(previous.permissions())?;
            Ok(true)
        }
    }

    /// Gives the file its name, in place of whatever had it. The text is on the disk before: a name that
    /// survives a power cut must not stand for an empty file. (The name itself may come to the disk later.)
    pub(super) fn publish(mut self, name: &Path) -> io::Result<()> {
        self.file.sync_all()?;
        self.folder.rename(&self.name, self.folder, name)?;
        self.published = true;
        Ok(())
    }
}

impl Write for Draft<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.published {
            // Nobody is left to tell if this fails too.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

/// Short whatever the target's name is, and hidden.
fn unused_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(".toolrack-{:x}-{:x}.tmp", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
