//! When to stop early: the caller cancelled, or its deadline is near.
//!
//! A long read asks between two chunks. The answer travels as an [`io::Error`], because that is what the
//! readers and searchers in between pass through, and is recognised again by [`Halt::in_error`].

use std::fmt;
use std::io::{self, Read};
use std::time::Duration;

use toolrack_plugin::Context;

/// Why a tool stops before it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    Cancelled,
    OutOfTime,
}

/// Asked again and again: is it time to stop?
pub(crate) type AskHalt<'a> = &'a dyn Fn() -> Option<Halt>;

/// Stopping a little early leaves time to hand over what was found.
const BEFORE_THE_DEADLINE: Duration = Duration::from_millis(200);

/// Asks the context of a call.
pub(crate) fn asking(ctx: &Context) -> impl Fn() -> Option<Halt> {
    || match ctx.remaining() {
        Some(left) if left <= BEFORE_THE_DEADLINE => Some(Halt::OutOfTime),
        _ if ctx.cancelled() => Some(Halt::Cancelled),
        _ => None,
    }
}

impl Halt {
    /// The halt inside an error of [`Halting`], whatever layers it went through.
    pub(crate) fn in_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref::<Self>().copied()
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cancelled => "the call was cancelled",
            Self::OutOfTime => "the deadline of the call came before the end of the file",
        })
    }
}

impl std::error::Error for Halt {}

/// A reader that asks before each chunk whether to stop.
pub(crate) struct Halting<'a, R> {
    pub(crate) inner: R,
    pub(crate) ask: AskHalt<'a>,
}

impl<R: Read> Read for Halting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match (self.ask)() {
            Some(halt) => Err(io::Error::other(halt)),
            None => self.inner.read(buffer),
        }
    }
}
