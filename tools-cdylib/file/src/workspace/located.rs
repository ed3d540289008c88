//! A path that was found to be inside the workspace, and what can be done with it.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::Place;
use crate::error::{FileError, Kind};
use crate::near::near_names;

/// A path inside the workspace, free of links and `..`.
pub(crate) struct Located<'a> {
    pub(super) place: &'a Place,
    /// Within the place; `.` is the place itself.
    pub(crate) relative: PathBuf,
    /// As the model should write it: relative to the root, absolute outside it.
    pub(crate) shown: String,
}

impl Located<'_> {
    /// The open folder that confines this path.
    pub(crate) fn dir(&self) -> &Dir {
        &self.place.dir
    }

    /// The folder that confines this path, by name.
    pub(crate) fn base(&self) -> &Path {
        &self.place.path
    }

    /// The whole path. For names only: what is opened by it is not confined.
    pub(crate) fn full(&self) -> PathBuf {
        if self.relative == Path::new(".") {
            self.base().to_owned()
        } else {
            self.base().join(&self.relative)
        }
    }

    /// What the path is, or an error with near names if there is nothing.
    pub(crate) fn metadata(&self) -> Result<Metadata, FileError> {
        self.dir().metadata(&self.relative).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => self.not_found(),
            _ => FileError::io("look at", &self.shown, &error),
        })
    }

    /// Opens the path for reading, if it is a regular file.
    pub(crate) fn open_file(&self) -> Result<File, FileError> {
        self.expect_regular(&self.metadata()?)?;
        self.open_regular(&self.relative).map_err(|error| FileError::io("read", &self.shown, &error))
    }

    /// Opens a regular file of the same place for reading, by its path within that place. Never blocks: on
    /// Unix a FIFO without a writer is open at once, and then refused like everything that is no file.
    pub(crate) fn open_regular(&self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt;
            options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        }
        let file = self.dir().open_with(path, &options)?;
        // The name may mean something else than a moment ago. What was opened is what counts.
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        Ok(file.into_std())
    }

    /// Refuses whatever is not a regular file.
    pub(crate) fn expect_regular(&self, metadata: &Metadata) -> Result<(), FileError> {
        if metadata.is_file() {
            return Ok(());
        }
        let what = kind_of_file(metadata);
        let help = if metadata.is_dir() { "; `search_files` with `target` = `files` lists it" } else { "" };
        Err(FileError::new(Kind::NotAFile, format!("`{}` is {what}, not a file{help}", self.shown)))
    }

    fn not_found(&self) -> FileError {
        let (folder, missing) = first_missing(self.dir(), &self.relative);
        let mut message = format!("`{}` does not exist", self.shown);
        if folder.join(&missing) != self.relative {
            message += &format!(": there is no folder `{}`", folder.join(&missing).display());
        }
        let near = near_names(self.dir(), &folder, &missing.to_string_lossy());
        if !near.is_empty() {
            message += &format!("; near names: {}", near.join(", "));
        }
        FileError::new(Kind::NotFound, message)
    }
}

/// The first name on the way that does not exist, and the folder that lacks it.
fn first_missing(dir: &Dir, path: &Path) -> (PathBuf, OsString) {
    let mut folder = PathBuf::new();
    for component in path {
        if !dir.exists(folder.join(component)) {
            return (folder, component.to_owned());
        }
        folder.push(component);
    }
    // It has come into being meanwhile.
    let name = path.file_name().unwrap_or_default().to_owned();
    (path.parent().unwrap_or(Path::new("")).to_owned(), name)
}

fn kind_of_file(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt;
        let kind = metadata.file_type();
        if kind.is_fifo() {
            return "a FIFO";
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
