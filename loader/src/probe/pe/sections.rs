//! The section table: what Windows would map, and from where in the file.

use object::pe;

use super::header::Header;
use crate::probe::layout::Layout;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// More sections than any linker writes into a library.
const MAX_SECTIONS: u16 = 512;

pub(super) struct Sections {
    headers_len: u64,
    sections: Vec<Section>,
}

struct Section {
    rva: u64,
    in_memory: u64,
    offset: u64,
    in_file: u64,
    flags: u32,
}

/// A place in the file, and how many bytes of its section there are from there on.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) available: u64,
}

impl Sections {
    pub(super) fn read(source: &Source<'_>, header: &Header) -> Result<Self, Fault> {
        let layout = Layout::PE;
        let count = header.sections;
        if header.section_table + u64::from(count) * 40 > source.size() {
            return Err(Fault::beyond("the table of sections", source.size()));
        }
        if count > MAX_SECTIONS {
            return Err(Fault::malformed(format!("it claims {count} sections")));
        }
        let mut sections: Vec<Section> = Vec::with_capacity(usize::from(count.min(16)));
        for index in 0..u64::from(count) {
            let raw: [u8; 40] = source.array(header.section_table + index * 40)?;
            let word = |at: usize| u64::from(layout.u32(&raw, at));
            let (in_memory, in_file, mut offset) = (word(8), word(16), word(20));
            // Windows reads whole sectors.
            if header.section_alignment >= 0x1000 {
                offset &= !0x1ff;
            }
            let in_memory = if in_memory == 0 { in_file } else { in_memory };
            let section = Section { rva: word(12), in_memory, offset, in_file, flags: layout.u32(&raw, 36) };
            if sections.last().is_some_and(|last| last.rva + last.in_memory > section.rva) {
                return Err(Fault::malformed("its sections overlap, or are not in order"));
            }
            sections.push(section);
        }
        Ok(Sections { headers_len: header.headers_len.min(source.size()), sections })
    }

    /// Does the file hold every section to its end?
    pub(super) fn complete(&self, source: &Source<'_>) -> Result<(), Fault> {
        let beyond =
            |section: &&Section| section.in_file > 0 && section.offset + section.in_file > source.size();
        match self.sections.iter().find(beyond) {
            Some(section) => Err(Fault::beyond(
                format!("a section that ends at byte {}", section.offset + section.in_file),
                source.size(),
            )),
            None => Ok(()),
        }
    }

    /// Where in the file an address of the image stands.
    pub(super) fn place(&self, rva: u64) -> Option<Place> {
        if let Some(section) = self.section(rva) {
            let into = rva - section.rva;
            let available =
                section.in_file.min(section.in_memory).checked_sub(into).filter(|left| *left > 0)?;
            return Some(Place { offset: section.offset + into, available });
        }
        (rva < self.headers_len).then(|| Place { offset: rva, available: self.headers_len - rva })
    }

    /// Is there code at an address of the image?
    pub(super) fn is_code(&self, rva: u64) -> bool {
        let code = pe::IMAGE_SCN_CNT_CODE.0 | pe::IMAGE_SCN_MEM_EXECUTE.0;
        self.section(rva).is_some_and(|section| section.flags & code != 0)
    }

    fn section(&self, rva: u64) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| rva.checked_sub(section.rva).is_some_and(|into| into < section.in_memory))
    }
}
