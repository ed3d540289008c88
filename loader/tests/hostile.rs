use toolrack::Code;
use toolrack::probe::{self, Libc, Target, Verdict};

use crate::build::Header;
use crate::laws::{linux, probed};
use crate::synth::{Built, Elf, Hash, Sym};

#[track_caller]
fn is_plugin(bytes: &[u8]) {
    let probe = probed(bytes);
    assert_eq!(probe.verdict, Verdict::Plugin);
}

#[track_caller]
fn is_other(bytes: &[u8]) {
    let probe = probed(bytes);
    assert!(matches!(probe.verdict, Verdict::Other(_)), "{:?}", probe.verdict);
}

#[track_caller]
fn is_rejected(code: Code, bytes: &[u8]) {
    let probe = probed(bytes);
    assert!(
        matches!(&probe.verdict, Verdict::Rejected(finding) if finding.code == code),
        "{:?}",
        probe.verdict
    );
}

/// The good image with one thing done to it.
fn spoilt(spoil: impl FnOnce(&mut Built)) -> Vec<u8> {
    spoilt_of(Elf::default(), spoil)
}

fn spoilt_of(elf: Elf, spoil: impl FnOnce(&mut Built)) -> Vec<u8> {
    let mut built = elf.build();
    spoil(&mut built);
    built.bytes
}

fn with_symbol(symbol: Sym) -> Vec<u8> {
    Elf { symbols: vec![symbol], ..Elf::default() }.bytes()
}

#[test]
fn every_word_size_byte_order_and_hash_table_is_read() {
    for (wide, big, machine, arch) in [
        (true, false, 62, "x86_64"),
        (false, false, 3, "x86"),
        (true, true, 22, "s390x"),
        (false, true, 8, "mips"),
        (true, false, 183, "aarch64"),
    ] {
        for hash in [Hash::Gnu, Hash::Sysv, Hash::Both] {
            let header = Header { big, ..Header::default() }.bytes();
            let bytes = Elf { wide, big, machine, hash, header, ..Elf::default() }.bytes();
            let probe = probe::probe(&bytes, &Target::new("linux", arch));
            assert_eq!(probe.verdict, Verdict::Plugin, "{arch}");
        }
    }
}

#[test]
fn of_two_hash_tables_the_newer_counts() {
    is_other(&spoilt_of(Elf { hash: Hash::Both, ..Elf::default() }, |image| {
        image.u32(image.gnu_hash, 0);
    }));
    is_plugin(&spoilt_of(Elf { hash: Hash::Both, ..Elf::default() }, |image| {
        image.u32(image.sysv_hash, 0);
    }));
}

#[test]
fn an_impossible_header_is_malformed() {
    for spoil in [
        (|image| image.bytes[4] = 3) as fn(&mut Built),
        |image| image.bytes[5] = 0,
        |image| image.bytes[6] = 2,
        |image| image.bytes[20] = 2,
        |image| _ = image.u16(16, 7),
        |image| _ = image.u16(56, 0),
        |image| _ = image.u16(54, 32),
    ] {
        is_rejected(Code::T2005, &spoilt(spoil));
    }
}

#[test]
fn a_huge_count_of_program_headers_costs_nothing() {
    let huge = |image: &mut Built| _ = image.u16(56, 65535);
    is_rejected(Code::T1008, &spoilt(huge));
    let mut long = spoilt(huge);
    long.resize(65537 * 56, 0);
    is_rejected(Code::T2005, &long);
}

#[test]
fn a_table_beyond_the_end_is_incomplete() {
    is_rejected(Code::T1008, &spoilt(|image| _ = image.word(32, 1 << 40)));
    is_rejected(Code::T1008, &spoilt(|image| _ = image.word(32, u64::MAX - 8)));
    for len in [4, 5, 16, 63, 64, 100] {
        is_rejected(Code::T1008, &Elf::default().bytes()[..len]);
    }
}

