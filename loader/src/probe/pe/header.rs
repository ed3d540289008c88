//! The headers in front of the sections.

use object::pe;

use super::{machine, mark};
use crate::Code;
use crate::probe::image::{Image, Systems};
use crate::probe::layout::{Endian, Layout};
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) flags: u16,
    pub(super) sections: u16,
    /// Where the section table stands in the file.
    pub(super) section_table: u64,
    pub(super) headers_len: u64,
    pub(super) section_alignment: u32,
    pub(super) exports: Directory,
    pub(super) imports: Directory,
}

/// An address in the image, and a length.
#[derive(Clone, Copy, Default)]
pub(super) struct Directory {
    pub(super) rva: u64,
    pub(super) len: u64,
}

impl Header {
    pub(super) fn read(source: &Source<'_>, image: &mut Image) -> Result<Self, Fault> {
        let layout = Layout::PE;
        if source.size() < 64 {
            mark(image);
            return Err(Fault::beyond("a part of its header", source.size()));
        }
        let dos: [u8; 64] = source.array(0)?;
        let start = u64::from(layout.u32(&dos, 60));
        if start + 24 > source.size() {
            mark(image);
            return Err(Fault::beyond("its header", source.size()));
        }
        let coff: [u8; 24] = source.array(start)?;
        if layout.u32(&coff, 0) != pe::IMAGE_NT_SIGNATURE {
            return Err(Fault::stated(
                Code::T2003,
                "a program or library of DOS or 16-bit Windows",
                "build the plugin as a cdylib",
            ));
        }
        mark(image);
        let machine = machine(layout.u16(&coff, 4));
        image.machine = Some(machine);
        let optional = start + 24;
        let optional_len = u64::from(layout.u16(&coff, 20));
        if optional + optional_len > source.size() {
            return Err(Fault::beyond("a part of its header", source.size()));
        }
        if optional_len < 2 {
            return Err(Fault::malformed("it lacks the header that every loadable image has"));
        }
        let wide = match layout.u16(&source.array::<2>(optional)?, 0) {
            pe::IMAGE_NT_OPTIONAL_HDR32_MAGIC => false,
            pe::IMAGE_NT_OPTIONAL_HDR64_MAGIC => true,
            magic => return Err(Fault::malformed(format!("its header is of an unknown kind, {magic:#x}"))),
        };
        image.set_layout(Layout { wide, endian: Endian::Little });
        let directories = if wide { 112 } else { 96 };
        if optional_len < directories {
            return Err(Fault::malformed("its header is too short"));
        }
        let fixed: [u8; 112] = {
            let mut fixed = [0; 112];
            source.fill(optional, &mut fixed[..directories as usize])?;
            fixed
        };
        if matches!(layout.u16(&fixed, 68), 10..=13) {
            image.systems = Systems::One("uefi");
        }
        let count = u64::from(layout.u32(&fixed, directories as usize - 4));
        let directory = |index: u64| -> Result<Directory, Fault> {
            if index >= count || directories + (index + 1) * 8 > optional_len {
                return Ok(Directory::default());
            }
            let raw: [u8; 8] = source.array(optional + directories + index * 8)?;
            Ok(Directory { rva: u64::from(layout.u32(&raw, 0)), len: u64::from(layout.u32(&raw, 4)) })
        };
        Ok(Header {
            layout: Layout { wide, endian: Endian::Little },
            flags: layout.u16(&coff, 22),
            sections: layout.u16(&coff, 6),
            section_table: optional + optional_len,
            headers_len: u64::from(layout.u32(&fixed, 60)),
            section_alignment: layout.u32(&fixed, 32),
            exports: directory(0)?,
            imports: directory(1)?,
        })
    }
}
