//! Program headers: what the dynamic linker would map, and from where in the file.

use object::elf;

use super::header::Header;
use super::machine;
use crate::probe::image::Stack;
use crate::probe::layout::Layout;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// More program headers than any linker writes.
const MAX_HEADERS: u16 = 512;

pub(super) struct Segments {
    loads: Vec<Load>,
    /// The address and size in memory of the dynamic section.
    pub(super) dynamic: Option<(u64, u64)>,
    /// The address and length of the note with the needed processor.
    pub(super) property: Option<(u64, u64)>,
    pub(super) stack: Stack,
}

struct Load {
    address: u64,
    offset: u64,
    in_file: u64,
    in_memory: u64,
}

/// A place in the file, and how many bytes of its segment there are from there on.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) available: u64,
}

impl Segments {
    pub(super) fn read(source: &Source<'_>, header: &Header) -> Result<Self, Fault> {
        let layout = header.layout;
        let size = if layout.wide { 56 } else { 32 };
        let table = &header.program_headers;
        if table.count == 0 {
            return Err(Fault::malformed("it has no program headers, so nothing of it can be loaded"));
        }
        if table.entry != size {
            return Err(Fault::malformed(format!(
                "its program headers claim {} bytes each, not {size}",
                table.entry
            )));
        }
        let bytes = u64::from(table.count) * u64::from(size);
        if table.offset.checked_add(bytes).is_none_or(|end| end > source.size()) {
            return Err(Fault::beyond("the table of program headers", source.size()));
        }
        if table.count > MAX_HEADERS {
            return Err(Fault::malformed(format!("it claims {} program headers", table.count)));
        }
        let mut segments = Segments {
            loads: Vec::with_capacity(4),
            dynamic: None,
            property: None,
            stack: if machine::stack_is_executable_by_default(header.machine, layout) {
                Stack::Unsaid
            } else {
                Stack::Plain
            },
        };
        for index in 0..u64::from(table.count) {
            let mut raw = [0; 56];
            source.fill(table.offset + index * u64::from(size), &mut raw[..usize::from(size)])?;
            segments.add(layout, &raw)?;
        }
        if segments.loads.is_empty() {
            return Err(Fault::malformed("it has no segment to load"));
        }
        Ok(segments)
    }

    fn add(&mut self, layout: Layout, raw: &[u8; 56]) -> Result<(), Fault> {
        let at = |wide: usize, narrow: usize| layout.word(raw, if layout.wide { wide } else { narrow });
        let flags = layout.u32(raw, if layout.wide { 4 } else { 24 });
        let load = Load { offset: at(8, 4), address: at(16, 8), in_file: at(32, 16), in_memory: at(40, 20) };
        match elf::ProgramType(layout.u32(raw, 0)) {
            elf::PT_LOAD => {
                if load.in_file > load.in_memory {
                    return Err(Fault::malformed("a segment is larger in the file than in memory"));
                }
                let Some(_) = load.address.checked_add(load.in_memory) else {
                    return Err(Fault::malformed("a segment ends beyond the address space"));
                };
                if let Some(last) = self.loads.last()
                    && last.address + last.in_memory > load.address
                {
                    return Err(Fault::malformed("its segments overlap, or are not in order"));
                }
                self.loads.push(load);
            }
            elf::PT_DYNAMIC => self.dynamic = Some((load.address, load.in_memory)),
            elf::PT_GNU_STACK => {
                let executable = flags & elf::PF_X.0 != 0;
                self.stack = if executable { Stack::Executable } else { Stack::Plain };
            }
            elf::PT_GNU_PROPERTY => self.property = Some((load.address, load.in_file)),
            _ => {}
        }
        Ok(())
    }

    /// Does the file hold every segment to its end? One that does not kills whoever maps it.
    pub(super) fn complete(&self, source: &Source<'_>) -> Result<(), Fault> {
        let end = self
            .loads
            .iter()
            .filter(|load| load.in_file > 0)
            .map(|load| load.offset.saturating_add(load.in_file));
        match end.max() {
            Some(end) if end > source.size() => {
                Err(Fault::beyond(format!("a segment that ends at byte {end}"), source.size()))
            }
            _ => Ok(()),
        }
    }

    /// Where in the file the bytes at `address` stand, if a segment brings them from there.
    pub(super) fn place(&self, address: u64) -> Option<Place> {
        self.loads.iter().find_map(|load| {
            let into = address.checked_sub(load.address).filter(|into| *into < load.in_file)?;
            Some(Place { offset: load.offset.checked_add(into)?, available: load.in_file - into })
        })
    }

    /// Like [`place`](Self::place) for a table's entry: `len` bytes at `base + index * len`.
    pub(super) fn entry(&self, what: &str, base: u64, index: u64, len: u64) -> Result<u64, Fault> {
        index
            .checked_mul(len)
            .and_then(|into| base.checked_add(into))
            .and_then(|address| self.place(address))
            .filter(|place| place.available >= len)
            .map(|place| place.offset)
            .ok_or_else(|| Fault::malformed(format!("its {what} points outside the segments")))
    }
}
