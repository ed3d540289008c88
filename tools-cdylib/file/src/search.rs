//! `search_files`: a regular expression in contents, or names by a pattern.

mod content;
mod names;
mod page;
mod rules;
mod walk;

use toolrack_plugin::args;
use toolrack_plugin::serde::Serialize;

use self::page::Page;
use crate::error::FileError;
use crate::halt::{AskHalt, Halt};
use crate::workspace::{Access, Workspace};

/// The most context lines on each side of a match.
pub(crate) const MOST_CONTEXT: usize = 100;

/// What is searched.
#[args]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    Content,
    Files,
}

/// What is told of a file with matches.
#[args]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Output {
    // Plain comments: documented variants would make the schema a list of objects instead of names.
    // The lines that match.
    Content,
    // Its path.
    FilesOnly,
    // Its path and the number of lines that match.
    Count,
}

/// The arguments of the tool.
#[derive(Debug)]
pub(crate) struct SearchFiles<'a> {
    pub(crate) pattern: &'a str,
    pub(crate) target: Target,
    pub(crate) path: &'a str,
    /// Only files whose name fits.
    pub(crate) file_glob: Option<&'a str>,
    /// The most results.
    pub(crate) limit: u64,
    /// The results before the first one that is wanted.
    pub(crate) offset: u64,
    pub(crate) output_mode: Output,
    /// Lines shown before and after each match.
    pub(crate) context: usize,
}

/// Searches one file, or a folder and all below it, in the order of the paths.
///
/// Rules in `.gitignore` and `.ignore` files hold from the root down, in a repository or not; nothing outside
/// the root and nothing of the user's own git settings counts. A folder that is named in `path` is searched
/// even if a rule above it leaves it out. Hidden files are searched, the folders of version control systems
/// (`.git` …) and binary files are not, and links are not followed.
///
/// # Errors
/// An argument is out of range or a pattern does not parse; the path is outside the workspace or missing; the
/// call is cancelled. When only its time runs out, what was found so far is the answer, and says so.
pub(crate) fn search_files(
    workspace: &Workspace,
    request: &SearchFiles<'_>,
    halt: AskHalt<'_>,
) -> Result<String, FileError> {
    if request.pattern.is_empty() {
        return Err(FileError::invalid("`pattern` is empty"));
    }
    if request.limit == 0 {
        return Err(FileError::invalid("`limit` must be at least 1, got 0"));
    }
    if request.context > MOST_CONTEXT {
        let got = request.context;
        return Err(FileError::invalid(format!("`context` must be from 0 to {MOST_CONTEXT}, got {got}")));
    }
    let start = workspace.locate(request.path, Access::Read)?;
    let mut page = Page::new(request.offset, request.limit);
    let halted = match request.target {
        Target::Content => content::search(&start, request, halt, &mut page)?,
        Target::Files => names::search(&start, request, halt, &mut page)?,
    };
    match halted {
        Some(Halt::Cancelled) => Err(Halt::Cancelled.into()),
        Some(Halt::OutOfTime) => Ok(page.finish(request, true)),
        None => Ok(page.finish(request, false)),
    }
}
