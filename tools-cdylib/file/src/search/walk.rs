//! The files that a search looks at, in order.
//!
//! Folders are listed by their names, links left alone; contents are opened through the workspace. Whoever swaps
//! a folder for a link during a search could make it list names outside the root, but never read a file there.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::WalkDir;

use super::page::Page;
use super::rules::Rules;
use crate::error::{FileError, reason};
use crate::halt::{AskHalt, Halt};
use crate::workspace::Located;

/// A file that is looked at.
pub(super) struct Found {
    /// Within the place of the start, as it is opened.
    pub(super) path: PathBuf,
    /// Below the start, as patterns see it.
    pub(super) below: PathBuf,
    /// As the model should write it.
    pub(super) shown: String,
}

/// How the walk ended.
pub(super) type Ended = Option<Halt>;

/// Visits the files at or below `start` whose names fit, sorted by path, until the visitor has enough.
///
/// A file that is named itself is visited whatever the rules say. What cannot be listed is noted on the page.
pub(super) fn each_file(
    start: &Located<'_>,
    file_glob: Option<&str>,
    halt: AskHalt<'_>,
    page: &mut Page,
    mut visit: impl FnMut(&Found, &mut Page) -> ControlFlow<Ended>,
) -> Result<Ended, FileError> {
    let wanted = file_glob.map(|glob| NamePattern::parse("file_glob", glob)).transpose()?;
    let is_wanted = |found: &Found| wanted.as_ref().is_none_or(|wanted| wanted.fits(&found.below));
    let metadata = start.metadata()?;
    if !metadata.is_dir() {
        start.expect_regular(&metadata)?;
        let below = PathBuf::from(start.relative.file_name().unwrap_or_default());
        let found = Found { path: start.relative.clone(), below, shown: start.shown.clone() };
        return Ok(if is_wanted(&found) { visit(&found, page).break_value().flatten() } else { None });
    }

    let full = start.full();
    let mut rules = Rules::new(start);
    let mut entries = WalkDir::new(&full).min_depth(1).sort_by_file_name().into_iter();
    while let Some(entry) = entries.next() {
        if let Some(halt) = halt() {
            return Ok(Some(halt));
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let below =
                    error.path().and_then(|path| path.strip_prefix(&full).ok()).unwrap_or(Path::new(""));
                let why = error.io_error().map_or_else(|| error.to_string(), reason);
                page.could_not_read(&join(start, below), &why);
                continue;
            }
        };
        let Ok(below) = entry.path().strip_prefix(&full) else { continue };
        let path = if start.relative == Path::new(".") { below.into() } else { start.relative.join(below) };
        let kind = entry.file_type();
        if rules.leave_out(&path, kind.is_dir()) {
            page.left_out += 1;
            if kind.is_dir() {
                entries.skip_current_dir();
            }
            continue;
        }
        let found = Found { path, below: below.into(), shown: join(start, below) };
        if kind.is_file()
            && is_wanted(&found)
            && let ControlFlow::Break(ended) = visit(&found, page)
        {
            return Ok(ended);
        }
    }
    Ok(None)
}

fn join(start: &Located<'_>, below: &Path) -> String {
    let shown = if start.shown == "." { Path::new("") } else { Path::new(&start.shown) };
    shown.join(below).display().to_string()
}

/// A pattern for names: without `/` it is for the file's name, with one for the path below the start. A `!`
/// in front turns it round.
pub(super) struct NamePattern {
    matcher: GlobMatcher,
    is_for_path: bool,
    is_negated: bool,
}

impl NamePattern {
    /// `argument` is what the pattern is called in an error.
    pub(super) fn parse(argument: &str, pattern: &str) -> Result<Self, FileError> {
        let (glob, is_negated) = match pattern.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (pattern, false),
        };
        let glob = glob.strip_prefix("./").unwrap_or(glob);
        let matcher = GlobBuilder::new(glob)
            .literal_separator(true)
            .build()
            .map_err(|error| FileError::invalid(format!("`{argument}` does not parse: {error}")))?
            .compile_matcher();
        Ok(Self { matcher, is_for_path: glob.contains('/'), is_negated })
    }

    pub(super) fn fits(&self, below: &Path) -> bool {
        let name = below.file_name().map(Path::new).unwrap_or(below);
        self.matcher.is_match(if self.is_for_path { below } else { name }) != self.is_negated
    }
}
