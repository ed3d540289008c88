#![allow(unused)]

use toolrack_plugin::tool;

/// Counts.
#[tool]
fn count(#[default(1.5)] n: u32) {}

fn main() {}
