//! ELF, read as the dynamic linker reads it: program headers and the dynamic section, never the section table.

mod dynamic;
mod header;
mod hints;
mod links;
mod lookup;
mod machine;
mod sections;
mod segments;

use object::elf;

use self::dynamic::Dynamic;
use self::header::Header;
use self::segments::Segments;
use super::image::{Format, Image, Seen, Symbol};
use super::read::Source;
use super::verdict::Fault;
use super::{Depth, Query};
use crate::Code;

/// Reads an ELF file as far as `query` asks. What is learnt on the way goes into `image`.
pub(super) fn examine<'a>(
    source: Source<'a>,
    query: &Query<'_>,
    image: &mut Image,
) -> Result<Seen<'a>, Fault> {
    image.format = Some(Format::Elf);
    let header = Header::read(&source, image)?;
    refuse_kind(&source, &header)?;
    match inside(&source, &header, query, image) {
        Err(fault) if !fault.is_of_the_file() && sections::debug_only(&source, &header) => Err(debug_only()),
        Err(fault) => Err(fault),
        Ok((symbol, hint)) => Ok(Seen { source, layout: header.layout, symbol, hint }),
    }
}

fn inside(
    source: &Source<'_>,
    header: &Header,
    query: &Query<'_>,
    image: &mut Image,
) -> Result<(Symbol, Option<super::Finding>), Fault> {
    let segments = Segments::read(source, header)?;
    image.links.stack = segments.stack;
    let dynamic = Dynamic::read(source, header, &segments);
    // A program, or a file that may not be opened, is said to be one also when it is cut short.
    if let Ok(dynamic) = &dynamic {
        refuse_flags(dynamic)?;
    }
    segments.complete(source)?;
    let dynamic = dynamic?;
    let tables = lookup::Tables { source, header, segments: &segments, dynamic: &dynamic };
    let symbol = tables.find(query.name)?;
    // Only the libraries that it needs tell one system with plain ELF from another.
    match query.depth {
        Depth::Symbol => {}
        Depth::Whole => match &symbol {
            Symbol::Absent => return Ok((symbol, hints::hint(&tables, query.name))),
            Symbol::NotDefault => {}
            Symbol::Defined(_) => links::read(&tables, image)?,
        },
    }
    Ok((symbol, None))
}

/// The newest glibc version that a file *defines*: which glibc it is, if it is one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn defined_glibc(source: &Source<'_>) -> Result<Option<(u32, u32)>, Fault> {
    let mut image = Image::default();
    let header = Header::read(source, &mut image)?;
    let segments = Segments::read(source, &header)?;
    let dynamic = Dynamic::read(source, &header, &segments)?;
    links::defined_glibc(&lookup::Tables { source, header: &header, segments: &segments, dynamic: &dynamic })
}

fn refuse_kind(source: &Source<'_>, header: &Header) -> Result<(), Fault> {
    let help = "build the plugin as a cdylib";
    match elf::FileType(header.kind) {
        elf::ET_DYN => Ok(()),
        elf::ET_REL => {
            Err(Fault::stated(Code::T2003, "an object file, which a linker makes libraries of", help))
        }
        elf::ET_EXEC if sections::debug_only(source, header) => Err(debug_only()),
        elf::ET_EXEC => Err(Fault::stated(Code::T2003, "a program, not a library", help)),
        elf::ET_CORE => Err(Fault::stated(Code::T2001, "the memory image of a crashed program", help)),
        elf::FileType(kind) => {
            Err(Fault::malformed(format!("its header names an unknown file type, {kind:#x}")))
        }
    }
}

fn refuse_flags(dynamic: &Dynamic) -> Result<(), Fault> {
    if dynamic.flags_1 & elf::DF_1_PIE.0 != 0 {
        return Err(Fault::stated(
            Code::T2003,
            "a position-independent program, not a library",
            "build the plugin as a cdylib",
        ));
    }
    if dynamic.flags_1 & elf::DF_1_NOOPEN.0 != 0 {
        return Err(Fault::stated(
            Code::T2009,
            "marked not to be opened at run time (DF_1_NOOPEN)",
            "link it without `-z nodlopen`",
        ));
    }
    Ok(())
}

fn debug_only() -> Fault {
    Fault::stated(
        Code::T2004,
        "debug information that was split from a library: it has no code",
        "put the library itself here",
    )
}
