use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use object::SectionKind;
use toolrack::Code;
use toolrack::probe::Target;

use crate::build::Header;
use crate::images::{Export, MACHINES, exporting, fat, plugin};
use crate::laws::{code, linux, probed_for};
use crate::synth::{Elf, Hash, Sym};

/// The codes that a file's bytes alone decide, of those that are not of the file itself.
const DECIDED: &[Code] = &[
    Code::T1004,
    Code::T1008,
    Code::T2001,
    Code::T2002,
    Code::T2003,
    Code::T2004,
    Code::T2005,
    Code::T2006,
    Code::T2007,
    Code::T2008,
    Code::T2009,
    Code::T3002,
    Code::T3004,
    Code::T3006,
    Code::T3008,
    Code::T4001,
    Code::T4002,
    Code::T4003,
    Code::T4004,
    Code::T4005,
    Code::T4006,
    Code::T4008,
    Code::T4009,
];

/// Where the fuzzer's first inputs stand.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds/probe")
}

/// A file for every verdict, in every format.
pub(crate) fn all() -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    elf(&mut |name, elf| _ = all.insert(format!("elf-{name}"), elf.bytes()));
    headers(&mut |name, header| {
        let bytes = Elf { header: header.bytes(), ..Elf::default() }.bytes();
        all.insert(format!("header-{name}"), bytes);
    });
    let mut cut = Elf::default().bytes();
    cut.truncate(400);
    all.insert("elf-cut".into(), cut);
    all.insert("elf-debug".into(), debug());
    for (name, text) in [
        ("empty", &b""[..]),
        ("script", b"/* GNU ld script */\nGROUP ( libx.so.6 AS_NEEDED ( liby.so ) )\n"),
        ("text", b"hello, I am text\n"),
        ("archive", b"!<arch>\n"),
        ("java", b"\xCA\xFE\xBA\xBE\0\0\0\x3D"),
    ] {
        all.insert(format!("text-{name}"), text.to_vec());
    }
    images(&mut all);
    all
}

fn elf(add: &mut dyn FnMut(&str, Elf)) {
    let good = Elf::default;
    add("good", good());
    add("sysv", Elf { hash: Hash::Sysv, ..good() });
    add("other", Elf { symbols: Vec::new(), ..good() });
    add("narrow", Elf { wide: false, machine: 3, ..good() });
    let header = Header { big: true, ..Header::default() }.bytes();
    add("big", Elf { big: true, machine: 22, header, ..good() });
    add("machine", Elf { machine: 183, ..good() });
    add("system", Elf { os_abi: 9, ..good() });
    add("kind", Elf { kind: 99, ..good() });
    add("object", Elf { kind: 1, ..good() });
    add("program", Elf { flags_1: 0x0800_0000, ..good() });
    add("no-open", Elf { flags_1: 0x40, ..good() });
    add("stack", Elf { stack: Some(7), ..good() });
    add("no-stack", Elf { stack: None, ..good() });
    add("glibc", Elf { needs: Some(("GLIBC_2.99", false)), ..good() });
    add("musl", Elf { needed: vec!["libc.musl-x86_64.so.1"], ..good() });
    add("processor", Elf { processor: Some(15), ..good() });
    add(
        "links",
        Elf { needed: vec!["liba.so", "libb.so"], run_path: Some("$ORIGIN"), soname: Some("x"), ..good() },
    );
    let symbol = |symbol: Sym| Elf { symbols: vec![symbol], ..good() };
    add("function", symbol(Sym { info: 0x12, ..Sym::default() }));
    add("thread-local", symbol(Sym { info: 0x16, ..Sym::default() }));
    add("imported", symbol(Sym { section: 0, ..Sym::default() }));
    add("near", symbol(Sym { name: "registerTools", ..Sym::default() }));
    let versioned = Elf { versions: true, needs: Some(("GLIBC_2.2.5", false)), ..good() };
    add("version", Elf { symbols: vec![Sym { version: 0x8002, ..Sym::default() }], ..versioned.clone() });
    add(
        "versions",
        Elf { symbols: vec![Sym { version: 2, ..Sym::default() }; 3], hash: Hash::Both, ..versioned },
    );
}

