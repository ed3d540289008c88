#![allow(unused)]

use toolrack_plugin::tool;

/// Greets.
#[tool(name = "say hello")]
fn hello() {}

/// Greets.
#[tool]
fn _hidden() {}

fn main() {}
