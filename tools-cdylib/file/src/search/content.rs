//! Lines by a regular expression.

mod hits;

use std::fmt::Display;
use std::ops::ControlFlow;

use grep_matcher::LineTerminator;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, SearcherBuilder};

use self::hits::Hits;
use super::SearchFiles;
use super::page::Page;
use super::walk::{Ended, each_file};
use crate::error::{FileError, reason};
use crate::halt::{AskHalt, Halt, Halting};
use crate::workspace::Located;

/// A single line is held in memory up to this size. A file with a longer one counts as unreadable.
const LONGEST_LINE_BYTES: usize = 64 << 20;

/// Searches every file and puts what is asked for on the page.
pub(super) fn search(
    start: &Located<'_>,
    request: &SearchFiles<'_>,
    halt: AskHalt<'_>,
    page: &mut Page,
) -> Result<Ended, FileError> {
    let matcher = parse(request.pattern)?;
    let mut searcher = SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .line_number(true)
        .before_context(request.context)
        .after_context(request.context)
        .binary_detection(BinaryDetection::quit(0))
        .heap_limit(Some(LONGEST_LINE_BYTES))
        .build();
    each_file(start, request.file_glob, halt, page, |found, page| {
        page.searched += 1;
        let mut hits = Hits::new(&matcher, request, found, page);
        let searched = start
            .open_regular(&found.path)
            .and_then(|file| searcher.search_reader(&matcher, Halting { inner: file, ask: halt }, &mut hits));
        // A file that fails half way keeps the lines that were found in it.
        let is_full = hits.finish();
        match searched {
            Ok(()) if is_full => ControlFlow::Break(None),
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => match Halt::in_error(&error) {
                Some(halt) => ControlFlow::Break(Some(halt)),
                None => {
                    page.could_not_read(&found.shown, &reason(&error));
                    ControlFlow::Continue(())
                }
            },
        }
    })
}

/// The expression, for one line at a time.
fn parse(pattern: &str) -> Result<RegexMatcher, FileError> {
    let refused =
        |why: &dyn Display| FileError::invalid(format!("`pattern` is not a regular expression: {why}"));
    // The matcher parses it too, but puts it in a group before, which then stands in the message.
    regex_syntax::parse(pattern).map_err(|error| refused(&error))?;
    // `crlf` lets `$` match before CR LF, and keeps matches within a line.
    RegexMatcherBuilder::new().multi_line(true).crlf(true).build(pattern).map_err(|error| {
        match error.kind() {
            ErrorKind::NotAllowed(_) => refused(&format!("{error}; a match lies within one line")),
            _ => refused(&error),
        }
    })
}