fn headers(add: &mut dyn FnMut(&str, Header)) {
    let good = Header::default;
    add("kind", Header { kind: 2, ..good() });
    add("abi", Header { abi: [9, 0], ..good() });
    add("abi-stable", Header { abi_stable: [9, 0], ..good() });
    add("root", Header { root_offset: u32::MAX, ..good() });
    add("manifest-outside", Header { manifest_len: u32::MAX, ..good() });
    add("manifest", Header::with_manifest(br#"{"name":"x","tools":[{"name":"a"},{"name":"a"}]}"#));
}

fn debug() -> Vec<u8> {
    let mut debug = Elf::default().build();
    let table = debug.bytes.len().next_multiple_of(8);
    debug.bytes.resize(table + 128, 0);
    debug.word(40, table as u64).u16(58, 64).u16(60, 2);
    debug.u32(table + 64 + 4, 8).word(table + 64 + 8, 2 | 4);
    let header = debug.program_headers;
    debug.word(header + 32, 1 << 20).word(header + 40, 1 << 20);
    debug.bytes
}

fn images(all: &mut BTreeMap<String, Vec<u8>>) {
    let machine = |os, arch| MACHINES.iter().find(|machine| machine.is(os, arch)).unwrap();
    let intel = plugin(machine("macos", "x86_64"));
    all.insert("macho-fat".into(), fat(&[(0x0100_0007, 3, &intel)], false));
    all.insert("macho".into(), intel);
    all.insert("pe".into(), plugin(machine("windows", "x86_64")));
    all.insert("pe-narrow".into(), plugin(machine("windows", "x86")));
    let near = Export { name: "registerTools", bytes: &[7; 8], kind: SectionKind::Data };
    all.insert("pe-near".into(), exporting(machine("windows", "x86_64"), &near, &[]));
    all.insert("macho-near".into(), exporting(machine("macos", "x86_64"), &near, &[]));
}

/// The codes that a set of files reaches, for a Linux host and for those of the other formats.
fn reached<'a>(files: impl IntoIterator<Item = &'a Vec<u8>>) -> BTreeSet<Code> {
    let targets = [linux(), Target::new("macos", "x86_64"), Target::new("windows", "x86_64")];
    let mut reached = BTreeSet::new();
    for bytes in files {
        reached.extend(targets.iter().filter_map(|target| code(&probed_for(bytes, target))));
    }
    reached
}

#[test]
fn there_is_a_file_for_every_code_that_bytes_decide() {
    let reached = reached(all().values());
    assert_eq!(reached, DECIDED.iter().copied().collect());
}

/// The files are kept, so that the fuzzer starts without a linker. `TOOLRACK_WRITE_SEEDS=1` writes them anew.
#[test]
fn the_fuzzers_seeds_reach_every_code() {
    if std::env::var_os("TOOLRACK_WRITE_SEEDS").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        for (name, bytes) in all() {
            std::fs::write(folder().join(name), bytes).unwrap();
        }
    }
    let kept: BTreeMap<String, Vec<u8>> = std::fs::read_dir(folder())
        .unwrap()
        .flatten()
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    let reached = reached(kept.values());
    for code in DECIDED {
        println!("{code} {} {}", if reached.contains(code) { "reached" } else { "missed " }, code.title());
    }
    let missed: Vec<_> = DECIDED.iter().filter(|code| !reached.contains(code)).collect();
    assert!(missed.is_empty(), "no seed reaches {missed:?}: TOOLRACK_WRITE_SEEDS=1 writes them anew");
    let names: Vec<_> = all().into_keys().collect();
    assert_eq!(kept.into_keys().collect::<Vec<_>>(), names, "TOOLRACK_WRITE_SEEDS=1 writes the seeds anew");
}