#[test]
fn a_segment_is_complete_possible_and_in_order() {
    // Of the first program header: offset 8, address 16, bytes in the file 32, in memory 40.
    let first = |image: &Built| image.program_headers;
    is_rejected(
        Code::T1008,
        &spoilt(|image| {
            let first = first(image);
            image.word(first + 32, 1 << 20).word(first + 40, 1 << 20);
        }),
    );
    is_rejected(
        Code::T1008,
        &spoilt(|image| {
            image.word(first(image) + 8, u64::MAX - 16);
        }),
    );
    is_rejected(Code::T2005, &spoilt(|image| _ = image.word(first(image) + 40, 1)));
    is_rejected(Code::T2005, &spoilt(|image| _ = image.word(first(image) + 16, u64::MAX - 4)));
    // No segment at all; then the stack's header as a second segment over the first.
    is_rejected(Code::T2005, &spoilt(|image| _ = image.u32(first(image), 0)));
    is_rejected(
        Code::T2005,
        &spoilt(|image| {
            let third = first(image) + 2 * 56;
            image.u32(third, 1).word(third + 32, 8).word(third + 40, 8);
        }),
    );
}

#[test]
fn a_dynamic_section_is_there_ends_and_names_its_tables() {
    is_rejected(Code::T2005, &spoilt(|image| _ = image.u32(image.program_headers + 56, 0)));
    is_rejected(Code::T2005, &spoilt(|image| _ = image.word(image.program_headers + 56 + 16, 1 << 30)));
    is_rejected(Code::T2005, &spoilt(|image| _ = image.word(image.program_headers + 56 + 40, 32)));
    for tag in [5, 6] {
        is_rejected(Code::T2005, &spoilt(|image| _ = image.forget(tag)));
        for value in [0x7fff_ffff_0000, u64::MAX, u64::MAX - 7] {
            is_rejected(Code::T2005, &spoilt(|image| _ = image.dynamic(tag, value)));
        }
    }
    // All zeros: a copy whose blocks were reserved before they were written.
    is_rejected(Code::T2005, &spoilt(|image| image.bytes[image.header..].fill(0)));
}

#[test]
fn without_a_hash_table_or_buckets_nothing_is_found() {
    is_other(&Elf { hash: Hash::None, ..Elf::default() }.bytes());
    is_other(&spoilt(|image| _ = image.u32(image.gnu_hash, 0)));
    is_other(&spoilt_of(Elf { hash: Hash::Sysv, ..Elf::default() }, |image| {
        _ = image.u32(image.sysv_hash, 0)
    }));
}

#[test]
fn a_hostile_hash_table_is_malformed_and_left_soon() {
    let at = |image: &Built, field: usize| image.gnu_hash + field * 4;
    for (field, value) in [(2, 0), (2, 3), (2, 1 << 31), (3, 255), (0, 1 << 31), (0, u32::MAX), (1, u32::MAX)]
    {
        is_rejected(Code::T2005, &spoilt(|image| _ = image.u32(at(image, field), value)));
    }
    // The bucket: before the first symbol, and far away.
    is_rejected(Code::T2005, &spoilt(|image| _ = image.u32(at(image, 1), 5)));
    is_rejected(Code::T2005, &spoilt(|image| _ = image.u32(at(image, 6), u32::MAX)));
    // A table at the end of the address space.
    is_rejected(Code::T2005, &spoilt(|image| _ = image.dynamic(0x6fff_fef5, u64::MAX - 15)));
}

#[test]
fn a_chain_without_end_is_malformed() {
    let mut endless = Elf::default().build();
    let (table, load) = (endless.gnu_hash, endless.program_headers);
    let start = endless.bytes[table..table + 28].to_vec();
    let at = endless.bytes.len().next_multiple_of(8);
    endless.bytes.resize(at, 0);
    endless.bytes.extend(start);
    // A megabyte of entries, none of which is the last.
    endless.bytes.resize(1 << 20, 2);
    endless.word(load + 32, 1 << 20).word(load + 40, 1 << 20).dynamic(0x6fff_fef5, at as u64);
    let counting = crate::counting::Counting::new(endless.bytes.clone());
    probe::probe(&counting, &linux());
    assert!(counting.read() <= probe::MAX_READ);
    is_rejected(Code::T2005, &endless.bytes);
}

