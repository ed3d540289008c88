#![allow(unused)]

use toolrack_plugin::tool;

struct Opaque;

/// Takes it.
#[tool]
fn take(what: Opaque) {}

fn main() {}
