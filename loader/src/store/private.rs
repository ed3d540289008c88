//! Folders and files that are this user's alone.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

#[cfg(unix)]
use crate::admit::own_folder;
use crate::{Code, Diagnosis};

/// Makes the store's folder, and those above it, if they are not there.
pub(super) fn make_root(path: &Path) -> io::Result<()> {
    builder().recursive(true).create(path)
}

/// Makes a folder within the store; one that is there must be a real one, and this user's.
pub(super) fn make(path: &Path) -> io::Result<()> {
    match builder().create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() && foreign(path, &metadata).is_none() {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!("`{}` is not a private folder", crate::escaped(path)),
    ))
}

/// T5001 if the store is another user's, or others may write it.
pub(super) fn refuse_foreign(root: &Path) -> Result<(), Diagnosis> {
    let metadata = fs::symlink_metadata(root).map_err(|error| {
        Diagnosis::new(Code::T6014, root, "the store cannot be looked at").caused_by(error)
    })?;
    match foreign(root, &metadata) {
        None => Ok(()),
        Some((reason, help)) => {
            Err(super::elsewhere(Diagnosis::new(Code::T5001, root, reason).help(help), root))
        }
    }
}

#[cfg(unix)]
fn foreign(path: &Path, metadata: &fs::Metadata) -> Option<(String, String)> {
    use std::os::unix::fs::MetadataExt;

    let me = rustix::process::geteuid().as_raw();
    own_folder(path, metadata.uid(), metadata.mode(), me)
        .map(|finding| (finding.reason, format!("run: {}", finding.mend)))
}

/// Windows gives a user's cache folder an access list of that user; it is not read.
#[cfg(not(unix))]
fn foreign(_: &Path, _: &fs::Metadata) -> Option<(String, String)> {
    None
}

/// Opens a file that is none but a regular one; a link in its place is an error, and a pipe does not block.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let file = without_links(OpenOptions::new().read(true)).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// Opens a folder, to ask about its file system.
#[cfg(unix)]
pub(super) fn open_folder(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Windows opens no folder as a file, and has nothing to ask.
#[cfg(not(unix))]
pub(super) fn open_folder(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes a file that was not there; only this user may read it.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    without_links(options.read(true).write(true).create_new(true)).open(path)
}

/// Whether this process may write a file of this length. To try would not fail but end the process, by a signal.
#[cfg(unix)]
pub(super) fn within_limit(len: u64) -> io::Result<()> {
    use rustix::process::{Resource, getrlimit};

    match getrlimit(Resource::Fsize).current {
        Some(limit) if limit < len => Err(io::ErrorKind::FileTooLarge.into()),
        _ => Ok(()),
    }
}

/// Windows has no such limit.
#[cfg(not(unix))]
pub(super) fn within_limit(_: u64) -> io::Result<()> {
    Ok(())
}

/// Takes away the permission to write, from everyone.
#[cfg(unix)]
pub(super) fn make_read_only(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o500))
}

/// On Windows a read-only file could not be removed again, and a loaded one cannot be written anyway.
#[cfg(not(unix))]
pub(super) fn make_read_only(_: &File) -> io::Result<()> {
    Ok(())
}

fn builder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode to set"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;

        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed());
    }
    options
}
