//! Mach-O, thin and fat, read as dyld reads it: load commands and the export trie.

mod commands;
mod cursor;
mod fat;
mod hints;
mod symtab;
mod trie;

use object::macho;

use self::commands::Commands;
pub(super) use self::fat::{examine_fat, is_java_class};
use super::image::{Definition, Format, Image, Kind, Machine, Seen, Symbol, Systems};
use super::layout::{Endian, Layout};
use super::read::Source;
use super::verdict::Fault;
use super::{Depth, Query};
use crate::Code;

/// Reads a thin image as far as `query` asks.
pub(super) fn examine<'a>(
    source: Source<'a>,
    query: &Query<'_>,
    image: &mut Image,
) -> Result<Seen<'a>, Fault> {
    image.format = Some(Format::Macho);
    image.systems = Systems::One("macos");
    let layout = layout(&source.array(0)?).ok_or_else(|| Fault::malformed("a slice is no Mach-O image"))?;
    image.set_layout(layout);
    let header: [u8; 28] = source.array(0)?;
    image.machine = Some(machine(layout.u32(&header, 4), layout.u32(&header, 8)));
    refuse_kind(macho::FileType(layout.u32(&header, 12)))?;
    let commands = Commands::read(&source, layout, &header)?;
    if let Some(system) = commands.system(&query.target.os) {
        image.systems = system;
    }
    commands.complete(&source)?;
    let name = [b"_", query.name].concat();
    let symbol = find(&source, &commands, &name)?;
    let mut hint = None;
    if query.depth == Depth::Whole {
        match &symbol {
            Symbol::Absent => hint = hints::hint(&source, &commands, &name),
            Symbol::NotDefault => {}
            Symbol::Defined(_) => image.links = commands.links(),
        }
    }
    Ok(Seen { source, layout, symbol, hint })
}

/// Word size and byte order, if the bytes are a magic number of a thin image.
pub(super) fn layout(magic: &[u8; 4]) -> Option<Layout> {
    let (endian, magic) = match u32::from_be_bytes(*magic) {
        magic @ (macho::MH_MAGIC | macho::MH_MAGIC_64) => (Endian::Big, magic),
        _ => (Endian::Little, u32::from_le_bytes(*magic)),
    };
    let wide = match magic {
        macho::MH_MAGIC => false,
        macho::MH_MAGIC_64 => true,
        _ => return None,
    };
    Some(Layout { wide, endian })
}

/// The machine of a header, or of an entry of a fat one.
fn machine(kind: u32, subtype: u32) -> Machine {
    // The upper byte of the subtype is for capabilities.
    let subtype = subtype & 0x00ff_ffff;
    match macho::CpuType(kind) {
        macho::CPU_TYPE_X86_64 => Machine::Named("x86_64"),
        macho::CPU_TYPE_X86 => Machine::Named("x86"),
        // dyld does not load one with signed pointers into a plain process.
        macho::CPU_TYPE_ARM64 if subtype == 2 => Machine::Variant("aarch64", "arm64e"),
        macho::CPU_TYPE_ARM64 => Machine::Named("aarch64"),
        macho::CPU_TYPE_ARM64_32 => Machine::Variant("aarch64", "arm64_32"),
        macho::CPU_TYPE_ARM => Machine::Named("arm"),
        macho::CPU_TYPE_POWERPC => Machine::Named("powerpc"),
        macho::CPU_TYPE_POWERPC64 => Machine::Named("powerpc64"),
        macho::CpuType(other) => Machine::Number(other),
    }
}

fn refuse_kind(kind: macho::FileType) -> Result<(), Fault> {
    let help = "build the plugin as a cdylib";
    let what = match kind {
        macho::MH_DYLIB | macho::MH_BUNDLE => return Ok(()),
        macho::MH_DSYM => {
            return Err(Fault::stated(
                Code::T2004,
                "debug information that was split from a library: it has no code",
                "put the library itself here",
            ));
        }
        macho::MH_OBJECT => "an object file, which a linker makes libraries of",
        macho::MH_EXECUTE | macho::MH_PRELOAD => "a program, not a library",
        macho::MH_DYLIB_STUB => "a stub for the linker, without code",
        macho::MH_DYLINKER | macho::MH_KEXT_BUNDLE | macho::MH_FILESET => {
            "a part of the system, not a library"
        }
        macho::MH_CORE => {
            return Err(Fault::stated(Code::T2001, "the memory image of a crashed program", help));
        }
        macho::FileType(other) => {
            return Err(Fault::malformed(format!("its header names an unknown file type, {other:#x}")));
        }
    };
    Err(Fault::stated(Code::T2003, what, help))
}

/// Looks a name up: in the export trie, or where there is none, in the symbol table.
fn find(source: &Source<'_>, commands: &Commands, name: &[u8]) -> Result<Symbol, Fault> {
    let found = match (&commands.trie, &commands.symtab) {
        (Some(trie), _) => trie::find(source, *trie, name)?,
        (None, Some(table)) => symtab::find(source, commands.layout, table, name)?,
        (None, None) => None,
    };
    let Some(found) = found else { return Ok(Symbol::Absent) };
    let (kind, address) = match found {
        Found::Forwarded(target) => (Kind::Forwarded(target), 0),
        Found::Absolute(value) => (Kind::Absolute, value),
        Found::ThreadLocal(offset) => (Kind::ThreadLocal, commands.base.saturating_add(offset)),
        Found::Resolver(offset) => (Kind::Resolver, commands.base.saturating_add(offset)),
        Found::Offset(offset) => {
            let address = commands
                .base
                .checked_add(offset)
                .ok_or_else(|| Fault::malformed("a symbol lies beyond the address space"))?;
            (commands.kind_at(address), address)
        }
        Found::Address(address) => (commands.kind_at(address), address),
    };
    let in_file = if kind == Kind::Data { commands.place(address) } else { None };
    Ok(Symbol::Defined(Definition { kind, address, size: None, in_file }))
}

/// What the trie or the symbol table says of a name.
enum Found {
    /// At this offset from the image's start.
    Offset(u64),
    /// At this address.
    Address(u64),
    ThreadLocal(u64),
    Resolver(u64),
    Absolute(u64),
    Forwarded(String),
}
