//! Files that large results go into.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the text into a new file that only this user may read; gives its path.
pub(super) fn write(folder: &Path, tool: &str, text: &str) -> io::Result<PathBuf> {
    make_private(folder)?;
    loop {
        // The standard library seeds each of these at random.
        let path =
            folder.join(format!("{tool}-{:016x}.txt", RandomState::new().hash_one(std::process::id())));
        let mut file = match create(&path) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            file => file?,
        };
        // Half a text would look like the whole.
        return match file.write_all(text.as_bytes()).and_then(|()| file.flush()) {
            Ok(()) => Ok(path),
            Err(e) => {
                let _ = std::fs::remove_file(&path);
                Err(e)
            }
        };
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.write(true).create_new(true).open(path)
}
