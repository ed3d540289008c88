//! A range of a file, read byte by byte.

use crate::probe::read::Source;
use crate::probe::verdict::Fault;

pub(super) struct Cursor<'a> {
    source: &'a Source<'a>,
    at: u64,
    end: u64,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a Source<'a>, at: u64, end: u64) -> Result<Self, Fault> {
        if at > end {
            return Err(outside());
        }
        Ok(Cursor { source, at, end })
    }

    pub(super) fn byte(&mut self) -> Result<u8, Fault> {
        if self.at >= self.end {
            return Err(outside());
        }
        let [byte] = self.source.array(self.at)?;
        self.at += 1;
        Ok(byte)
    }

    /// A variable-length integer.
    pub(super) fn uleb(&mut self) -> Result<u64, Fault> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if (bits << shift) >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Fault::malformed("a number in the list of exports is too large"))
    }

    pub(super) fn skip(&mut self, len: u64) -> Result<(), Fault> {
        self.at = self.at.checked_add(len).filter(|at| *at <= self.end).ok_or_else(outside)?;
        Ok(())
    }
}

fn outside() -> Fault {
    Fault::malformed("the list of exports points outside itself")
}
