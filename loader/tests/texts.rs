use toolrack::Code;
use toolrack::probe::Verdict;

use crate::laws::probed;

#[test]
fn what_is_no_library_is_named() {
    for (bytes, code, word) in [
        (&b"INPUT(libfoo.so.1)"[..], Code::T2002, "linker"),
        (b"  /* made by us */ GROUP { x }", Code::T2002, "linker"),
        (b"\xEF\xBB\xBFINPUT ( x )", Code::T2002, "linker"),
        (b"--- !tapi-tbd\ntbd-version: 4", Code::T2002, "linker"),
        (b"INPUTS are many", Code::T2001, "text"),
        (b"/* a comment without end", Code::T2001, "text"),
        (b"\xFF\xFEI\0N\0P\0U\0T\0", Code::T2001, "text"),
        (b"#!/bin/sh\n", Code::T2001, "script"),
        (b"PK\x03\x04....", Code::T2001, "zip"),
        (b"\0asm\x01\0\0\0", Code::T2001, "WebAssembly"),
        (b"!<arch>\n", Code::T2003, "static library"),
        (b"BC\xC0\xDE", Code::T2003, "LLVM"),
        (b"Microsoft C/C++ MSF 7.00", Code::T2004, "debug"),
        (&[0; 4096], Code::T2001, "zeros"),
        (b"\x01\x02\x03", Code::T2001, "no library format"),
        (b"\x7f", Code::T1008, "header"),
        (b"\x7fEL", Code::T1008, "header"),
        (b"", Code::T1004, "empty"),
        (b"MZ", Code::T2001, "text"),
    ] {
        let Verdict::Rejected(finding) = probed(bytes).verdict else { panic!("{bytes:?}") };
        assert_eq!(finding.code, code, "{bytes:?}: {finding:?}");
        assert!(finding.reason.contains(word), "{bytes:?}: {finding:?}");
    }
}
