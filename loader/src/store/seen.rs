//! Which bytes a file had when it was last read whole, so that a start need not read and hash all of it again.
//!
//! It is a cache of hashes and no proof: whatever it says, what is loaded is the copy of those bytes in the store. The
//! worst that a file can do which changes and looks as before is that its earlier version goes on serving.
//!
//! One small file for each, under the numbers of device and file; a later state of the same file replaces it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Digest, temp};
use crate::open::Identity;

/// A file that was changed a moment ago may be changed again without a trace: the clocks of file systems tick in up
/// to two seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// The hash of the bytes, if the file looks as it did when they were hashed.
pub(super) fn digest(folder: &Path, seen: &Identity) -> Option<Digest> {
    let text = std::fs::read_to_string(place(folder, seen)?).ok()?;
    text.strip_prefix(state(seen).as_str())?.trim_end().parse().ok()
}

/// Notes the hash of a file's bytes. `began` is when reading them began.
///
/// # Errors
/// As the store's folder has them. Without the note the bytes are hashed again.
pub(super) fn note(
    folder: &Path,
    temps: &Path,
    seen: &Identity,
    digest: Digest,
    began: SystemTime,
) -> io::Result<()> {
    match place(folder, seen) {
        Some(place) if is_settled(seen, began) => {
            temp::write(temps, &place, format!("{}{digest}\n", state(seen)).as_bytes())
        }
        _ => Ok(()),
    }
}

/// Nothing where the system does not number its files.
fn place(folder: &Path, seen: &Identity) -> Option<PathBuf> {
    let Identity { dev, ino, .. } = seen;
    (*ino != 0).then(|| folder.join(format!("{dev:x}-{ino:x}")))
}

fn state(seen: &Identity) -> String {
    let Identity { size, mtime_ns, ctime_ns, .. } = seen;
    format!("{size} {mtime_ns} {ctime_ns} ")
}

fn is_settled(seen: &Identity, began: SystemTime) -> bool {
    let latest = seen.mtime_ns.max(seen.ctime_ns);
    let changed = u64::try_from(latest).ok().map(|latest| UNIX_EPOCH + Duration::from_nanos(latest));
    // A change in the future is a clock that was set; nothing follows from it.
    changed.is_some_and(|changed| began.duration_since(changed).is_ok_and(|since| since >= SETTLED))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn changed_at(mtime_ns: i64, ctime_ns: i64) -> Identity {
        Identity { dev: 1, ino: 2, size: 3, mtime_ns, ctime_ns }
    }

    #[test]
    fn only_a_file_that_rested_for_two_seconds_is_noted() {
        let now = UNIX_EPOCH + Duration::from_secs(100);
        for (mtime, ctime, settled) in [
            (0, 98 * SECOND, true),
            (0, 98 * SECOND + 1, false),
            (99 * SECOND, 0, false),
            (0, 101 * SECOND, false),
            (0, 0, true),
            (-1, -1, false),
        ] {
            assert_eq!(is_settled(&changed_at(mtime, ctime), now), settled, "{mtime} {ctime}");
        }
    }

    #[test]
    fn a_hash_is_found_again_until_anything_about_the_file_is_different() {
        let folder = tempfile::tempdir().expect("a folder");
        let (digest_of, now) = (Digest::of(b"abc"), UNIX_EPOCH + Duration::from_secs(100));
        let seen = changed_at(SECOND, 2 * SECOND);
        note(folder.path(), folder.path(), &seen, digest_of, now).expect("a note");
        assert_eq!(digest(folder.path(), &seen), Some(digest_of));
        for other in [
            Identity { dev: 9, ..seen },
            Identity { ino: 9, ..seen },
            Identity { size: 9, ..seen },
            Identity { mtime_ns: 9, ..seen },
            Identity { ctime_ns: 9, ..seen },
        ] {
            assert_eq!(digest(folder.path(), &other), None, "{other:?}");
        }
        let unnumbered = Identity { ino: 0, ..seen };
        note(folder.path(), folder.path(), &unnumbered, digest_of, now).expect("nothing to do");
        assert_eq!(digest(folder.path(), &unnumbered), None);
    }
}
