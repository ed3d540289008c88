//! The line that is being printed, which a program may still change.

use super::Clip;

/// Longer lines are passed on in pieces: what was passed on cannot be changed any more.
const LONGEST: usize = 4096;
/// How far right a program may move without printing: a terminal stops at its edge too.
const EDGE: usize = 512;

/// One line as a terminal shows it: carriage return and backspace move back, what comes then overwrites.
///
/// So of a progress bar only its last state is left. Wide characters count as one column.
#[derive(Default)]
pub(super) struct Line {
    /// What was only appended: nearly every line.
    plain: String,
    /// The line instead, once a program has moved back in it.
    edited: Option<Edited>,
}

struct Edited {
    cells: Vec<char>,
    column: usize,
}

/// What an "erase in line" takes away.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Erase {
    ToEnd,
    ToStart,
    All,
}

impl Line {
    /// Prints text, which may have line feeds and tabs but no other control character.
    pub(super) fn print(&mut self, text: &str, sink: &mut Clip) {
        let mut rest = text;
        if let Some(edited) = &mut self.edited {
            let (segment, after) = text.split_once('\n').map_or((text, None), |(a, b)| (a, Some(b)));
            edited.overwrite(segment);
            if after.is_some() || edited.cells.len() > LONGEST {
                self.flush(sink);
            }
            let Some(after) = after else { return };
            sink.push("\n");
            rest = after;
        }
        if let Some(end) = rest.rfind('\n') {
            self.flush(sink);
            sink.push(&rest[..=end]);
            rest = &rest[end + 1..];
        }
        self.plain.push_str(rest);
        if self.plain.len() > LONGEST {
            self.flush(sink);
        }
    }

    /// Passes on what stands in the line, and starts afresh.
    pub(super) fn flush(&mut self, sink: &mut Clip) {
        if let Some(edited) = self.edited.take() {
            self.plain.extend(edited.cells);
        }
        sink.push(&self.plain);
        self.plain.clear();
    }

    /// Moves to a column, counted from 0.
    pub(super) fn move_to(&mut self, to: usize) {
        let edited = self.edit();
        edited.column = to.min(EDGE.max(edited.cells.len()));
    }

    /// Moves right, or left with a negative number.
    pub(super) fn move_by(&mut self, columns: isize) {
        let to = self.edit().column.saturating_add_signed(columns);
        self.move_to(to);
    }

    /// Erases a part of the line.
    pub(super) fn erase(&mut self, part: Erase) {
        if part == Erase::ToEnd && self.edited.is_none() {
            return; // as grep does after each match: nothing stands right of the end
        }
        let Edited { cells, column } = self.edit();
        match part {
            Erase::ToEnd => cells.truncate(*column),
            Erase::ToStart => cells.iter_mut().take(*column + 1).for_each(|cell| *cell = ' '),
            Erase::All => cells.clear(),
        }
    }

    fn edit(&mut self) -> &mut Edited {
        let plain = &mut self.plain;
        self.edited.get_or_insert_with(|| {
            let cells: Vec<char> = plain.drain(..).collect();
            Edited { column: cells.len(), cells }
        })
    }
}

impl Edited {
    fn overwrite(&mut self, text: &str) {
        for char in text.chars() {
            match self.cells.get_mut(self.column) {
                Some(cell) => *cell = char,
                None => {
                    self.cells.resize(self.column, ' ');
                    self.cells.push(char);
                }
            }
            self.column += 1;
        }
    }
}
