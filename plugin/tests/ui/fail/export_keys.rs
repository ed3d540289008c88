#![allow(unused)]

use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

export_tools! { nam = "demo", tools = [hello] }

fn main() {}
