#![allow(unused)]

use toolrack_plugin::tool;

struct Counter;

/// Counts.
#[tool]
impl Counter {
    fn count(&self) {}
}

struct Mutable;

/// Counts.
#[tool]
impl Mutable {
    fn call(&mut self) {}
}

/// A struct.
#[tool]
struct Alone;

fn main() {}
