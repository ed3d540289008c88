//! ELF's machine numbers as Rust names them.

use object::elf;

use crate::probe::image::Machine;
use crate::probe::layout::{Endian, Layout};

pub(super) fn machine(number: u16, layout: Layout) -> Machine {
    let wide = layout.wide;
    Machine::Named(match elf::Machine(number) {
        elf::EM_X86_64 => "x86_64",
        elf::EM_386 => "x86",
        elf::EM_AARCH64 => "aarch64",
        elf::EM_ARM => "arm",
        elf::EM_RISCV => by(wide, "riscv64", "riscv32"),
        elf::EM_PPC64 => "powerpc64",
        elf::EM_PPC => "powerpc",
        elf::EM_S390 => by(wide, "s390x", "s390"),
        elf::EM_MIPS => by(wide, "mips64", "mips"),
        elf::EM_LOONGARCH => by(wide, "loongarch64", "loongarch32"),
        elf::EM_SPARCV9 => "sparc64",
        elf::EM_SPARC | elf::EM_SPARC32PLUS => "sparc",
        elf::EM_68K => "m68k",
        elf::EM_CSKY => "csky",
        elf::EM_HEXAGON => "hexagon",
        elf::EM_BPF => "bpf",
        elf::EM_ALPHA => "alpha",
        elf::EM_IA_64 => "ia64",
        elf::EM_PARISC => "parisc",
        elf::EM_SH => "sh",
        elf::Machine(other) => return Machine::Number(u32::from(other)),
    })
}

const fn by(wide: bool, yes: &'static str, no: &'static str) -> &'static str {
    if wide { yes } else { no }
}

/// The bytes of an entry of a `DT_HASH` table: two machines chose 8.
pub(super) fn sysv_entry(number: u16, layout: Layout) -> u64 {
    if layout.wide && matches!(elf::Machine(number), elf::EM_S390 | elf::EM_ALPHA) { 8 } else { 4 }
}

/// Does a missing `PT_GNU_STACK` mean an executable stack there?
pub(super) fn stack_is_executable_by_default(number: u16, layout: Layout) -> bool {
    match elf::Machine(number) {
        elf::EM_AARCH64 | elf::EM_RISCV | elf::EM_LOONGARCH | elf::EM_CSKY | elf::EM_IA_64 => false,
        elf::EM_PPC64 => layout.endian == Endian::Big,
        _ => true,
    }
}
