//! Bytes that count how often and how much of them is read.

use std::cell::Cell;
use std::io;

use toolrack::probe::ReadAt;

pub(crate) struct Counting<R> {
    inner: R,
    bytes: Cell<u64>,
    reads: Cell<u64>,
}

impl<R: ReadAt> Counting<R> {
    pub(crate) fn new(inner: R) -> Self {
        Counting { inner, bytes: Cell::new(0), reads: Cell::new(0) }
    }

    /// The bytes read so far.
    pub(crate) fn read(&self) -> u64 {
        self.bytes.get()
    }

    /// The reads so far: one is a system call.
    #[cfg(target_os = "linux")]
    pub(crate) fn reads(&self) -> u64 {
        self.reads.get()
    }
}

impl<R: ReadAt> ReadAt for Counting<R> {
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read_at(offset, buffer)?;
        self.bytes.set(self.bytes.get() + count as u64);
        self.reads.set(self.reads.get() + 1);
        Ok(count)
    }
}
