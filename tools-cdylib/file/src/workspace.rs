//! Which files the tools may touch, and how a path that a model wrote becomes one of them.
//!
//! Two steps, on purpose. [`resolve()`] follows `..` and links by hand and decides: is this inside the root?
//! The decision alone would be worth little, since a link can change between check and use. So every access
//! then goes through an open folder ([`Dir`]) with the resolved, link-free path, and the system itself refuses
//! to leave that folder (`openat2` on Linux, step by step elsewhere).

mod located;
mod resolve;

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

pub(crate) use self::located::Located;
use self::resolve::{expand_home, normalize, resolve};
use crate::error::{FileError, Kind, reason};

/// The folders that the tools may reach: the root, and for reading also the folder where the host puts
/// results that were too long for an answer.
pub(crate) struct Workspace {
    root: Place,
    spill: Option<Place>,
}

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Workspace {
    /// Opens the root, and the spill folder if there is one.
    ///
    /// # Errors
    /// The root does not exist or is no folder. A spill folder that is not there (yet) is none.
    pub(crate) fn open(root: &Path, spill: Option<&Path>) -> Result<Self, FileError> {
        let place = Place::open(root).map_err(|error| {
            let message = format!("cannot open the root `{}`: {}", root.display(), reason(&error));
            FileError::new(Kind::Configuration, format!("{message}; {HOW_TO_SET_THE_ROOT}"))
        })?;
        let spill = spill.and_then(|folder| Place::open(folder).ok());
        Ok(Self { root: place, spill })
    }

    /// Finds the place of a path. It need not exist.
    ///
    /// # Errors
    /// The path is empty, leads out of every folder that may be reached, or has too many links.
    pub(crate) fn locate(&self, path: &str, access: Access) -> Result<Located<'_>, FileError> {
        if path.is_empty() {
            return Err(FileError::invalid("`path` is empty"));
        }
        if path.contains('\0') {
            return Err(FileError::invalid("`path` contains a NUL character"));
        }
        let asked = self.root.path.join(expand_home(path));
        let real = resolve(&asked)
            .ok_or_else(|| FileError::new(Kind::Io, format!("too many links on the way to `{path}`")))?;
        if let Some(relative) = self.root.relative(&real) {
            let shown = if relative == Path::new(".") { ".".into() } else { relative.display().to_string() };
            return Ok(Located { place: &self.root, relative, shown });
        }
        let spilled = self.spill.as_ref().and_then(|spill| Some((spill, spill.relative(&real)?)));
        match (spilled, access) {
            (Some((place, relative)), Access::Read) => {
                Ok(Located { place, relative, shown: real.display().to_string() })
            }
            (Some(_), Access::Write) => {
                let message = format!("`{path}` is a stored result, which can be read but not written");
                Err(FileError::new(Kind::PermissionDenied, message))
            }
            (None, _) => Err(self.outside(path, &asked, &real)),
        }
    }

    fn outside(&self, path: &str, asked: &Path, real: &Path) -> FileError {
        let root = self.root.path.display();
        // A path that looks harmless goes through a link: say that it leads there.
        let leads = if normalize(asked) == real { "is" } else { "leads" };
        let message = format!("`{path}` {leads} outside the root `{root}`; {HOW_TO_SET_THE_ROOT}");
        FileError::new(Kind::OutsideRoot, message)
    }
}

const HOW_TO_SET_THE_ROOT: &str = "the operator sets it with `root` under `[plugins.file.config]`";

/// A folder held open; nothing outside it can be reached through it.
struct Place {
    path: PathBuf,
    dir: Dir,
}

impl Place {
    fn open(path: &Path) -> io::Result<Self> {
        let absolute = std::path::absolute(path)?;
        let path = resolve(&absolute).ok_or_else(|| io::Error::other("too many links"))?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { path, dir })
    }

    /// The path inside this place, `.` for the place itself, or `None` if it is outside.
    fn relative(&self, real: &Path) -> Option<PathBuf> {
        let inside = real.strip_prefix(&self.path).ok()?;
        Some(if inside.as_os_str().is_empty() { PathBuf::from(".") } else { inside.to_owned() })
    }
}