#[test]
fn a_chain_that_leads_in_a_circle_is_malformed() {
    let sysv =
        || Elf { hash: Hash::Sysv, symbols: vec![Sym { name: "other", ..Sym::default() }], ..Elf::default() };
    is_rejected(Code::T2005, &spoilt_of(sysv(), |image| _ = image.u32(image.sysv_hash + 16, 1)));
    is_rejected(Code::T2005, &spoilt_of(sysv(), |image| _ = image.u32(image.sysv_hash + 8, 0x7fff_ffff)));
    is_rejected(
        Code::T2005,
        &spoilt_of(sysv(), |image| {
            let table = image.sysv_hash;
            image.u32(table + 4, u32::MAX).u32(table + 16, 1);
        }),
    );
}

#[test]
fn a_version_counts_as_it_does_for_dlsym() {
    let versioned = |versions: &[u16]| {
        let symbols = versions.iter().map(|version| Sym { version: *version, ..Sym::default() }).collect();
        Elf { symbols, versions: true, needs: Some(("GLIBC_2.2.5", false)), ..Elf::default() }
    };
    is_plugin(&versioned(&[2]).bytes());
    is_plugin(&versioned(&[1]).bytes());
    is_plugin(&versioned(&[0x8001]).bytes());
    is_plugin(&versioned(&[0x8002, 3]).bytes());
    is_rejected(Code::T4002, &versioned(&[0x8002]).bytes());
    is_rejected(Code::T4002, &versioned(&[2, 3]).bytes());
    // glibc looks at versions only where some are needed or defined.
    is_plugin(&Elf { needs: None, ..versioned(&[0x8002]) }.bytes());
    is_rejected(Code::T2005, &spoilt_of(versioned(&[2]), |image| _ = image.dynamic(0x6fff_fff0, 1 << 40)));
}

#[test]
fn only_what_other_objects_see_counts() {
    is_other(&with_symbol(Sym { info: 0x01, ..Sym::default() }));
    is_other(&with_symbol(Sym { other: 2, ..Sym::default() }));
    is_other(&with_symbol(Sym { other: 1, ..Sym::default() }));
    is_plugin(&with_symbol(Sym { info: 0x21, ..Sym::default() }));
    is_plugin(&with_symbol(Sym { info: 0xa1, ..Sym::default() }));
    is_plugin(&with_symbol(Sym { other: 3, ..Sym::default() }));
    is_plugin(&with_symbol(Sym { info: 0x10, ..Sym::default() }));
}

#[test]
fn what_is_no_data_in_the_file_is_no_header() {
    for info in [0x12, 0x1a, 0x16, 0x15] {
        is_rejected(Code::T4001, &with_symbol(Sym { info, ..Sym::default() }));
    }
    is_rejected(Code::T4001, &with_symbol(Sym { section: 0xfff1, ..Sym::default() }));
    is_rejected(Code::T4001, &with_symbol(Sym { value: Some(1 << 20), ..Sym::default() }));
    // Zeros behind the end of the file's part of the segment.
    is_rejected(
        Code::T4001,
        &spoilt_of(
            Elf { symbols: vec![Sym { value: Some(1 << 16), ..Sym::default() }], ..Elf::default() },
            |image| _ = image.word(image.program_headers + 40, 1 << 20),
        ),
    );
    // A section's own symbol, and one without an address, are none to the system.
    is_other(&with_symbol(Sym { info: 0x13, ..Sym::default() }));
    is_other(&with_symbol(Sym { value: Some(0), ..Sym::default() }));
}

#[test]
fn a_symbol_smaller_than_a_header_is_none() {
    for size in [0, 67] {
        is_rejected(Code::T4001, &spoilt(|image| _ = image.word(image.symbols + 24 + 16, size)));
    }
    is_plugin(&spoilt(|image| _ = image.word(image.symbols + 24 + 16, 1 << 40)));
}

