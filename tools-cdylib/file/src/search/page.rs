//! The part of the results that the model asked for, and what to say about the rest.

use super::{Output, SearchFiles, Target};
use crate::text::count;

/// A page, its summary included, is never longer.
const PAGE_CHARACTERS: usize = 100_000;
/// Kept free for the summary, which may name a long path.
const SUMMARY_CHARACTERS: usize = 6_000;

/// A page in the making.
pub(super) struct Page {
    offset: u64,
    limit: u64,
    /// Results before the offset.
    skipped: u64,
    /// Results on the page.
    shown: u64,
    text: String,
    characters: usize,
    has_more: bool,
    /// Matching lines of the results on the page, where lines are counted.
    pub(super) lines: u64,
    /// Files with results on the page.
    pub(super) files: u64,
    /// Files looked at.
    pub(super) searched: u64,
    pub(super) binary: u64,
    /// Files and folders that ignore rules leave out.
    pub(super) left_out: u64,
    unreadable: u64,
    first_unreadable: String,
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offered {
    /// It is before the offset.
    Skipped,
    Shown,
    /// It is after the page: the search can end.
    Full,
}

impl Page {
    pub(super) fn new(offset: u64, limit: u64) -> Self {
        Self {
            offset,
            limit,
            skipped: 0,
            shown: 0,
            text: String::new(),
            characters: 0,
            has_more: false,
            lines: 0,
            files: 0,
            searched: 0,
            binary: 0,
            left_out: 0,
            unreadable: 0,
            first_unreadable: String::new(),
        }
    }

    /// Offers the next result.
    pub(super) fn offer(&mut self, text: &str) -> Offered {
        if self.skipped < self.offset {
            self.skipped += 1;
            return Offered::Skipped;
        }
        if self.shown == self.limit || !self.append(text) {
            self.has_more = true;
            return Offered::Full;
        }
        self.shown += 1;
        Offered::Shown
    }

    /// Adds text that belongs to the last result. `false` if there is no room for it.
    pub(super) fn append(&mut self, text: &str) -> bool {
        let characters = text.chars().count();
        let fits = self.characters + characters <= PAGE_CHARACTERS - SUMMARY_CHARACTERS;
        if fits {
            self.text += text;
            self.characters += characters;
        }
        fits
    }

    /// Counts a result that is not shown.
    pub(super) fn tally(&mut self) {
        self.shown += 1;
    }

    pub(super) fn could_not_read(&mut self, path: &str, why: &str) {
        self.unreadable += 1;
        if self.unreadable == 1 {
            self.first_unreadable = format!("`{path}`: {why}");
        }
    }

    /// The text, with a summary in brackets as its last line.
    pub(super) fn finish(mut self, request: &SearchFiles<'_>, is_out_of_time: bool) -> String {
        let mut summary = vec![self.results(request)];
        if self.has_more {
            summary.push(format!("next_offset: {}", self.offset + self.shown));
        }
        if is_out_of_time {
            summary.push("stopped at the deadline, so there may be more: search a smaller folder".into());
        }
        if self.shown == 0 {
            summary.push(format!("{} looked at", count(self.searched, "file")));
        }
        if self.left_out > 0 && self.shown == 0 {
            summary.push(format!("{} left out by ignore rules", self.left_out));
        }
        if self.binary > 0 {
            summary.push(format!("{} skipped", count(self.binary, "binary file")));
        }
        if self.unreadable > 0 {
            let first = if self.unreadable == 1 { "" } else { "first " };
            summary.push(format!("{} could not be read: {first}{}", self.unreadable, self.first_unreadable));
        }
        self.text += &format!("[{}]", summary.join("; "));
        self.text
    }

    fn results(&self, request: &SearchFiles<'_>) -> String {
        if self.shown == 0 && self.skipped > 0 {
            return format!("no result from `offset` {} on: there are {}", self.offset, self.skipped);
        }
        match (request.target, request.output_mode) {
            _ if self.shown == 0 => "no match".into(),
            (Target::Files, _) | (_, Output::FilesOnly) => count(self.shown, "file"),
            (_, Output::Count) => format!("{} in {}", count(self.lines, "line"), count(self.shown, "file")),
            (_, Output::Content) => format!("{} in {}", count(self.shown, "line"), count(self.files, "file")),
        }
    }
}
