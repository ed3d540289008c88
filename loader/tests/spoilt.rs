use object::SectionKind;
use toolrack::Code;
use toolrack::probe::{Target, Verdict};

use crate::build::Header;
use crate::images::{Export, MACHINES, exporting};
use crate::laws::{code, probed_for};

/// A linked image that a test changes in places; little-endian.
struct Image {
    bytes: Vec<u8>,
    target: Target,
}

impl Image {
    fn plugin(os: &str, arch: &str) -> Self {
        let machine = MACHINES.iter().find(|machine| machine.is(os, arch)).unwrap();
        let header = Header::default().bytes();
        let export = Export { name: "register_tools", bytes: &header, kind: SectionKind::Data };
        Image { bytes: exporting(machine, &export, &[]), target: machine.target() }
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    fn put(&mut self, at: usize, raw: &[u8]) {
        self.bytes[at..at + raw.len()].copy_from_slice(raw);
    }

    fn put_u32(&mut self, at: usize, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    #[track_caller]
    fn is(&self, expected: Option<Code>) -> String {
        let probe = probed_for(&self.bytes, &self.target);
        assert_eq!(code(&probe), expected, "{:?}", probe.verdict);
        assert_eq!(probe.verdict == Verdict::Plugin, expected.is_none(), "{:?}", probe.verdict);
        probe.verdict.finding().map(|finding| finding.reason.clone()).unwrap_or_default()
    }
}

const LC_SYMTAB: u32 = 0x2;
const LC_SEGMENT_64: u32 = 0x19;
const LC_BUILD_VERSION: u32 = 0x32;
const LC_DYLD_INFO_ONLY: u32 = 0x8000_0022;
const LC_DYLD_EXPORTS_TRIE: u32 = 0x8000_0033;

fn macho() -> Image {
    Image::plugin("macos", "aarch64")
}

impl Image {
    /// Where a load command stands.
    fn command(&self, kind: u32) -> Option<usize> {
        let mut at = 32;
        for _ in 0..self.u32(16) {
            if self.u32(at) == kind {
                return Some(at);
            }
            at += self.u32(at + 4) as usize;
        }
        None
    }

    /// Where the field stands that says where the export trie stands.
    fn trie_field(&self) -> usize {
        self.command(LC_DYLD_EXPORTS_TRIE)
            .map(|at| at + 8)
            .or_else(|| self.command(LC_DYLD_INFO_ONLY).map(|at| at + 40))
            .unwrap()
    }

    /// Puts another trie in the place of the image's own.
    fn with_trie(mut self, trie: &[u8]) -> Self {
        let at = self.trie_field();
        let (offset, len) = (self.u32(at) as usize, self.u32(at + 4) as usize);
        assert!(trie.len() <= len, "{} bytes for a trie of {}", len, trie.len());
        self.put(offset, trie);
        self.put_u32(at + 4, trie.len() as u32);
        self
    }
}

/// A trie with one leaf.
fn leaf(payload: &[u8]) -> Vec<u8> {
    let name = b"_register_tools\0";
    let mut trie = vec![0, 1];
    trie.extend(name);
    trie.push(trie.len() as u8 + 1);
    trie.push(payload.len() as u8);
    trie.extend(payload);
    trie.push(0);
    trie
}

#[test]
fn a_macho_file_that_is_no_library_says_what_it_is() {
    for (kind, expected) in [
        (1, Code::T2003),
        (2, Code::T2003),
        (4, Code::T2001),
        (9, Code::T2003),
        (10, Code::T2004),
        (11, Code::T2003),
        (99, Code::T2005),
    ] {
        let mut image = macho();
        image.put_u32(12, kind);
        image.is(Some(expected));
    }
    let mut bundle = macho();
    bundle.put_u32(12, 8);
    bundle.is(None);
}

#[test]
fn load_commands_fit_where_they_stand() {
    for (at, value, expected) in
        [(16, u32::MAX, Code::T2005), (20, u32::MAX, Code::T1008), (20, 8, Code::T2005), (36, 0, Code::T2005)]
    {
        let mut image = macho();
        image.put_u32(at, value);
        image.is(Some(expected));
    }
    // More than fits into the budget, in a file that has the bytes.
    let mut image = macho();
    image.bytes.resize(1 << 20, 0);
    image.put_u32(20, 1 << 19);
    image.is(Some(Code::T2005));
    let mut image = macho();
    let segment = image.command(LC_SEGMENT_64).unwrap();
    image.put_u32(segment + 64, u32::MAX);
    image.is(Some(Code::T2005));
}

#[test]
fn what_a_load_command_names_lies_in_the_file() {
    let mut image = macho();
    let field = image.trie_field();
    image.put_u32(field, u32::MAX - 4);
    image.is(Some(Code::T1008));
    let mut image = macho();
    let table = image.command(LC_SYMTAB).unwrap();
    image.put_u32(table + 12, u32::MAX);
    image.is(Some(Code::T1008));
    let mut image = macho();
    let segment = image.command(LC_SEGMENT_64).unwrap();
    image.put(segment + 48, &u64::MAX.to_le_bytes());
    image.is(Some(Code::T2005));
}

#[test]
fn an_export_trie_that_leads_astray_is_malformed() {
    // Edges without letters, in a circle; a child outside; a number without end; an edge without end.
    macho().with_trie(&[0, 1, 0, 0]).is(Some(Code::T2005));
    macho().with_trie(&[0, 1, b'_', 0, 0x7f]).is(Some(Code::T2005));
    macho().with_trie(&[0xff; 16]).is(Some(Code::T2005));
    macho().with_trie(&[0, 1, b'_', b'r']).is(Some(Code::T2005));
    macho().with_trie(&[5, 0]).is(Some(Code::T2005));
    macho().with_trie(&leaf(&[3, 0])).is(Some(Code::T2005));
}

#[test]
fn an_export_that_is_no_data_of_the_image_is_no_header() {
    for (payload, word) in [
        (&[8, 1, 0][..], "forwarded to the same name of the library that it needs as number 1"),
        (&[8, 2, b'_', b'x', 0], "forwarded to `_x`"),
        (&[1, 0], "thread-local"),
        (&[2, 7], "a plain number"),
        (&[0x10, 0, 0], "chosen while the library loads"),
        (&[0, 0xff, 0xff, 0xff, 0x7f], "without bytes in the file"),
    ] {
        let reason = macho().with_trie(&leaf(payload)).is(Some(Code::T4001));
        assert!(reason.contains(word), "{reason}");
    }
}

#[test]
fn without_a_trie_the_symbol_table_counts() {
    let mut image = macho();
    let field = image.trie_field();
    let command = if image.command(LC_DYLD_EXPORTS_TRIE).is_some() { field - 8 } else { field - 40 };
    image.put_u32(command, 0x7777);
    image.is(None);
    // With both it is the trie.
    let probe = {
        let image = macho().with_trie(&[0, 0]);
        probed_for(&image.bytes, &image.target)
    };
    assert!(matches!(probe.verdict, Verdict::Other(_)), "{:?}", probe.verdict);
}

#[test]
fn a_library_for_a_telephone_is_foreign_to_a_desk() {
    let mut image = macho();
    let version = image.command(LC_BUILD_VERSION).unwrap();
    image.put_u32(version + 8, 2);
    image.is(Some(Code::T2006));
    image.target = Target::new("ios", "aarch64");
    image.is(None);
}

fn pe() -> Image {
    Image::plugin("windows", "x86_64")
}

impl Image {
    /// Where the signature stands.
    fn start(&self) -> usize {
        self.u32(60) as usize
    }

    /// The first header of a section.
    fn section(&self) -> usize {
        self.start() + 24 + usize::from(self.bytes[self.start() + 20])
    }

    /// Where an address of the image stands in the file.
    fn place(&self, rva: u32) -> usize {
        for section in (self.section()..).step_by(40).take(usize::from(self.bytes[self.start() + 6])) {
            let (len, start) = (self.u32(section + 8), self.u32(section + 12));
            if (start..start + len).contains(&rva) {
                return (rva - start + self.u32(section + 20)) as usize;
            }
        }
        panic!("no section has {rva:#x}");
    }

    fn exports(&self) -> usize {
        self.place(self.u32(self.start() + 24 + 112))
    }
}

#[test]
fn a_pe_file_that_is_no_library_says_what_it_is() {
    let mut program = pe();
    let flags = program.start() + 22;
    let kept = program.bytes[flags + 1] & !0x20;
    program.put(flags + 1, &[kept]);
    program.is(Some(Code::T2003));
    let mut unlinked = pe();
    let kept = unlinked.bytes[flags] & !2;
    unlinked.put(flags, &[kept]);
    unlinked.is(Some(Code::T2003));
    let mut dos = pe();
    let start = dos.start();
    dos.put(start, b"NE\0\0");
    dos.is(Some(Code::T2003));
}

#[test]
fn the_headers_of_a_pe_file_are_bounded() {
    let start = pe().start();
    for (at, raw, expected) in [
        (60, &u32::MAX.to_le_bytes()[..], Code::T1008),
        (start + 24, &[0x0b, 0x09], Code::T2005),
        (start + 20, &[1, 0], Code::T2005),
        (start + 20, &[0xff, 0xff], Code::T1008),
        (start + 6, &[0xff, 0xff], Code::T1008),
    ] {
        let mut image = pe();
        image.put(at, raw);
        image.is(Some(expected));
    }
    let mut many = pe();
    many.bytes.resize(4 << 20, 0);
    many.put(start + 6, &[0xff, 0xff]);
    many.is(Some(Code::T2005));
    for len in [2, 63, 64, start + 10, start + 100] {
        let mut image = pe();
        image.bytes.truncate(len);
        image.is(Some(if len == 2 { Code::T2001 } else { Code::T1008 }));
    }
}

#[test]
fn a_section_is_in_the_file_and_in_order() {
    let mut image = pe();
    let section = image.section();
    image.put_u32(section + 16, 1 << 24);
    image.is(Some(Code::T1008));
    let mut image = pe();
    image.put_u32(section + 8, 1 << 24);
    image.is(Some(Code::T2005));
}

#[test]
fn an_export_directory_that_leads_astray_is_malformed() {
    let directory = pe().start() + 24 + 112;
    let exports = pe().exports();
    for (at, value) in [
        (directory, 0x7fff_0000),
        (exports + 24, u32::MAX),
        (exports + 20, 0),
        (exports + 28, 0x7fff_0000),
        (exports + 32, u32::MAX - 3),
        (exports + 36, 0x7fff_0000),
    ] {
        let mut image = pe();
        image.put_u32(at, value);
        image.is(Some(Code::T2005));
    }
    let mut image = pe();
    let name = image.place(image.u32(exports + 32));
    image.put_u32(name, 0x7fff_0000);
    image.is(Some(Code::T2005));
}

#[test]
fn a_library_without_exports_is_no_rejection() {
    for (at, value) in [(pe().start() + 24 + 112, 0), (pe().exports() + 24, 0)] {
        let mut image = pe();
        image.put_u32(at, value);
        let probe = probed_for(&image.bytes, &image.target);
        assert!(matches!(probe.verdict, Verdict::Other(_)), "{:?}", probe.verdict);
    }
}

#[test]
fn a_forwarded_export_is_no_header() {
    let mut image = pe();
    let exports = image.exports();
    let functions = image.place(image.u32(exports + 28));
    // Into the directory itself, where the library's name stands.
    let name = image.u32(exports + 12);
    image.put_u32(functions, name);
    let reason = image.is(Some(Code::T4001));
    assert!(reason.contains("forwarded to `lib"), "{reason}");
}
