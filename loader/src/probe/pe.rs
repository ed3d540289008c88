//! PE, read as Windows reads it: the section table and the export directory.

mod exports;
mod header;
mod hints;
mod imports;
mod sections;

use object::pe;

use self::header::Header;
use self::sections::Sections;
use super::image::{Format, Image, Machine, Seen, Symbol, Systems};
use super::layout::Layout;
use super::read::Source;
use super::verdict::Fault;
use super::{Depth, Query};
use crate::Code;

/// Reads a PE file as far as `query` asks.
pub(super) fn examine<'a>(
    source: Source<'a>,
    query: &Query<'_>,
    image: &mut Image,
) -> Result<Seen<'a>, Fault> {
    let header = Header::read(&source, image)?;
    refuse_kind(&header)?;
    let sections = Sections::read(&source, &header)?;
    sections.complete(&source)?;
    let file = File { source: &source, header: &header, sections: &sections };
    let symbol = exports::find(&file, query.name)?;
    let mut hint = None;
    if query.depth == Depth::Whole {
        match &symbol {
            Symbol::Absent => hint = hints::hint(&file, query.name),
            Symbol::NotDefault => {}
            Symbol::Defined(_) => image.links.needed = imports::libraries(&file)?,
        }
    }
    let layout = header.layout;
    Ok(Seen { source, layout, symbol, hint })
}

/// What the readers of the directories share.
struct File<'a> {
    source: &'a Source<'a>,
    header: &'a Header,
    sections: &'a Sections,
}

impl File<'_> {
    /// `N` bytes at an address of the image.
    fn array<const N: usize>(&self, what: &str, rva: u64) -> Result<[u8; N], Fault> {
        match self.sections.place(rva) {
            Some(place) if place.available >= N as u64 => self.source.array(place.offset),
            _ => Err(Fault::malformed(format!("its {what} points outside the sections"))),
        }
    }

    fn u32(&self, what: &str, rva: u64) -> Result<u32, Fault> {
        Ok(Layout::PE.u32(&self.array::<4>(what, rva)?, 0))
    }

    /// The text at an address of the image, of at most `max` bytes.
    fn text(&self, what: &str, rva: u64, max: usize) -> Result<String, Fault> {
        let text = match self.sections.place(rva) {
            Some(place) => self.source.text(place.offset, place.available, max)?,
            None => None,
        };
        match text {
            Some(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            None => Err(Fault::malformed(format!(
                "its {what} has a name outside the sections, or without an end"
            ))),
        }
    }
}

fn refuse_kind(header: &Header) -> Result<(), Fault> {
    let help = "build the plugin as a cdylib";
    if header.flags & pe::IMAGE_FILE_EXECUTABLE_IMAGE.0 == 0 {
        return Err(Fault::stated(Code::T2003, "an image that its linker marked as not runnable", help));
    }
    if header.flags & pe::IMAGE_FILE_DLL.0 == 0 {
        return Err(Fault::stated(Code::T2003, "a program, not a library", help));
    }
    Ok(())
}

fn machine(number: u16) -> Machine {
    Machine::Named(match pe::Machine(number) {
        pe::IMAGE_FILE_MACHINE_AMD64 => "x86_64",
        pe::IMAGE_FILE_MACHINE_I386 => "x86",
        pe::IMAGE_FILE_MACHINE_ARM64 | pe::IMAGE_FILE_MACHINE_ARM64X => "aarch64",
        pe::IMAGE_FILE_MACHINE_ARM64EC => "arm64ec",
        pe::IMAGE_FILE_MACHINE_ARMNT | pe::IMAGE_FILE_MACHINE_ARM | pe::IMAGE_FILE_MACHINE_THUMB => "arm",
        pe::IMAGE_FILE_MACHINE_RISCV64 => "riscv64",
        pe::IMAGE_FILE_MACHINE_RISCV32 => "riscv32",
        pe::Machine(0x6264) => "loongarch64",
        pe::Machine(other) => return Machine::Number(u32::from(other)),
    })
}

fn mark(image: &mut Image) {
    image.format = Some(Format::Pe);
    image.systems = Systems::One("windows");
}
