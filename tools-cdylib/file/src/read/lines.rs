//! Lines out of a stream, in bounded memory however long they are.

use std::io::{self, BufRead};

/// One line, or as much of it as was asked for.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its first bytes, without the line end.
    pub(super) start: Vec<u8>,
    /// Its length in bytes, without the line end.
    pub(super) bytes: u64,
    /// Its length in characters, if it is UTF-8.
    pub(super) characters: u64,
    pub(super) ending: Ending,
}

/// How a line ends.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// With the stream.
    #[default]
    Nothing,
    Lf,
    CrLf,
    /// It was longer than the caller cared to wait for. Nothing can be read after it.
    NotReached,
}

/// Takes a stream apart into lines and counts them.
pub(super) struct Lines<R> {
    source: R,
    number: u64,
    met_nul: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, number: 0, met_nul: false }
    }

    /// The lines taken so far.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether a NUL was among the lines taken. Text has none, so they are not worth more than that answer.
    pub(super) fn met_nul(&self) -> bool {
        self.met_nul
    }

    /// Takes so many lines, or all if there are fewer, or those before a NUL.
    pub(super) fn skip(&mut self, count: u64) -> io::Result<()> {
        for _ in 0..count {
            if self.next(0, u64::MAX)?.is_none() || self.met_nul {
                break;
            }
        }
        Ok(())
    }

    /// The next line. At most `keep` of its bytes are held, and its end is looked for in `far` bytes.
    pub(super) fn next(&mut self, keep: usize, far: u64) -> io::Result<Option<Line>> {
        let mut line = Line::default();
        loop {
            let chunk = fill(&mut self.source)?;
            if chunk.is_empty() {
                if line.bytes == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = memchr::memchr(b'\n', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            line.push(part, keep);
            self.met_nul |= memchr::memchr(0, part).is_some();
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                line.end();
                break;
            }
            if self.met_nul || line.bytes > far {
                line.ending = Ending::NotReached;
                break;
            }
        }
        self.number += 1;
        Ok(Some(line))
    }

    /// Counts the lines up to the end, and gives up after `far` bytes or at a NUL: then the answer is `None`.
    pub(super) fn count_rest(&mut self, far: u64) -> io::Result<Option<u64>> {
        let (mut count, mut seen, mut open) = (0, 0, false);
        loop {
            let chunk = fill(&mut self.source)?;
            let Some(last) = chunk.last() else { return Ok(Some(count + u64::from(open))) };
            if seen > far || memchr::memchr(0, chunk).is_some() {
                return Ok(None);
            }
            open = *last != b'\n';
            count += memchr::memchr_iter(b'\n', chunk).count() as u64;
            seen += chunk.len() as u64;
            let used = chunk.len();
            self.source.consume(used);
        }
    }
}

impl Line {
    fn push(&mut self, part: &[u8], keep: usize) {
        let room = keep.saturating_sub(self.start.len());
        self.start.extend_from_slice(&part[..part.len().min(room)]);
        self.bytes += part.len() as u64;
        // Every byte but a continuation byte (0b10xx_xxxx) begins a character.
        self.characters += part.iter().filter(|byte| *byte & 0xC0 != 0x80).count() as u64;
    }

    /// A line end was met: a carriage return before it belongs to it.
    fn end(&mut self) {
        self.ending = Ending::Lf;
        if self.start.len() as u64 == self.bytes && self.start.ends_with(b"\r") {
            self.start.pop();
            self.bytes -= 1;
            self.characters -= 1;
            self.ending = Ending::CrLf;
        }
    }
}

/// `fill_buf`, asked again when a signal came between.
fn fill<R: BufRead>(source: &mut R) -> io::Result<&[u8]> {
    loop {
        match source.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Asked a second time because the borrow checker cannot see that the first answer was given up.
            Err(error) => return Err(error),
            Ok(_) => break,
        }
    }
    source.fill_buf()
}