#[test]
fn a_program_and_what_may_not_be_opened_are_said_to_be_so_also_when_cut() {
    let program = Elf { flags_1: 0x0800_0000, ..Elf::default() };
    is_rejected(Code::T2003, &program.bytes());
    is_rejected(
        Code::T2003,
        &spoilt_of(program, |image| _ = image.word(image.program_headers + 40, 1 << 20)),
    );
    is_rejected(Code::T2009, &Elf { flags_1: 0x40, ..Elf::default() }.bytes());
    is_rejected(Code::T2003, &Elf { kind: 1, ..Elf::default() }.bytes());
    is_rejected(Code::T2003, &Elf { kind: 2, ..Elf::default() }.bytes());
    is_rejected(Code::T2001, &Elf { kind: 4, ..Elf::default() }.bytes());
}

#[test]
fn debug_information_is_told_from_a_damaged_library() {
    let mut debug = Elf::default().build();
    let table = debug.bytes.len().next_multiple_of(8);
    debug.bytes.resize(table + 128, 0);
    debug.word(40, table as u64).u16(58, 64).u16(60, 2);
    // A section with code, and without bytes.
    debug.u32(table + 64 + 4, 8).word(table + 64 + 8, 2 | 4);
    let header = debug.program_headers;
    debug.word(header + 32, 1 << 20).word(header + 40, 1 << 20);
    is_rejected(Code::T2004, &debug.bytes);
}

#[test]
fn another_system_and_machine_are_said_before_damage() {
    is_rejected(Code::T2006, &Elf { os_abi: 9, ..Elf::default() }.bytes());
    is_rejected(Code::T2006, &Elf { os_abi: 77, ..Elf::default() }.bytes());
    is_rejected(Code::T2007, &Elf { machine: 183, ..Elf::default() }.bytes());
    is_rejected(Code::T2007, &Elf { machine: 0x4242, ..Elf::default() }.bytes());
    is_rejected(Code::T2007, &Elf { machine: 183, ..Elf::default() }.bytes()[..100]);
    is_rejected(
        Code::T2007,
        &spoilt_of(Elf { machine: 183, ..Elf::default() }, |image| _ = image.u16(56, 0)),
    );
    let narrow = Elf { wide: false, machine: 3, ..Elf::default() };
    is_rejected(Code::T2008, &narrow.bytes());
    is_rejected(Code::T2008, &narrow.bytes()[..20]);
    is_rejected(Code::T2008, &Elf { big: true, machine: 22, ..Elf::default() }.bytes());
    let foreign = Elf { machine: 183, symbols: Vec::new(), ..Elf::default() };
    is_other(&foreign.bytes());
}

#[test]
fn linking_is_judged_for_the_target() {
    is_rejected(Code::T3004, &Elf { stack: Some(7), ..Elf::default() }.bytes());
    is_rejected(Code::T3004, &Elf { stack: None, ..Elf::default() }.bytes());
    is_rejected(Code::T3002, &Elf { needs: Some(("GLIBC_2.32", false)), ..Elf::default() }.bytes());
    is_rejected(Code::T3002, &Elf { needs: Some(("GLIBC_ABI_DT_RELR", false)), ..Elf::default() }.bytes());
    is_plugin(&Elf { needs: Some(("GLIBC_2.31", false)), ..Elf::default() }.bytes());
    is_plugin(&Elf { needs: Some(("GLIBC_2.99", true)), ..Elf::default() }.bytes());
    is_plugin(&Elf { needs: Some(("OTHER_9", false)), ..Elf::default() }.bytes());
    is_rejected(Code::T3006, &Elf { needed: vec!["libc.musl-x86_64.so.1"], ..Elf::default() }.bytes());
    is_rejected(Code::T3008, &Elf { processor: Some(1 | 2 | 4), ..Elf::default() }.bytes());
    is_plugin(&Elf { processor: Some(1 | 2), ..Elf::default() }.bytes());
}

