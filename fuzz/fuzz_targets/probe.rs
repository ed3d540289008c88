//! Any bytes, probed for a host of each format: no panic, no read past the budget, and a peek agrees with the probe.
//!
//! `cargo +nightly fuzz run probe fuzz/corpus/probe fuzz/seeds/probe` starts from a file for every verdict.

#![no_main]

use std::cell::Cell;
use std::io;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use toolrack::Code;
use toolrack::probe::{self, Libc, MAX_READ, Peek, ReadAt, Target, Verdict};

static TARGETS: LazyLock<Vec<Target>> = LazyLock::new(|| {
    let mut linux = Target::new("linux", "x86_64");
    linux.libc = Some(Libc::Glibc(Some((2, 31))));
    linux.x86_level = Some(2);
    let others = [("macos", "aarch64"), ("macos", "x86_64"), ("windows", "x86_64"), ("windows", "x86"), ("linux", "s390x")];
    std::iter::once(linux).chain(others.map(|(os, arch)| Target::new(os, arch))).collect()
});

struct Counting<'a> {
    bytes: &'a [u8],
    read: Cell<u64>,
}

impl ReadAt for Counting<'_> {
    fn size(&self) -> io::Result<u64> {
        self.bytes.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read_at(offset, buffer)?;
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

fuzz_target!(|bytes: &[u8]| {
    for target in TARGETS.iter() {
        let counting = Counting { bytes, read: Cell::new(0) };
        let peek = probe::peek(&counting, target);
        assert!(counting.read.replace(0) <= MAX_READ);
        let probe = probe::probe(&counting, target);
        let beside = if matches!(probe.verdict, Verdict::Other(_)) { 2 << 20 } else { 1 << 20 };
        assert!(counting.read.get() <= MAX_READ + beside);
        let code = probe.verdict.finding().map(|finding| finding.code);
        match (&probe.verdict, &peek) {
            (Verdict::Plugin, Peek::Symbol) | (Verdict::Other(_), Peek::Other) => {}
            (Verdict::Rejected(a), Peek::Rejected(b)) if a.code == b.code => {}
            (Verdict::Rejected(_), Peek::Symbol) if code >= Some(Code::T3001) || code == Some(Code::T2005) => {}
            _ => panic!("probe {:?}, peek {peek:?}", probe.verdict),
        }
        if let Some(finding) = probe.verdict.finding() {
            assert!(!finding.reason.contains(char::is_control), "{finding:?}");
        }
    }
    let _ = probe::find_symbol(&bytes, "register_tools");
});
