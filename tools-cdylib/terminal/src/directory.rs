//! Where a command starts, and where the next one will.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The working directory of each task: a `cd` in one call is seen by the next.
#[derive(Default)]
pub(crate) struct Directories(Mutex<HashMap<String, Kept>>);

struct Kept {
    session: String,
    dir: PathBuf,
}

/// Where a command starts.
#[derive(Debug)]
pub(crate) struct Start {
    /// In this directory.
    pub(crate) dir: PathBuf,
    /// Without `workdir` it would be this one.
    pub(crate) base: PathBuf,
    /// The kept directory, when it is there no more: `base` is the default instead.
    pub(crate) vanished: Option<PathBuf>,
}

/// Why a command cannot start where it should.
#[derive(Debug)]
pub(crate) enum DirectoryError {
    /// The configured root cannot be used.
    Root(PathBuf, io::Error),
    /// Outside the configured root, links resolved.
    Outside { dir: PathBuf, root: PathBuf },
    /// It is not there; names beside it that are nearly the same.
    Missing { dir: PathBuf, near: Vec<String> },
    /// It is something else than a directory.
    NotADirectory(PathBuf),
    /// The system's own reason.
    Unusable(PathBuf, io::Error),
}

impl Directories {
    /// Where the last command of `task` ended.
    pub(crate) fn of(&self, task: &str) -> Option<PathBuf> {
        self.lock().get(task).map(|kept| kept.dir.clone())
    }

    /// Remembers where a command of `task` ended, for as long as its `session` lasts.
    pub(crate) fn keep(&self, task: &str, session: &str, dir: PathBuf) {
        self.lock().insert(task.to_owned(), Kept { session: session.to_owned(), dir });
    }

    /// Forgets the tasks of a session that has ended.
    pub(crate) fn forget(&self, session: &str) {
        self.lock().retain(|_, kept| kept.session != session);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner) // a map of paths is whole after any panic
    }
}

/// Where a command starts: in `workdir` if given (relative to the kept directory), else in the kept directory,
/// else in the root, else where the host runs.
///
/// The root confines only `workdir`: a command may go wherever the host may.
///
/// # Errors
/// [`DirectoryError`], for `workdir` and the root; a kept directory that is gone is no error.
pub(crate) fn start(
    workdir: Option<&str>,
    kept: Option<PathBuf>,
    root: Option<&Path>,
) -> Result<Start, DirectoryError> {
    let root = root.map(resolved_root).transpose()?;
    let (base, vanished) = match kept {
        Some(kept) if kept.is_dir() => (kept, None),
        gone => {
            let default = root.clone().map_or_else(std::env::current_dir, Ok);
            (default.map_err(|error| DirectoryError::Unusable(".".into(), error))?, gone)
        }
    };
    let Some(workdir) = workdir else { return Ok(Start { dir: base.clone(), base, vanished }) };
    let asked = base.join(home_expanded(workdir));
    if let Some(root) = root
        && !nearest_existing(&asked).starts_with(&root)
    {
        return Err(DirectoryError::Outside { dir: asked, root });
    }
    let dir = dunce::canonicalize(&asked).map_err(|error| unusable(&asked, error))?;
    if !dir.is_dir() {
        return Err(DirectoryError::NotADirectory(asked));
    }
    Ok(Start { dir, base, vanished })
}

fn resolved_root(root: &Path) -> Result<PathBuf, DirectoryError> {
    let fault = |error| DirectoryError::Root(root.to_owned(), error);
    let resolved = dunce::canonicalize(root).map_err(fault)?;
    if !resolved.is_dir() {
        return Err(fault(io::ErrorKind::NotADirectory.into()));
    }
    Ok(resolved)
}

/// `~` as shells mean it: models write it, and no shell sees this argument.
fn home_expanded(workdir: &str) -> PathBuf {
    let rest = workdir.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches(['/', '\\'])),
        _ => PathBuf::from(workdir),
    }
}

/// The deepest part of a path that is there, links resolved: what is outside the root must not even be told to be
/// missing.
fn nearest_existing(path: &Path) -> PathBuf {
    path.ancestors().find_map(|part| dunce::canonicalize(part).ok()).unwrap_or_default()
}

fn unusable(dir: &Path, error: io::Error) -> DirectoryError {
    match error.kind() {
        io::ErrorKind::NotFound => DirectoryError::Missing { dir: dir.to_owned(), near: near_names(dir) },
        io::ErrorKind::NotADirectory => DirectoryError::NotADirectory(dir.to_owned()),
        _ => DirectoryError::Unusable(dir.to_owned(), error),
    }
}

/// Directories with nearly the name of the first part that is missing, the nearest first, at most three.
fn near_names(dir: &Path) -> Vec<String> {
    let Some(missing) = dir.ancestors().filter(|part| !part.exists()).last() else { return Vec::new() };
    let (Some(parent), Some(name)) = (missing.parent(), missing.file_name()) else { return Vec::new() };
    let name = name.to_string_lossy().to_lowercase();
    let Ok(entries) = parent.read_dir() else { return Vec::new() };
    let mut near: Vec<(usize, String)> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .map(|found| (strsim::osa_distance(&found.to_lowercase(), &name), found))
        .filter(|(distance, _)| *distance <= 1 + name.chars().count() / 4)
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, found)| parent.join(found).display().to_string()).collect()
}

impl fmt::Display for DirectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DirectoryError::Root(root, error) => {
                write!(f, "the configured root `{}` cannot be used: {error}", root.display())
            }
            DirectoryError::Outside { dir, root } => {
                write!(f, "workdir: `{}` is outside the root `{}`", dir.display(), root.display())
            }
            DirectoryError::Missing { dir, near } => {
                write!(f, "workdir: `{}` does not exist", dir.display())?;
                match near.as_slice() {
                    [] => Ok(()),
                    near => write!(f, "; did you mean `{}`", near.join("` or `")),
                }
            }
            DirectoryError::NotADirectory(dir) => {
                write!(f, "workdir: `{}` is not a directory", dir.display())
            }
            DirectoryError::Unusable(dir, error) => {
                write!(f, "workdir: `{}` cannot be used: {error}", dir.display())
            }
        }
    }
}

// The text already has the cause, because text is all that a model sees of an error: no `source` beside it.
impl std::error::Error for DirectoryError {}
