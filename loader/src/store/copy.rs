//! One pass over an open file's bytes: hash, and copy.

use std::fs::File;
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use super::Digest;
use crate::open::Identity;

/// Why the bytes did not all arrive.
#[derive(Debug)]
pub(super) enum CopyError {
    Read(io::Error),
    Write(io::Error),
    /// The file is no longer as it was seen.
    Changed,
}

/// Large enough that a system call weighs nothing, small enough to stay in a core's own cache.
const CHUNK: usize = 256 << 10;

/// Hashes the file's bytes.
pub(super) fn hash(file: &File, seen: &Identity) -> Result<Digest, CopyError> {
    pass(file, seen, |_| Ok(()))
}

/// Hashes the file's bytes and writes the very same ones.
pub(super) fn copy(file: &File, seen: &Identity, mut to: &File) -> Result<Digest, CopyError> {
    pass(file, seen, |bytes| to.write_all(bytes))
}

pub(super) fn pass(
    file: &File,
    seen: &Identity,
    mut sink: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<Digest, CopyError> {
    let unchanged = || match file.metadata() {
        Ok(now) if Identity::of(&now) == *seen => Ok(()),
        Ok(_) => Err(CopyError::Changed),
        Err(error) => Err(CopyError::Read(error)),
    };
    unchanged()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; CHUNK.min(usize::try_from(seen.size).unwrap_or(CHUNK)).max(1)];
    let mut offset = 0;
    while offset < seen.size {
        let want = buffer.len().min(usize::try_from(seen.size - offset).unwrap_or(CHUNK));
        let bytes = match read_at(file, &mut buffer[..want], offset) {
            Ok(0) => return Err(CopyError::Changed),
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyError::Read(error)),
        };
        hasher.update(bytes);
        sink(bytes).map_err(CopyError::Write)?;
        offset += bytes.len() as u64;
    }
    unchanged()?;
    Ok(Digest::from_bytes(hasher.finalize().into()))
}

/// Reads without a cursor: the descriptor may be shared.
#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
