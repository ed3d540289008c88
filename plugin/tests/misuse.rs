//! What an author gets wrong is told where it is wrong; what is right compiles under the strictest lints.
//!
//! `TRYBUILD=overwrite` writes the messages anew.

/// The compiler whose own words stand in `ui/worded`: they change with it.
const WORDED_BY: &str = "1.95.";

#[test]
fn misuse_is_told_at_the_right_place() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.pass("tests/ui/pass/*.rs");
    if toolrack_abi::RUSTC.starts_with(WORDED_BY) {
        cases.compile_fail("tests/ui/worded/*.rs");
    } else {
        eprintln!(
            "skipped: tests/ui/worded has the words of rustc {WORDED_BY}x, this is {}",
            toolrack_abi::RUSTC
        );
    }
}
