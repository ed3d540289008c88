//! One pass over an open file's bytes: hash, and copy.

use std::fs::{File, Metadata};
use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use super::Digest;

/// How an open file looked: which file it is, and when it last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    len: u64,
    /// Numbers that the system changes whenever the file does.
    stamp: [i128; 4],
}

impl Identity {
    /// Looks at an open file.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }

    /// How many bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The same as text on one line.
    pub(super) fn text(&self) -> String {
        let [a, b, c, d] = self.stamp;
        format!("{} {a} {b} {c} {d}", self.len)
    }
}

#[cfg(unix)]
impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;

        let moment =
            |seconds: i64, nanoseconds: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        Identity {
            len: metadata.len(),
            stamp: [
                metadata.dev().into(),
                metadata.ino().into(),
                moment(metadata.mtime(), metadata.mtime_nsec()),
                // Nobody can set this one back, unlike the time of the last change to the bytes.
                moment(metadata.ctime(), metadata.ctime_nsec()),
            ],
        }
    }
}

#[cfg(not(unix))]
impl From<&Metadata> for Identity {
    fn from(metadata: &Metadata) -> Self {
        use std::time::{SystemTime, UNIX_EPOCH};

        let moment = |time: io::Result<SystemTime>| -> i128 {
            let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            since.and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or_default()
        };
        Identity {
            len: metadata.len(),
            stamp: [moment(metadata.created()), moment(metadata.modified()), 0, 0],
        }
    }
}

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
    let unchanged = || match Identity::of(file) {
        Ok(now) if now == *seen => Ok(()),
        Ok(_) => Err(CopyError::Changed),
        Err(error) => Err(CopyError::Read(error)),
    };
    unchanged()?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; CHUNK.min(usize::try_from(seen.len).unwrap_or(CHUNK)).max(1)];
    let mut offset = 0;
    while offset < seen.len {
        let want = buffer.len().min(usize::try_from(seen.len - offset).unwrap_or(CHUNK));
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
