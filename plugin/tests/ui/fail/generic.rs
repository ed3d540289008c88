#![allow(unused)]

use toolrack_plugin::tool;

/// Anything.
#[tool]
fn any<T>(what: T) {}

/// Anything printable.
#[tool]
fn shown(what: impl std::fmt::Display) {}

fn main() {}
