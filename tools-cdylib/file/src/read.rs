//! `read_file`: a page of numbered lines.

mod encoding;
mod excerpt;
mod lines;
pub(crate) mod memory;

use std::io::BufReader;
use std::path::PathBuf;

use self::encoding::open_text;
use self::excerpt::Excerpt;
use self::lines::Lines;
use crate::error::{FileError, Kind};
use crate::halt::{AskHalt, Halting};
use crate::text::count;
use crate::workspace::{Access, Workspace};

/// The most lines in a page.
pub(crate) const MOST_LINES: u64 = 2_000;
/// How far past the page the lines are counted, and how far the end of a long line is looked for.
const LOOK_AHEAD_BYTES: u64 = 64 << 20;

/// The arguments of the tool.
#[derive(Debug)]
pub(crate) struct ReadFile<'a> {
    pub(crate) path: &'a str,
    /// The first line, counted from 1.
    pub(crate) offset: u64,
    /// The number of lines, at most [`MOST_LINES`].
    pub(crate) limit: u64,
}

/// What was read.
#[derive(Debug)]
pub(crate) struct Page {
    /// The real file, however the path was spelled.
    pub(crate) file: PathBuf,
    /// The file as the model should write it.
    pub(crate) shown: String,
    pub(crate) offset: u64,
    pub(crate) limit: u64,
    /// The numbered lines, and after them one line in brackets with totals and remarks.
    pub(crate) text: String,
}

/// Reads one page. Only the page is held in memory, and the lines after it are counted only so far: a file of
/// any size answers soon.
///
/// # Errors
/// The arguments are out of range, the path is outside the workspace, missing, not a regular file or not
/// text, the page starts past the end, the system refuses, or the call is halted.
pub(crate) fn read_file(
    workspace: &Workspace,
    request: &ReadFile<'_>,
    halt: AskHalt<'_>,
) -> Result<Page, FileError> {
    let ReadFile { path, offset, limit } = *request;
    if offset == 0 {
        return Err(FileError::invalid("`offset` counts lines from 1, got 0"));
    }
    if !(1..=MOST_LINES).contains(&limit) {
        return Err(FileError::invalid(format!("`limit` must be from 1 to {MOST_LINES}, got {limit}")));
    }
    let located = workspace.locate(path, Access::Read)?;
    let file = located.open_file()?;
    let failed = |error: std::io::Error| FileError::io("read", &located.shown, &error);
    let size = file.metadata().map_err(failed)?.len();
    let not_text = || {
        FileError::new(
            Kind::NotText,
            format!("`{}` is a binary file ({size} bytes), not text", located.shown),
        )
    };

    let halting = Halting { inner: file, ask: halt };
    let (encoding, reader) = open_text(halting).map_err(failed)?.ok_or_else(not_text)?;
    let mut lines = Lines::new(BufReader::with_capacity(64 << 10, reader));
    let mut excerpt = Excerpt::new(offset, encoding);
    lines.skip(offset - 1).map_err(failed)?;
    for _ in 0..limit {
        let Some(line) = lines.next(excerpt::LINE_BYTES, LOOK_AHEAD_BYTES).map_err(failed)? else { break };
        if lines.met_nul() || !excerpt.add(&line) {
            break;
        }
    }
    if lines.met_nul() {
        return Err(not_text());
    }
    let total = lines.count_rest(LOOK_AHEAD_BYTES).map_err(failed)?;
    if excerpt.is_empty() && offset > 1 {
        let (shown, total) = (&located.shown, count(lines.number(), "line"));
        return Err(FileError::invalid(format!("`offset` {offset} is past the end: `{shown}` has {total}")));
    }
    let text = excerpt.finish(total, lines.number());
    Ok(Page { file: located.full(), shown: located.shown, offset, limit, text })
}
