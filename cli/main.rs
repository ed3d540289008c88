//! The program `toolrack`.
fn main() {}
