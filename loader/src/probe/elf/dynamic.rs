//! The dynamic section: where the symbols, their names and their index stand.

use object::elf;

use super::header::Header;
use super::segments::Segments;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// More entries than any linker writes: a library that needs 500 others has some 540.
const MAX_ENTRIES: u64 = 1024;

/// More needed libraries than are worth a look.
const MAX_NEEDED: usize = 512;

#[derive(Default)]
pub(super) struct Dynamic {
    pub(super) symbols: u64,
    pub(super) strings: u64,
    pub(super) strings_len: u64,
    pub(super) gnu_hash: Option<u64>,
    pub(super) sysv_hash: Option<u64>,
    pub(super) versions: Option<u64>,
    pub(super) version_needs: Option<(u64, u64)>,
    pub(super) version_definitions: Option<(u64, u64)>,
    pub(super) flags_1: u64,
    /// Offsets into the strings.
    pub(super) needed: Vec<u64>,
    pub(super) soname: Option<u64>,
    pub(super) rpath: Option<u64>,
    pub(super) runpath: Option<u64>,
}

impl Dynamic {
    pub(super) fn read(source: &Source<'_>, header: &Header, segments: &Segments) -> Result<Self, Fault> {
        let layout = header.layout;
        let Some((address, in_memory)) = segments.dynamic else {
            return Err(Fault::malformed("it has no dynamic section, so the system can not load it"));
        };
        let entry = 2 * layout.word_len();
        let mut found = Dynamic::default();
        let (mut symbols, mut strings) = (None, None);
        let mut needs = (None, 0);
        let mut definitions = (None, 0);
        let mut ended = false;
        for index in 0..(in_memory / entry).min(MAX_ENTRIES) {
            let offset = segments.entry("dynamic section", address, index, entry)?;
            let mut raw = [0; 16];
            source.fill(offset, &mut raw[..entry as usize])?;
            let value = layout.word(&raw, layout.word_len() as usize);
            // Tags are signed words; those known here are the same in both sizes.
            let Ok(tag) = u32::try_from(layout.word(&raw, 0)) else { continue };
            match elf::DynamicTag(i64::from(tag)) {
                elf::DT_NULL => {
                    ended = true;
                    break;
                }
                elf::DT_NEEDED if found.needed.len() < MAX_NEEDED => found.needed.push(value),
                elf::DT_SYMTAB => symbols = Some(value),
                elf::DT_STRTAB => strings = Some(value),
                elf::DT_STRSZ => found.strings_len = value,
                elf::DT_GNU_HASH => found.gnu_hash = Some(value),
                elf::DT_HASH => found.sysv_hash = Some(value),
                elf::DT_VERSYM => found.versions = Some(value),
                elf::DT_VERNEED => needs.0 = Some(value),
                elf::DT_VERNEEDNUM => needs.1 = value,
                elf::DT_VERDEF => definitions.0 = Some(value),
                elf::DT_VERDEFNUM => definitions.1 = value,
                elf::DT_FLAGS_1 => found.flags_1 = value,
                elf::DT_SONAME => found.soname = Some(value),
                elf::DT_RPATH => found.rpath = Some(value),
                elf::DT_RUNPATH => found.runpath = Some(value),
                _ => {}
            }
        }
        if !ended {
            return Err(Fault::malformed("its dynamic section has no end"));
        }
        let (Some(symbols), Some(strings)) = (symbols, strings) else {
            return Err(Fault::malformed(
                "its dynamic section names no symbol table: it is damaged, or still being written",
            ));
        };
        (found.symbols, found.strings) = (symbols, strings);
        found.version_needs = needs.0.map(|at| (at, needs.1));
        found.version_definitions = definitions.0.map(|at| (at, definitions.1));
        Ok(found)
    }
}
