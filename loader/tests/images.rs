//! Libraries of other systems and machines: objects written here, linked by the linker that comes with the compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use object::write::{Object, Relocation, Symbol, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind, SectionKind,
    SymbolFlags, SymbolKind, SymbolScope,
};
use toolrack::probe::Target;

use crate::build::Header;

/// A library's machine, and how it is linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) os: &'static str,
    pub(crate) arch: &'static str,
    format: BinaryFormat,
    architecture: Architecture,
    endian: Endianness,
    /// What tells the linker the machine.
    linker: &'static [&'static str],
}

impl Machine {
    pub(crate) fn target(&self) -> Target {
        let mut target = Target::new(self.os, self.arch);
        target.endian = match self.endian {
            Endianness::Little => toolrack::probe::Endian::Little,
            Endianness::Big => toolrack::probe::Endian::Big,
        };
        target
    }

    pub(crate) fn is(&self, os: &str, arch: &str) -> bool {
        self.os == os && self.arch == arch
    }
}

const fn elf(arch: &'static str, architecture: Architecture, linker: &'static [&'static str]) -> Machine {
    Machine { os: "linux", arch, format: BinaryFormat::Elf, architecture, endian: Endianness::Little, linker }
}

const fn big(machine: Machine) -> Machine {
    Machine { endian: Endianness::Big, ..machine }
}

const fn macho(arch: &'static str, architecture: Architecture, linker: &'static [&'static str]) -> Machine {
    Machine { os: "macos", format: BinaryFormat::MachO, ..elf(arch, architecture, linker) }
}

const fn pe(arch: &'static str, architecture: Architecture, linker: &'static [&'static str]) -> Machine {
    Machine { os: "windows", format: BinaryFormat::Coff, ..elf(arch, architecture, linker) }
}

/// Every machine that the linker links for, in both word sizes and both byte orders.
pub(crate) const MACHINES: &[Machine] = &[
    elf("x86_64", Architecture::X86_64, &["elf_x86_64"]),
    elf("x86", Architecture::I386, &["elf_i386"]),
    elf("aarch64", Architecture::Aarch64, &["aarch64linux"]),
    big(elf("aarch64", Architecture::Aarch64, &["aarch64linuxb"])),
    elf("arm", Architecture::Arm, &["armelf_linux_eabi"]),
    elf("riscv64", Architecture::Riscv64, &["elf64lriscv"]),
    elf("riscv32", Architecture::Riscv32, &["elf32lriscv"]),
    elf("powerpc64", Architecture::PowerPc64, &["elf64lppc"]),
    big(elf("powerpc", Architecture::PowerPc, &["elf32ppc"])),
    big(elf("s390x", Architecture::S390x, &["elf64_s390"])),
    elf("loongarch64", Architecture::LoongArch64, &["elf64loongarch"]),
    big(elf("mips", Architecture::Mips, &["elf32btsmip"])),
    macho("aarch64", Architecture::Aarch64, &["arm64", "11.0"]),
    macho("x86_64", Architecture::X86_64, &["x86_64", "13.0"]),
    pe("x86_64", Architecture::X86_64, &["/machine:x64"]),
    pe("aarch64", Architecture::Aarch64, &["/machine:arm64"]),
    pe("x86", Architecture::I386, &["/machine:x86", "/safeseh:no"]),
];

/// What the library of a test exports.
pub(crate) struct Export<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) kind: SectionKind,
}

/// The linker that comes with the compiler.
fn linker() -> &'static Path {
    static LINKER: OnceLock<PathBuf> = OnceLock::new();
    LINKER.get_or_init(|| {
        let output = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap();
        let lib = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).join("lib/rustlib");
        let found = std::fs::read_dir(lib).unwrap().flatten().find_map(|entry| {
            let linker = entry.path().join("bin").join(format!("rust-lld{}", std::env::consts::EXE_SUFFIX));
            linker.exists().then_some(linker)
        });
        found.expect("the toolchain has no rust-lld: `rustup component add llvm-tools`")
    })
}

fn object(machine: &Machine) -> Object<'static> {
    let mut object = Object::new(machine.format, machine.architecture, machine.endian);
    if machine.format == BinaryFormat::MachO {
        let mut version = object::write::MachOBuildVersion::default();
        version.platform = object::macho::PLATFORM_MACOS;
        version.minos = object::macho::Version(11 << 16);
        version.sdk = version.minos;
        object.set_macho_build_version(version);
    }
    object
}

