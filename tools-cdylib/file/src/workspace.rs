//! Which files the tools may touch, and how a path that a model wrote becomes one of them.
//!
//! Two steps, on purpose. [`resolve`] follows `..` and links by hand and decides: is this inside the root?
//! The decision alone would be worth little, since a link can change between check and use. So every access
//! then goes through an open folder ([`Dir`]) with the resolved, link-free path, and the system itself refuses
//! to leave that folder (`openat2` on Linux, step by step elsewhere).

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use crate::error::{FileError, Kind, reason};
use crate::near::near_names;

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
        // Links are followed inside and outside the root; say where this one goes only if there is one.
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

/// A path inside the workspace, free of links and `..`.
pub(crate) struct Located<'a> {
    place: &'a Place,
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

/// Follows every link and `..` of an absolute path, as the system would, also past the point where names
/// stop existing. `None` after 40 links: a loop.
fn resolve(path: &Path) -> Option<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut links = 0;
    let mut real = PathBuf::new();
    // Names still to be walked, the next one last.
    let mut ahead: Vec<OsString> = names(path);
    while let Some(name) = ahead.pop() {
        match Path::new(&name).components().next() {
            Some(Component::Normal(_)) => {}
            Some(Component::ParentDir) => {
                real.pop();
                continue;
            }
            Some(Component::CurDir) | None => continue,
            // A drive or the root: what came before no longer counts.
            Some(Component::Prefix(_) | Component::RootDir) => {
                real.push(&name);
                continue;
            }
        }
        real.push(&name);
        // What cannot be looked at is taken by its name: the access itself will say what is wrong with it.
        if let Ok(target) = std::fs::read_link(&real) {
            links += 1;
            if links > MOST_LINKS {
                return None;
            }
            real.pop();
            ahead.extend(names(&target));
        }
    }
    Some(real)
}

fn names(path: &Path) -> Vec<OsString> {
    path.components().rev().map(|component| component.as_os_str().to_owned()).collect()
}

/// Removes `.` and `..` by name alone.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// `~` and `~/x` mean the home folder, as in a shell: models write it, and nobody wants a folder named `~`.
fn expand_home(path: &str) -> PathBuf {
    let rest = match path.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with(std::path::is_separator) => &rest[1..],
        _ => return PathBuf::from(path),
    };
    std::env::home_dir().map_or_else(|| PathBuf::from(path), |home| home.join(rest))
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
