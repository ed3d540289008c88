//! The text of a page: numbered lines within a budget, and a summary.

use super::encoding::Encoding;
use super::lines::{Ending, Line};

/// A page, its summary included, is never longer.
const PAGE_CHARACTERS: usize = 100_000;
/// Kept free for the summary.
const SUMMARY_CHARACTERS: usize = 1_000;
/// A line is cut here.
const LINE_CHARACTERS: usize = 2_000;
/// A character has at most four bytes in UTF-8, so this many hold every character of a line that is shown.
pub(super) const LINE_BYTES: usize = 4 * LINE_CHARACTERS;

/// A page in the making.
pub(super) struct Excerpt {
    text: String,
    characters: usize,
    first: u64,
    next: u64,
    encoding: Encoding,
    /// Lines that end in CR LF.
    crlf: u64,
    /// Lines that end in LF alone.
    lf: u64,
    last_ending: Ending,
    has_cut_lines: bool,
    has_foreign_bytes: bool,
}

impl Excerpt {
    pub(super) fn new(first: u64, encoding: Encoding) -> Self {
        Self {
            text: String::new(),
            characters: 0,
            first,
            next: first,
            encoding,
            crlf: 0,
            lf: 0,
            last_ending: Ending::Lf,
            has_cut_lines: false,
            has_foreign_bytes: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.next == self.first
    }

    /// Adds the next line. `false` if the page is full: then the line is not on it.
    pub(super) fn add(&mut self, line: &Line) -> bool {
        let decoded = String::from_utf8_lossy(&line.start);
        let cut = decoded.char_indices().nth(LINE_CHARACTERS).map(|(at, _)| at);
        let kept = &decoded[..cut.unwrap_or(decoded.len())];
        let is_cut = cut.is_some() || line.bytes > line.start.len() as u64;
        let rendered = match (is_cut, line.ending) {
            (false, _) => format!("{:>6}|{kept}\n", self.next),
            (true, Ending::NotReached) => format!("{:>6}|{kept} [cut]\n", self.next),
            (true, _) => format!("{:>6}|{kept} [cut: {} characters]\n", self.next, line.characters),
        };
        let characters = rendered.chars().count();
        if self.characters + characters > PAGE_CHARACTERS - SUMMARY_CHARACTERS {
            return false;
        }
        self.text += &rendered;
        self.characters += characters;
        self.next += 1;
        self.crlf += u64::from(line.ending == Ending::CrLf);
        self.lf += u64::from(line.ending == Ending::Lf);
        self.last_ending = line.ending;
        self.has_cut_lines |= is_cut;
        self.has_foreign_bytes |=
            kept.contains(char::REPLACEMENT_CHARACTER) && has_foreign_bytes(&line.start);
        // Nothing can be read after a line whose end was not reached.
        line.ending != Ending::NotReached
    }

    /// The text, with a summary as its last line.
    ///
    /// `rest`: the lines after the last one that was taken, if they could be counted. `taken`: how many that
    /// were, from the first line of the file.
    pub(super) fn finish(mut self, rest: Option<u64>, taken: u64) -> String {
        if self.is_empty() {
            return "[the file is empty]".into();
        }
        let mut summary = vec![format!("lines {}-{}", self.first, self.next - 1)];
        let last = self.next - 1;
        match (self.last_ending, rest.map(|rest| taken + rest)) {
            (Ending::NotReached, _) => summary.push(format!("line {last} is too long to read past it")),
            (_, Some(total)) => {
                summary[0] += &format!(" of {total}");
                if total > last {
                    summary.push(format!("next_offset: {}", self.next));
                }
            }
            (_, None) => {
                summary[0] += &format!(" of more than {taken}");
                summary.push(format!("next_offset: {}", self.next));
            }
        }
        if self.has_cut_lines {
            summary.push(format!("lines over {LINE_CHARACTERS} characters are cut"));
        }
        summary.extend(self.encoding.note().map(String::from));
        match (self.crlf, self.lf) {
            (0, _) => {}
            (_, 0) => summary.push("lines end in CR LF".into()),
            _ => summary.push("lines end in CR LF and LF, mixed".into()),
        }
        if self.last_ending == Ending::Nothing {
            summary.push("no line end at the end".into());
        }
        if self.has_foreign_bytes {
            summary.push("bytes that are not UTF-8 are shown as U+FFFD".into());
        }
        self.text += &format!("[{}]", summary.join("; "));
        self.text
    }
}

/// Whether the line itself is not UTF-8 (it may also just contain the character U+FFFD, or have been kept up
/// to the middle of a character).
fn has_foreign_bytes(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_err_and(|error| error.error_len().is_some() || line.len() < LINE_BYTES)
}
