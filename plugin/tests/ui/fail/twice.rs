#![allow(unused)]

use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

export_tools![hello, hello];

fn main() {}
