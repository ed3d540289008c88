#![allow(unused)]

use toolrack_plugin::tool;

/// Greets.
#[tool(read_onyl, toolset = "demo")]
fn hello() {}

fn main() {}
