//! What an author gets wrong is told where it is wrong; what is right compiles under the strictest lints.
//!
//! `TRYBUILD=overwrite` writes the messages anew.

#[test]
fn misuse_is_told_at_the_right_place() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/fail/*.rs");
    cases.pass("tests/ui/pass/*.rs");
}
