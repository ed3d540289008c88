//! The section table, for one question only: is this file the debug information of another one? Such a file keeps the
//! program headers of the library it was split from, which then point at bytes that are not there.

use object::elf;

use super::header::Header;
use crate::probe::read::Source;

/// As many sections as are looked at.
const MAX_SECTIONS: u16 = 128;

/// Are the sections with code declared, but without bytes? Unreadable tables say no.
pub(super) fn debug_only(source: &Source<'_>, header: &Header) -> bool {
    let layout = header.layout;
    let size: u16 = if layout.wide { 64 } else { 40 };
    let table = &header.section_headers;
    if table.offset == 0 || table.entry != size {
        return false;
    }
    let (mut code, mut empty) = (0, 0);
    for index in 0..u64::from(table.count.min(MAX_SECTIONS)) {
        let mut raw = [0; 64];
        let Some(offset) = table.offset.checked_add(index * u64::from(size)) else { return false };
        if source.fill(offset, &mut raw[..usize::from(size)]).is_err() {
            return false;
        }
        let flags = layout.word(&raw, 8);
        let wanted = elf::SHF_ALLOC.0 | elf::SHF_EXECINSTR.0;
        if flags & wanted == wanted {
            code += 1;
            empty += u32::from(elf::SectionType(layout.u32(&raw, 4)) == elf::SHT_NOBITS);
        }
    }
    code > 0 && code == empty
}