/// Links a library that exports one thing.
pub(crate) fn link(machine: &Machine, export: &Export<'_>, out: &Path, extra: &[&str]) {
    let mut object = object(machine);
    let section = object.section_id(match export.kind {
        SectionKind::Text => object::write::StandardSection::Text,
        SectionKind::ReadOnlyData => object::write::StandardSection::ReadOnlyData,
        SectionKind::UninitializedData => object::write::StandardSection::UninitializedData,
        SectionKind::Tls => object::write::StandardSection::Tls,
        _ => object::write::StandardSection::Data,
    });
    let symbol = object.add_symbol(Symbol {
        name: export.name.as_bytes().to_vec(),
        value: 0,
        size: export.bytes.len() as u64,
        kind: match export.kind {
            SectionKind::Text => SymbolKind::Text,
            SectionKind::Tls => SymbolKind::Tls,
            _ => SymbolKind::Data,
        },
        scope: SymbolScope::Dynamic,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    });
    if export.kind == SectionKind::UninitializedData {
        object.add_symbol_bss(symbol, section, export.bytes.len() as u64, 8);
    } else {
        object.add_symbol_data(symbol, section, export.bytes, 8);
    }
    let exported =
        format!("/export:{}{}", export.name, if export.kind == SectionKind::Text { "" } else { ",DATA" });
    let exports: &[&str] = if machine.format == BinaryFormat::Coff { &[&exported] } else { &[] };
    run_linker(machine, &object, out, &[extra, exports].concat());
}

fn run_linker(machine: &Machine, object: &Object<'_>, out: &Path, extra: &[&str]) {
    let file = out.with_extension("o");
    std::fs::write(&file, object.write().unwrap()).unwrap();
    let mut command = Command::new(linker());
    match machine.format {
        BinaryFormat::Elf => {
            command.args(["-flavor", "gnu", "-shared", "-m", machine.linker[0], "-o"]).arg(out)
        }
        BinaryFormat::MachO => {
            let version = machine.linker[1];
            command
                .args([
                    "-flavor",
                    "darwin",
                    "-dylib",
                    "-arch",
                    machine.linker[0],
                    "-undefined",
                    "dynamic_lookup",
                ])
                .args([
                    "-platform_version",
                    "macos",
                    version,
                    version,
                    "-install_name",
                    "@rpath/libx.dylib",
                    "-o",
                ])
                .arg(out)
        }
        _ => command
            .args(["-flavor", "link", "/dll", "/noentry", "/nodefaultlib"])
            .args(machine.linker)
            .arg(format!("/out:{}", out.display())),
    };
    let output = command.arg(&file).args(extra).output().unwrap();
    assert!(output.status.success(), "{machine:?}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(file).unwrap();
}

/// The bytes of a library with a good header in it.
pub(crate) fn plugin(machine: &Machine) -> Vec<u8> {
    let header = Header { big: machine.endian == Endianness::Big, ..Header::default() }.bytes();
    exporting(machine, &Export { name: "register_tools", bytes: &header, kind: SectionKind::Data }, &[])
}

/// The bytes of a library that exports one thing.
pub(crate) fn exporting(machine: &Machine, export: &Export<'_>, extra: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("lib");
    link(machine, export, &out, extra);
    std::fs::read(out).unwrap()
}

/// The bytes of a library that uses `register_tools` of another.
pub(crate) fn importing(machine: &Machine) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let (other, out) = (folder.path().join("other.dll"), folder.path().join("lib"));
    let export = Export { name: "register_tools", bytes: &[7; 8], kind: SectionKind::Data };
    link(machine, &export, &other, &[]);
    let import_library = other.with_extension("lib");
    let windows = machine.format == BinaryFormat::Coff;
    let mut object = object(machine);
    let symbol = object.add_symbol(Symbol {
        name: if windows { b"__imp_register_tools".to_vec() } else { b"register_tools".to_vec() },
        value: 0,
        size: 0,
        kind: SymbolKind::Data,
        scope: SymbolScope::Unknown,
        weak: false,
        section: SymbolSection::Undefined,
        flags: SymbolFlags::None,
    });
    let section = object.section_id(object::write::StandardSection::Data);
    let offset = object.append_section_data(section, &[0; 8], 8);
    let flags = RelocationFlags::Generic {
        kind: RelocationKind::Absolute,
        encoding: RelocationEncoding::Generic,
        size: 64,
    };
    object.add_relocation(section, Relocation { offset, symbol, addend: 0, flags }).unwrap();
    let libraries: &[&str] = if windows { &[import_library.to_str().unwrap()] } else { &[] };
    run_linker(machine, &object, &out, libraries);
    std::fs::read(out).unwrap()
}

/// Several images in one file, as `lipo` writes it.
pub(crate) fn fat(slices: &[(u32, u32, &[u8])], wide: bool) -> Vec<u8> {
    let align = |len: usize| len.next_multiple_of(1 << 14);
    let mut out = if wide { 0xcafe_babfu32 } else { 0xcafe_babe }.to_be_bytes().to_vec();
    out.extend((slices.len() as u32).to_be_bytes());
    let mut at = align(8 + slices.len() * 32);
    for (cpu, subtype, bytes) in slices {
        out.extend(cpu.to_be_bytes());
        out.extend(subtype.to_be_bytes());
        if wide {
            out.extend((at as u64).to_be_bytes());
            out.extend((bytes.len() as u64).to_be_bytes());
            out.extend([0, 0, 0, 14, 0, 0, 0, 0]);
        } else {
            out.extend((at as u32).to_be_bytes());
            out.extend((bytes.len() as u32).to_be_bytes());
            out.extend([0, 0, 0, 14]);
        }
        at = align(at + bytes.len());
    }
    for (_, _, bytes) in slices {
        out.resize(align(out.len()), 0);
        out.extend(*bytes);
    }
    out
}
