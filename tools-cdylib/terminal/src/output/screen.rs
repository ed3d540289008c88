//! Text without what steers a terminal.

use anstyle_parse::state::{Action, State, state_change};

use super::line::Erase;
use super::{Clip, Line};

/// Takes escape sequences and control characters out of a stream, wherever it is cut.
///
/// Colours, window titles, links, images go; what moves or erases within the line is applied to it; what moves
/// between lines goes too, so that a display of several lines comes out as one state below the other.
pub(super) struct Screen {
    state: State,
    /// The first number of the control sequence that is being read, and whether it is a private one.
    number: Option<usize>,
    numbers: usize,
    private: bool,
    line: Line,
    sink: Clip,
}

impl Screen {
    pub(super) fn new(sink: Clip) -> Self {
        Screen { state: State::Ground, number: None, numbers: 0, private: false, line: Line::default(), sink }
    }

    /// Takes in text.
    pub(super) fn write(&mut self, text: &str) {
        let mut rest = text;
        while let Some(&byte) = rest.as_bytes().first() {
            let done =
                if self.state == State::Ground { self.ground(rest, byte) } else { self.sequence(rest, byte) };
            rest = &rest[done..];
        }
    }

    /// Ends the stream. A sequence that is not complete is dropped.
    pub(super) fn finish(mut self) -> Clip {
        self.line.flush(&mut self.sink);
        self.sink
    }

    /// Text outside any sequence: how many bytes were dealt with.
    fn ground(&mut self, rest: &str, byte: u8) -> usize {
        let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
        if plain > 0 {
            self.line.print(&rest[..plain], &mut self.sink);
            return plain;
        }
        if byte == FIRST_OF_C1 {
            // U+0080–U+009F are control characters, U+00A0–U+00BF are not.
            if rest.as_bytes().get(1).is_some_and(|second| *second >= 0xa0) {
                self.line.print(&rest[..2], &mut self.sink);
            }
            return 2;
        }
        if byte == b'\r' && rest.as_bytes().get(1) == Some(&b'\n') {
            return 1; // a line end of the other kind: the line feed says it all
        }
        self.step(byte);
        1
    }

    /// One character inside a sequence: how many bytes it has.
    fn sequence(&mut self, rest: &str, byte: u8) -> usize {
        if !byte.is_ascii() {
            // Only in titles and the like; the machine would take one of its bytes for an 8-bit control.
            return rest.chars().next().map_or(1, char::len_utf8);
        }
        if byte == b'\n' && is_string(self.state) {
            // Nobody has line feeds in a title: binary data opened this string, and it would swallow all the rest.
            self.state = State::Ground;
        }
        self.step(byte);
        1
    }

    fn step(&mut self, byte: u8) {
        let (next, action) = state_change(self.state, byte);
        match action {
            Action::Execute => self.control(byte),
            Action::Param => self.param(byte),
            Action::Collect => self.private = true,
            Action::CsiDispatch => self.control_sequence(byte),
            _ => {}
        }
        if next != State::Anywhere {
            self.state = next;
        }
        if self.state == State::CsiEntry {
            (self.number, self.numbers, self.private) = (None, 0, false);
        }
    }

    fn control(&mut self, byte: u8) {
        match byte {
            b'\r' => self.line.move_to(0),
            b'\x08' => self.line.move_by(-1),
            b'\n' | b'\x0b' | b'\x0c' => self.line.print("\n", &mut self.sink),
            b'\t' => self.line.print("\t", &mut self.sink),
            _ => {}
        }
    }

    fn param(&mut self, byte: u8) {
        if !byte.is_ascii_digit() {
            self.numbers += 1;
        } else if self.numbers == 0 {
            let digit = usize::from(byte - b'0');
            self.number = Some(self.number.unwrap_or(0).saturating_mul(10).saturating_add(digit).min(9999));
        }
    }

    fn control_sequence(&mut self, last: u8) {
        if self.private {
            return;
        }
        let count = self.number.unwrap_or(1).max(1);
        match (last, self.number.unwrap_or(0)) {
            (b'K', 0) => self.line.erase(Erase::ToEnd),
            (b'K', 1) => self.line.erase(Erase::ToStart),
            (b'K', 2) => self.line.erase(Erase::All),
            (b'G', _) => self.line.move_to(count - 1),
            (b'C', _) => self.line.move_by(count.cast_signed()),
            (b'D', _) => self.line.move_by(-count.cast_signed()),
            _ => {}
        }
    }
}

/// The first byte of U+0080–U+00BF in UTF-8.
const FIRST_OF_C1: u8 = 0xc2;

fn is_special(byte: u8) -> bool {
    (byte < b' ' && byte != b'\n' && byte != b'\t') || byte == 0x7f || byte == FIRST_OF_C1
}

fn is_string(state: State) -> bool {
    matches!(
        state,
        State::OscString
            | State::SosPmApcString
            | State::DcsEntry
            | State::DcsIgnore
            | State::DcsIntermediate
            | State::DcsParam
            | State::DcsPassthrough
    )
}
