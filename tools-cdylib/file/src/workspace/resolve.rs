//! From a path as it is written to the path that it means.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Follows every link and `..` of an absolute path, as the system would, also past the point where names
/// stop existing. `None` after 40 links: a loop.
pub(super) fn resolve(path: &Path) -> Option<PathBuf> {
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
pub(super) fn normalize(path: &Path) -> PathBuf {
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
pub(super) fn expand_home(path: &str) -> PathBuf {
    let rest = match path.strip_prefix('~') {
        Some("") => "",
        Some(rest) if rest.starts_with(std::path::is_separator) => &rest[1..],
        _ => return PathBuf::from(path),
    };
    std::env::home_dir().map_or_else(|| PathBuf::from(path), |home| home.join(rest))
}
