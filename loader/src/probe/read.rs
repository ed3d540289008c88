//! How the probe reads: exact spots, counted, never a mapping, never a size that the file claims.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io;

use super::verdict::Fault;

/// Bytes at a place. A file, or bytes in memory.
///
/// A reader names the place of each read, so that one descriptor serves several. Where the system can not read without
/// moving the file's own position (Windows), it moves.
pub trait ReadAt {
    /// How many bytes there are.
    ///
    /// # Errors
    /// The system's, if it is a file and the system can not tell.
    fn size(&self) -> io::Result<u64>;

    /// Reads at most `buffer.len()` bytes from `offset` on and says how many: none at the end.
    ///
    /// # Errors
    /// The system's.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, buffer, offset);
        #[cfg(not(any(unix, windows)))]
        {
            use std::io::{Read, Seek, SeekFrom};
            let mut file = self;
            file.seek(SeekFrom::Start(offset))?;
            file.read(buffer)
        }
    }
}

impl ReadAt for [u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        self.as_slice().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.as_slice().read_at(offset, buffer)
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn size(&self) -> io::Result<u64> {
        (**self).size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buffer)
    }
}

/// A verdict reads no more than this of a file, beside the manifest.
pub const MAX_READ: u64 = 64 << 10;

/// What is read at once at the start: most headers of most libraries stand there.
const HEAD: usize = 4096;

/// What is read around a small spot, as its neighbours are often wanted next.
const WINDOW: usize = 256;

/// A file, or one slice of it, under a budget.
pub(super) struct Source<'a> {
    file: &'a dyn ReadAt,
    budget: &'a Cell<u64>,
    base: u64,
    size: u64,
    head: Head,
    window: RefCell<Window>,
}

struct Head {
    bytes: [u8; HEAD],
    len: usize,
}

struct Window {
    bytes: [u8; WINDOW],
    at: u64,
    len: usize,
}

impl<'a> Source<'a> {
    /// Reads the head of a whole file.
    pub(super) fn new(file: &'a dyn ReadAt, budget: &'a Cell<u64>) -> Result<Self, Fault> {
        let size = file.size().map_err(Fault::Io)?;
        let mut source = Source::bare(file, budget, 0, size);
        let len = HEAD.min(usize::try_from(size).unwrap_or(HEAD));
        let mut bytes = [0; HEAD];
        source.pread(0, &mut bytes[..len])?;
        source.head = Head { bytes, len };
        Ok(source)
    }

    /// A part of the file as a source of its own, under the same budget.
    pub(super) fn slice(&self, offset: u64, size: u64) -> Result<Source<'a>, Fault> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => {
                Ok(Source::bare(self.file, self.budget, self.base + offset, size))
            }
            _ => Err(Fault::beyond("a slice", self.size)),
        }
    }

    /// The same bytes under another budget.
    pub(super) fn under<'b>(&self, budget: &'b Cell<u64>) -> Source<'b>
    where
        'a: 'b,
    {
        Source::bare(self.file, budget, self.base, self.size)
    }

    fn bare(file: &'a dyn ReadAt, budget: &'a Cell<u64>, base: u64, size: u64) -> Self {
        let head = Head { bytes: [0; HEAD], len: 0 };
        let window = RefCell::new(Window { bytes: [0; WINDOW], at: 0, len: 0 });
        Source { file, budget, base, size, head, window }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The first bytes of a file, at most 4 KiB. Empty for a slice.
    pub(super) fn head(&self) -> &[u8] {
        &self.head.bytes[..self.head.len]
    }

    /// Fills `out` from `offset` on. The range must lie in the source.
    pub(super) fn fill(&self, offset: u64, out: &mut [u8]) -> Result<(), Fault> {
        let end = offset.checked_add(out.len() as u64).filter(|end| *end <= self.size);
        let Some(end) = end else {
            return Err(Fault::beyond("a header", self.size));
        };
        if end <= self.head.len as u64 {
            let at = offset as usize;
            out.copy_from_slice(&self.head.bytes[at..at + out.len()]);
            return Ok(());
        }
        if out.len() > WINDOW / 2 {
            return self.pread(offset, out);
        }
        let mut window = self.window.borrow_mut();
        if offset < window.at || end > window.at + window.len as u64 {
            let len = WINDOW.min(usize::try_from(self.size - offset).unwrap_or(WINDOW));
            window.len = 0;
            self.pread(offset, &mut window.bytes[..len])?;
            (window.at, window.len) = (offset, len);
        }
        let at = (offset - window.at) as usize;
        out.copy_from_slice(&window.bytes[at..at + out.len()]);
        Ok(())
    }

    /// `N` bytes from `offset` on.
    pub(super) fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N], Fault> {
        let mut out = [0; N];
        self.fill(offset, &mut out)?;
        Ok(out)
    }

    /// `len` bytes from `offset` on; the caller has bounded `len`, and the file must have them.
    pub(super) fn vec(&self, offset: u64, len: usize) -> Result<Vec<u8>, Fault> {
        if offset.checked_add(len as u64).is_none_or(|end| end > self.size) {
            return Err(Fault::beyond("a header", self.size));
        }
        if self.budget.get() < len as u64 {
            return Err(Fault::too_much());
        }
        let mut out = vec![0; len];
        self.fill(offset, &mut out)?;
        Ok(out)
    }

    /// A text that ends with a zero byte before `offset + available`, of at most `max` bytes; nothing if it does
    /// not end there.
    pub(super) fn text(&self, offset: u64, available: u64, max: usize) -> Result<Option<Vec<u8>>, Fault> {
        let mut out = Vec::new();
        let available = available.min(self.size.saturating_sub(offset));
        while out.len() < max {
            let mut chunk = [0; 64];
            let rest = usize::try_from(available - out.len() as u64).unwrap_or(usize::MAX);
            let len = chunk.len().min(rest);
            if len == 0 {
                return Ok(None);
            }
            self.fill(offset + out.len() as u64, &mut chunk[..len])?;
            match chunk[..len].iter().position(|byte| *byte == 0) {
                Some(end) => {
                    out.extend_from_slice(&chunk[..end]);
                    return Ok((out.len() <= max).then_some(out));
                }
                None => out.extend_from_slice(&chunk[..len]),
            }
        }
        Ok(None)
    }

    fn pread(&self, offset: u64, out: &mut [u8]) -> Result<(), Fault> {
        let left = self.budget.get().checked_sub(out.len() as u64).ok_or_else(Fault::too_much)?;
        self.budget.set(left);
        let mut done = 0;
        while done < out.len() {
            match self.file.read_at(self.base + offset + done as u64, &mut out[done..]) {
                Ok(0) => return Err(Fault::Changed),
                Ok(count) => done += count.min(out.len() - done),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Io(error)),
            }
        }
        Ok(())
    }
}
