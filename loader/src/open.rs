//! Opens a file that anybody may have put there: it may be a pipe, a device, a link to nowhere.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::probe::ReadAt;
use crate::{Code, Diagnosis};

/// How much of a folder and of a file is taken on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest file, in bytes. 1 GiB unless set.
    pub max_file: u64,
    /// How many folders deep a scan goes; 1 is the files of the folder itself. 8 unless set.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_file: 1 << 30, max_depth: 8 }
    }
}

/// A regular file, open for reading. Everything that is decided about it is decided on this descriptor.
#[derive(Debug)]
pub struct Opened {
    /// The descriptor.
    pub file: File,
    /// What the descriptor said of itself when it was opened.
    pub metadata: Metadata,
    /// The file's identity, from `metadata`.
    pub identity: Identity,
    /// The path it was opened by.
    pub path: PathBuf,
}

/// What tells one state of one file from another, without a look inside: equal identities are *probably* equal bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// The device; 0 where the system does not say.
    pub dev: u64,
    /// The number of the file on its device; 0 where the system does not say.
    pub ino: u64,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change of the contents, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The time of the last change of anything, or where the system does not say, of its creation.
    pub ctime_ns: i64,
}

/// Opens the regular file at `path`; a link to one is followed. Never waits for a writer, and never opens a device.
///
/// # Errors
/// `T1001` for anything but a regular file, `T1002` for a link that leads nowhere, `T1003` if the system refuses,
/// `T1004` and `T1005` for its size.
pub fn regular(path: &Path, limits: &Limits) -> Result<Opened, Diagnosis> {
    // To open a device may already do something. This look is only for that: what counts is the descriptor's own.
    let before = std::fs::metadata(path).map_err(|error| unreachable_file(path, error))?;
    refuse_special(path, &before)?;
    let file = open(path).map_err(|error| unreachable_file(path, error))?;
    let metadata = file.metadata().map_err(|error| unreachable_file(path, error))?;
    refuse_special(path, &metadata)?;
    let identity = Identity::of(&metadata);
    if identity.size == 0 {
        return Err(Diagnosis::new(Code::T1004, path, "it is empty").help("copy the whole library here"));
    }
    if identity.size > limits.max_file {
        let reason = format!("{} bytes, {} is the most", identity.size, limits.max_file);
        return Err(
            Diagnosis::new(Code::T1005, path, reason).help("strip the library, or raise `load.max_file_mb`")
        );
    }
    Ok(Opened { file, metadata, identity, path: path.to_owned() })
}

impl Opened {
    /// Is the file still what it was when it was opened?
    ///
    /// # Errors
    /// `T1006` if it is not, `T1003` if the system does not say.
    pub fn unchanged(&self) -> Result<(), Diagnosis> {
        let now = self.file.metadata().map_err(|error| unreachable_file(&self.path, error))?;
        let (now, then) = (Identity::of(&now), self.identity);
        // Its links may come and go, which only ctime tells from a change; so the contents' own time decides.
        if (now.size, now.mtime_ns) == (then.size, then.mtime_ns) {
            return Ok(());
        }
        Err(Diagnosis::new(Code::T1006, &self.path, "it changed while it was read")
            .help("write the file under another name, then rename it"))
    }
}

impl ReadAt for Opened {
    /// The size it had when it was opened.
    fn size(&self) -> io::Result<u64> {
        Ok(self.identity.size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        ReadAt::read_at(&self.file, offset, buffer)
    }
}

impl Identity {
    /// The identity in a file's metadata.
    pub fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let ns = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000_000).saturating_add(ns);
            Identity {
                dev: metadata.dev(),
                ino: metadata.ino(),
                size: metadata.len(),
                mtime_ns: ns(metadata.mtime(), metadata.mtime_nsec()),
                ctime_ns: ns(metadata.ctime(), metadata.ctime_nsec()),
            }
        }
        #[cfg(not(unix))]
        {
            let ns = |time: io::Result<std::time::SystemTime>| {
                let since = time.ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
                since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or_default()
            };
            Identity {
                dev: 0,
                ino: 0,
                size: metadata.len(),
                mtime_ns: ns(metadata.modified()),
                ctime_ns: ns(metadata.created()),
            }
        }
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;
    // A pipe without a writer would make this wait; a terminal would become ours. Close-on-exec is std's habit.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn refuse_special(path: &Path, metadata: &Metadata) -> Result<(), Diagnosis> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(not_regular(path, kind(metadata.file_type())))
}

/// `T1001`, with what the file is instead.
pub(crate) fn not_regular(path: &Path, kind: &str) -> Diagnosis {
    Diagnosis::new(Code::T1001, path, format!("{kind}, not a regular file"))
        .help("remove it from the folder, or give it another name")
}

/// What a file is, in words.
pub(crate) fn kind(kind: std::fs::FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "something special"
}

/// The diagnosis of a file that the system does not open.
pub(crate) fn unreachable_file(path: &Path, error: io::Error) -> Diagnosis {
    let link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_symlink());
    if is_loop(&error) {
        return Diagnosis::new(Code::T1002, path, "a link that leads back to itself")
            .caused_by(error)
            .help("remove the link, or let it lead to a library");
    }
    if link && error.kind() == io::ErrorKind::NotFound {
        let target = std::fs::read_link(path).map(|target| format!(", `{}`", crate::escaped(&target)));
        let reason = format!("a link to a file that does not exist{}", target.unwrap_or_default());
        return Diagnosis::new(Code::T1002, path, reason)
            .help("remove the link, or let it lead to a library");
    }
    if is_no_device(&error) {
        return not_regular(path, "a socket or a device");
    }
    let help = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "let the user who runs toolrack read it: `chmod u+r`, or the folders above"
        }
        io::ErrorKind::NotFound => "look at the path: there is nothing there",
        _ => "look at the file, and at the disk",
    };
    Diagnosis::new(Code::T1003, path, "the system does not open it").caused_by(error).help(help)
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(windows)]
fn is_loop(error: &io::Error) -> bool {
    const ERROR_CANT_RESOLVE_FILENAME: i32 = 1921;
    error.raw_os_error() == Some(ERROR_CANT_RESOLVE_FILENAME)
}

#[cfg(not(any(unix, windows)))]
fn is_loop(_: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn is_no_device(error: &io::Error) -> bool {
    use rustix::io::Errno;
    [Errno::NXIO, Errno::NODEV].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(not(unix))]
fn is_no_device(_: &io::Error) -> bool {
    false
}
