#![deny(dead_code)]

use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

/// Is not in the list.
#[tool]
fn forgotten() {}

export_tools![hello];

fn main() {}
