//! The first bytes of an ELF file.

use object::elf;

use super::machine;
use crate::probe::image::{Image, Systems};
use crate::probe::layout::{Endian, Layout};
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

pub(super) struct Header {
    pub(super) layout: Layout,
    pub(super) kind: u16,
    pub(super) machine: u16,
    pub(super) program_headers: Table,
    pub(super) section_headers: Table,
}

/// Where a table of the header stands, and how many entries it claims.
pub(super) struct Table {
    pub(super) offset: u64,
    pub(super) entry: u16,
    pub(super) count: u16,
}

impl Header {
    pub(super) fn read(source: &Source<'_>, image: &mut Image) -> Result<Self, Fault> {
        let ident: [u8; 16] = start(source)?;
        let layout = Layout {
            wide: match elf::FileClass(ident[elf_index::CLASS]) {
                elf::ELFCLASS64 => true,
                elf::ELFCLASS32 => false,
                elf::FileClass(class) => {
                    return Err(Fault::malformed(format!("its header names an unknown word size, {class}")));
                }
            },
            endian: match elf::DataEncoding(ident[elf_index::DATA]) {
                elf::ELFDATA2LSB => Endian::Little,
                elf::ELFDATA2MSB => Endian::Big,
                elf::DataEncoding(data) => {
                    return Err(Fault::malformed(format!("its header names an unknown byte order, {data}")));
                }
            },
        };
        image.set_layout(layout);
        image.systems = systems(ident[elf_index::OSABI]);
        let bytes: [u8; 64] = if layout.wide { start(source)? } else { widen(start::<52>(source)?) };
        let machine = layout.u16(&bytes, 18);
        image.machine = Some(machine::machine(machine, layout));
        if ident[elf_index::VERSION] != elf::EV_CURRENT.0
            || layout.u32(&bytes, 20) != u32::from(elf::EV_CURRENT.0)
        {
            return Err(Fault::malformed("its header names an unknown version of ELF"));
        }
        let (phoff, shoff, sizes) = if layout.wide { (32, 40, 54) } else { (28, 32, 42) };
        Ok(Header {
            layout,
            kind: layout.u16(&bytes, 16),
            machine,
            program_headers: Table {
                offset: layout.word(&bytes, phoff),
                entry: layout.u16(&bytes, sizes),
                count: layout.u16(&bytes, sizes + 2),
            },
            section_headers: Table {
                offset: layout.word(&bytes, shoff),
                entry: layout.u16(&bytes, sizes + 4),
                count: layout.u16(&bytes, sizes + 6),
            },
        })
    }
}

mod elf_index {
    pub(super) const CLASS: usize = 4;
    pub(super) const DATA: usize = 5;
    pub(super) const VERSION: usize = 6;
    pub(super) const OSABI: usize = 7;
}

fn start<const N: usize>(source: &Source<'_>) -> Result<[u8; N], Fault> {
    if source.size() < N as u64 {
        return Err(Fault::beyond("a part of its header", source.size()));
    }
    source.array(0)
}

fn widen(bytes: [u8; 52]) -> [u8; 64] {
    let mut wide = [0; 64];
    wide[..52].copy_from_slice(&bytes);
    wide
}

fn systems(os_abi: u8) -> Systems {
    match elf::OsAbi(os_abi) {
        elf::ELFOSABI_SYSV => Systems::Elf,
        elf::ELFOSABI_GNU => Systems::One("linux"),
        elf::ELFOSABI_FREEBSD => Systems::One("freebsd"),
        elf::ELFOSABI_NETBSD => Systems::One("netbsd"),
        elf::ELFOSABI_OPENBSD => Systems::One("openbsd"),
        elf::ELFOSABI_SOLARIS => Systems::One("solaris"),
        elf::ELFOSABI_HPUX => Systems::One("hpux"),
        elf::OsAbi(other) => Systems::Number(u32::from(other)),
    }
}
