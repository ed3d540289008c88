//! What becomes of the lines that the searcher finds in one file.

use std::collections::VecDeque;
use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::super::page::{Offered, Page};
use super::super::walk::Found;
use super::super::{Output, SearchFiles};

/// A longer line is shown in part, around the match.
const LINE_CHARACTERS: usize = 400;
/// What is shown of it before the match.
const LEAD_CHARACTERS: usize = 100;

/// Takes the lines of one file.
pub(super) struct Hits<'a> {
    matcher: &'a RegexMatcher,
    found: &'a Found,
    page: &'a mut Page,
    output: Output,
    context: u64,
    /// Matching lines in this file.
    lines: u64,
    /// The last lines that were not shown: they may turn out to be context of the next match, also where they
    /// are matches themselves, before the page's first.
    recent: VecDeque<(u64, String)>,
    /// Line numbers on the page; 0 for none.
    last_match: u64,
    last_shown: u64,
    is_binary: bool,
    is_full: bool,
}

impl<'a> Hits<'a> {
    pub(super) fn new(
        matcher: &'a RegexMatcher,
        request: &SearchFiles<'_>,
        found: &'a Found,
        page: &'a mut Page,
    ) -> Self {
        Self {
            matcher,
            found,
            page,
            output: request.output_mode,
            context: request.context as u64,
            lines: 0,
            recent: VecDeque::new(),
            last_match: 0,
            last_shown: 0,
            is_binary: false,
            is_full: false,
        }
    }

    /// The file has been searched. Puts what is told of whole files on the page; `true` if the page is full.
    pub(super) fn finish(self) -> bool {
        let Self { page, found, lines, .. } = self;
        if self.is_binary && lines == 0 {
            page.binary += 1;
        }
        let line = match self.output {
            Output::Content => {
                page.files += u64::from(self.last_match > 0);
                return self.is_full;
            }
            _ if lines == 0 => return false,
            Output::FilesOnly => format!("{}\n", found.shown),
            Output::Count => format!("{}: {lines}\n", found.shown),
        };
        let offered = page.offer(&line);
        page.lines += if offered == Offered::Shown { lines } else { 0 };
        offered == Offered::Full
    }

    /// A matching line, with the lines before it that belong to it.
    fn block(&self, number: u64, line: &str) -> String {
        let first = number.saturating_sub(self.context).max(self.last_shown + 1);
        let before = self.recent.iter().filter(|(number, _)| *number >= first);
        let start = before.clone().next().map_or(number, |(number, _)| *number);
        let mut block = String::new();
        if self.last_shown == 0 {
            block += &format!("{}\n", self.found.shown);
        } else if self.context > 0 && start > self.last_shown + 1 {
            block += "--\n";
        }
        block.extend(before.map(|(number, line)| format!("{number}-{line}\n")));
        block + &format!("{number}:{line}\n")
    }

    fn remember(&mut self, number: u64, line: String) {
        self.recent.push_back((number, line));
        if self.recent.len() as u64 > self.context {
            self.recent.pop_front();
        }
    }
}

impl Sink for Hits<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, hit: &SinkMatch<'_>) -> io::Result<bool> {
        self.lines += 1;
        match self.output {
            Output::Content => {}
            Output::FilesOnly => return Ok(false),
            Output::Count => return Ok(true),
        }
        let number = hit.line_number().unwrap_or_default();
        let at = self.matcher.find(hit.bytes()).ok().flatten().map_or(0, |found| found.start());
        let line = excerpt(hit.bytes(), at);
        match self.page.offer(&self.block(number, &line)) {
            Offered::Skipped => self.remember(number, line),
            Offered::Shown => (self.last_match, self.last_shown) = (number, number),
            Offered::Full => self.is_full = true,
        }
        Ok(!self.is_full)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let number = context.line_number().unwrap_or_default();
        let line = excerpt(context.bytes(), 0);
        let follows = self.last_match > 0 && number <= self.last_match + self.context;
        if follows && self.page.append(&format!("{number}-{line}\n")) {
            self.last_shown = number;
        } else {
            self.remember(number, line);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(true)
    }
}

/// The line without its end; of a long one the part around the byte `at`.
fn excerpt(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = String::from_utf8_lossy(line);
    let length = text.chars().count();
    if length <= LINE_CHARACTERS {
        return text.into_owned();
    }
    let match_at = String::from_utf8_lossy(&line[..at.min(line.len())]).chars().count();
    let from = match_at.saturating_sub(LEAD_CHARACTERS).min(length - LINE_CHARACTERS);
    let part: String = text.chars().skip(from).take(LINE_CHARACTERS).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if from + LINE_CHARACTERS < length { "…" } else { "" };
    format!("{before}{part}{after} [cut: {length} characters]")
}
