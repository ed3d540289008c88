#![allow(unused)]

use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

export_tools! { name = "my plugin", tools = [hello] }

fn main() {}
