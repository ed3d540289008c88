//! What holds for every file and every target.

use toolrack::Code;
use toolrack::probe::{self, Libc, MAX_READ, Peek, Probe, Target, Verdict};

use crate::counting::Counting;

/// A Linux host of some age, so that a library can be too new for it.
pub(crate) fn linux() -> Target {
    let mut target = Target::new("linux", "x86_64");
    target.libc = Some(Libc::Glibc(Some((2, 31))));
    target.x86_level = Some(2);
    target
}

/// Probes bytes, and holds the outcome against what must be true of any.
pub(crate) fn probed_for(bytes: &[u8], target: &Target) -> Probe {
    let counting = Counting::new(bytes);
    let peek = probe::peek(&counting, target);
    assert!(counting.read() <= MAX_READ, "{} bytes for a peek", counting.read());
    let counting = Counting::new(bytes);
    let probe = probe::probe(&counting, target);
    // Beside the verdict there are the manifest, or for a library without the symbol a hint.
    let beside = if matches!(probe.verdict, Verdict::Other(_)) { 2 << 20 } else { 1 << 20 };
    assert!(counting.read() <= MAX_READ + beside, "{} bytes for a probe", counting.read());
    let code = probe.verdict.finding().map(|finding| finding.code);
    match (&probe.verdict, &peek) {
        (Verdict::Plugin, Peek::Symbol) | (Verdict::Other(_), Peek::Other) => {}
        // The whole probe may know more words for the same: which of the systems with plain ELF it was.
        (Verdict::Rejected(a), Peek::Rejected(b)) if a.code == b.code => {}
        // A peek goes only as far as the symbol.
        (Verdict::Rejected(_), Peek::Symbol) if code >= Some(Code::T3001) || code == Some(Code::T2005) => {}
        _ => panic!("probe {:?}, peek {peek:?}", probe.verdict),
    }
    if let Some(finding) = probe.verdict.finding() {
        assert!(!finding.reason.is_empty() && !finding.help.is_empty(), "{finding:?}");
        assert!(!finding.reason.contains(char::is_control), "{finding:?}");
    }
    probe
}

/// The same for the Linux host.
pub(crate) fn probed(bytes: &[u8]) -> Probe {
    probed_for(bytes, &linux())
}

/// The code of a verdict.
pub(crate) fn code(probe: &Probe) -> Option<Code> {
    probe.verdict.finding().map(|finding| finding.code)
}
