use toolrack::Code;
use toolrack::probe::{self, Verdict};

use crate::build::Header;
use crate::laws::{code, linux, probed};
use crate::synth::Elf;

fn with_header(header: &Header) -> Vec<u8> {
    Elf { header: header.bytes(), ..Elf::default() }.bytes()
}

#[track_caller]
fn is(expected: Option<Code>, header: &Header) {
    let probe = probed(&with_header(header));
    assert_eq!(code(&probe), expected, "{:?}", probe.verdict);
    assert_eq!(probe.verdict == Verdict::Plugin, expected.is_none(), "{:?}", probe.verdict);
}

#[test]
fn a_stamp_is_judged_field_by_field() {
    let good = Header::default;
    is(None, &Header { stamp_version: 7, ..good() });
    is(None, &Header { flags: 0xffff_fffe, ..good() });
    is(Some(Code::T4001), &Header { stamp_version: 0, ..good() });
    is(Some(Code::T4009), &Header { kind: 2, ..good() });
    is(Some(Code::T4006), &Header { abi: [2, 0], ..good() });
    is(None, &Header { abi: [1, 999], ..good() });
    is(Some(Code::T4005), &Header { abi_stable: [1, 0], ..good() });
    let [major, minor] = good().abi_stable;
    is(Some(Code::T4005), &Header { abi_stable: [major, minor + 1], ..good() });
    for root_offset in [0, 67, 4096, u32::MAX] {
        is(Some(Code::T4001), &Header { root_offset, ..good() });
    }
    is(Some(Code::T4001), &Header { root: [7; 32], ..good() });
    // Another kind has another root, and another contract may have another place for it.
    is(Some(Code::T4009), &Header { kind: 2, root: [7; 32], abi: [9, 0], ..good() });
    is(Some(Code::T4006), &Header { abi: [9, 0], abi_stable: [9, 9], root: [7; 32], ..good() });
}

#[test]
fn a_manifest_lies_in_the_header_and_is_one() {
    let good = Header::default;
    for manifest_len in [crate::build::MANIFEST.len() as u32 + 1, (1 << 20) + 1, u32::MAX, 0] {
        is(Some(Code::T4008), &Header { manifest_len, ..good() });
    }
    for manifest_offset in [0, 67, u32::MAX] {
        is(Some(Code::T4008), &Header { manifest_offset, ..good() });
    }
    let nested = [b'['; 4096];
    for text in [&b"{}"[..], b"\xff", b"null", br#"{"name":"x","tools":[{"name":"1"}]}"#, &nested] {
        is(Some(Code::T4008), &Header::with_manifest(text));
    }
}

#[test]
fn a_manifest_of_a_megabyte_is_read_and_one_more_byte_is_not() {
    let mut text = br#"{"name":"x","tools":[],"more":""#.to_vec();
    text.resize((1 << 20) - 2, b'x');
    text.extend(b"\"}");
    let counting = crate::counting::Counting::new(with_header(&Header::with_manifest(&text)));
    assert_eq!(probe::probe(&counting, &linux()).verdict, Verdict::Plugin);
    assert!(counting.read() <= (1 << 20) + probe::MAX_READ);
    text.push(b' ');
    is(Some(Code::T4008), &Header::with_manifest(&text));
}

#[test]
fn a_name_in_the_alphabet_of_a_terminal_is_not_printed_raw() {
    let text = "{\"name\":\"x\\u001b[31m\",\"tools\":[]}";
    let Verdict::Rejected(finding) = probed(&with_header(&Header::with_manifest(text.as_bytes()))).verdict
    else {
        panic!()
    };
    assert!(!finding.reason.contains('\x1b'), "{}", finding.reason);
}

#[test]
fn what_is_odd_and_no_reason_to_refuse_is_noted() {
    let header = Header { flags: 1, stamp_version: 9, ..Header::default() };
    let elf = Elf { header: header.bytes(), run_path: Some("$ORIGIN/lib"), ..Elf::default() };
    let probe = probed(&elf.bytes());
    assert!(probe.stamp.as_ref().unwrap().panic_abort);
    let notes = probe.notes();
    for (note, word) in notes.iter().zip(["panic=abort", "version 9", "$ORIGIN/lib"]) {
        assert!(note.contains(word), "{notes:?}");
    }
    assert_eq!(notes.len(), 3);
}
