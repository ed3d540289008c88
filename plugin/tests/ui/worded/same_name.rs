use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

/// Greets as well.
#[tool(name = "hello")]
fn greet() {}

export_tools![hello, greet];

fn main() {}
