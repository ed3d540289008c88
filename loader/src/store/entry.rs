//! One library's folder in the store: names, the mark, and walking all of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{BootId, Digest};
use crate::open::Identity;

/// Says when the copy was last hashed. Its name, like every one beside the copy, begins with a dot; a copy's does not.
pub(super) const VERIFIED: &str = ".verified";
/// Holds what is known about the copy.
pub(super) const FACTS: &str = ".facts.json";

/// A library in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredEntry {
    /// The hash of the bytes.
    pub digest: Digest,
    /// How many bytes the library has.
    pub len: u64,
    /// The copy.
    pub path: PathBuf,
    /// Bytes of the copy and of what stands beside it.
    pub disk_bytes: u64,
}

/// Every sound entry below the store's `bytes`, by hash. What is not an entry is passed over.
pub(super) fn all(bytes: &Path) -> io::Result<Vec<StoredEntry>> {
    let mut list = Vec::new();
    for length in fs::read_dir(bytes)? {
        let length = length?;
        let Some(len) = length.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Another process may take entries away while this one reads.
        for folder in fs::read_dir(length.path()).into_iter().flatten().flatten() {
            let digest = folder.file_name().to_str().and_then(|name| name.parse().ok());
            let (Some(digest), Some(path)) = (digest, library_in(&folder.path())) else { continue };
            let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let disk_bytes =
                files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum();
            list.push(StoredEntry { digest, len, path, disk_bytes });
        }
    }
    list.sort_by_key(|entry| entry.digest);
    Ok(list)
}

/// The copy in an entry's folder: the first name that does not begin with a dot.
pub(super) fn library_in(folder: &Path) -> Option<PathBuf> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|file| file.file_name());
    let name = names.filter(|name| !name.as_encoded_bytes().starts_with(b".")).min()?;
    Some(folder.join(name))
}

/// The mark of a copy that was hashed in this boot and looks like this.
pub(super) fn mark(boot: &BootId, identity: &Identity) -> String {
    let Identity { dev, ino, size, mtime_ns, ctime_ns } = identity;
    format!("{boot}\n{dev} {ino} {size} {mtime_ns} {ctime_ns}\n")
}

/// Whether the copy was hashed in this boot, and looks as it did then.
pub(super) fn is_marked(folder: &Path, mark: &str) -> bool {
    fs::read(folder.join(VERIFIED)).is_ok_and(|found| found == mark.as_bytes())
}

const LONGEST: usize = 80;

/// The file's own name as far as any file system takes it, so that a backtrace through the copy can be read.
pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let safe = |&byte: &u8| {
        if byte.is_ascii_alphanumeric() || b"._+-".contains(&byte) { char::from(byte) } else { '_' }
    };
    let mut safe: String = name.iter().map(safe).collect();
    if safe.len() > LONGEST {
        // The end tells that it is a library, and of which version.
        let end = safe.split_off(safe.len() - 20);
        safe.truncate(LONGEST - end.len());
        safe.push_str(&end);
    }
    // Windows has devices with such names, whatever follows a dot.
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4 && (stem.starts_with("com") || stem.starts_with("lpt")));
    if stem.is_empty() || device { format!("_{safe}") } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_a_name_that_can_be_read_and_that_every_file_system_takes() {
        for (name, kept) in [
            ("libfile.so", "libfile.so"),
            ("libfile.so.1.2.3", "libfile.so.1.2.3"),
            ("my tool's.dll", "my_tool_s.dll"),
            (".facts.json", "_.facts.json"),
            ("..", "_"),
            ("NUL.dll", "_NUL.dll"),
            ("com1.so", "_com1.so"),
            ("комп.so", "________.so"),
        ] {
            assert_eq!(file_name(&Path::new("/t").join(name)), kept, "{name}");
        }
        let long = file_name(Path::new(&format!("/t/{}.so.1", "x".repeat(250))));
        assert_eq!((long.len(), long.ends_with("x.so.1")), (LONGEST, true));
    }
}