#[test]
fn musl_takes_no_library_of_glibc_and_never_makes_the_stack_executable() {
    let mut musl = linux();
    musl.libc = Some(Libc::Musl);
    let code = |elf: &Elf| probe::probe(&elf.bytes(), &musl).verdict.finding().map(|finding| finding.code);
    assert_eq!(code(&Elf { needs: Some(("GLIBC_2.2.5", false)), ..Elf::default() }), Some(Code::T3006));
    assert_eq!(code(&Elf { needed: vec!["libc.musl-x86_64.so.1"], stack: None, ..Elf::default() }), None);
    assert_eq!(code(&Elf { stack: Some(7), ..Elf::default() }), Some(Code::T3004));
}

#[test]
fn a_machine_whose_stack_is_plain_by_default_need_not_say_so() {
    let bytes = Elf { machine: 183, stack: None, ..Elf::default() }.bytes();
    assert_eq!(probe::probe(&bytes, &Target::new("linux", "aarch64")).verdict, Verdict::Plugin);
}

#[test]
fn a_linux_library_is_foreign_to_another_system_with_plain_elf() {
    let bytes = Elf::default().bytes();
    let on = |os: &str| probe::probe(&bytes, &Target::new(os, "x86_64")).verdict;
    assert!(matches!(on("freebsd"), Verdict::Rejected(finding) if finding.code == Code::T2006));
    assert!(matches!(on("macos"), Verdict::Rejected(finding) if finding.code == Code::T2006));
}

#[test]
fn what_a_plugin_links_to_is_told() {
    let bytes = Elf {
        needed: vec!["libhelper.so", "libc.so.6"],
        needs: Some(("GLIBC_2.17", false)),
        soname: Some("libx.so"),
        run_path: Some("$ORIGIN/lib:/opt/lib"),
        ..Elf::default()
    };
    let links = probed(&bytes.bytes()).links;
    assert_eq!(links.needed, ["libhelper.so", "libc.so.6"]);
    assert_eq!(links.soname.as_deref(), Some("libx.so"));
    assert_eq!(links.run_path, ["$ORIGIN/lib", "/opt/lib"]);
    assert_eq!(links.glibc, Some((2, 17)));
    assert!(links.looks_beside_itself());
}

#[test]
fn a_table_of_versions_without_end_is_malformed() {
    let mut built = Elf { needs: Some(("GLIBC_2.2.5", false)), ..Elf::default() }.build();
    // Each entry of the only file follows itself at no distance: a step of 16 back is a huge step.
    let at = built.bytes.windows(8).position(|window| window == [1, 0, 1, 0, 16, 0, 0, 0]);
    let at = at.or_else(|| built.bytes.windows(4).rposition(|window| window == [1, 0, 1, 0])).unwrap();
    built.u16(at + 2, u16::MAX).u32(at + 16 + 12, u32::MAX - 15);
    is_rejected(Code::T2005, &built.bytes);
}

#[test]
fn hints_are_for_the_whole_probe() {
    let hint = |symbols: Vec<Sym>| match probed(&Elf { symbols, ..Elf::default() }.bytes()).verdict {
        Verdict::Other(hint) => hint.map(|hint| hint.code),
        other => panic!("{other:?}"),
    };
    let imported = Sym { section: 0, ..Sym::default() };
    assert_eq!(hint(vec![imported.clone()]), Some(Code::T4003));
    let near = Sym { name: "registerTools", ..Sym::default() };
    assert_eq!(hint(vec![near.clone()]), Some(Code::T4004));
    assert_eq!(hint(vec![imported, near]), Some(Code::T4003));
    assert_eq!(hint(vec![Sym { name: "tools", ..Sym::default() }]), None);
    // No symbol to the system: a section's own, one without an address, one that is not exported.
    assert_eq!(hint(vec![Sym { info: 0x13, ..Sym::default() }]), None);
    assert_eq!(hint(vec![Sym { value: Some(0), ..Sym::default() }]), None);
    assert_eq!(hint(vec![Sym { other: 2, ..Sym::default() }]), None);
    // There, but not in the table that the system looks it up in.
    let unlisted = probed(&Elf { hash: Hash::None, ..Elf::default() }.bytes()).verdict;
    assert!(
        matches!(&unlisted, Verdict::Other(Some(hint)) if hint.reason.contains("does not find it")),
        "{unlisted:?}"
    );
}
