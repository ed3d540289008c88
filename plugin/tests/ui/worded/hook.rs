use toolrack_plugin::{export_tools, tool};

/// Greets.
#[tool]
fn hello() {}

fn retire() {}

export_tools! { name = "demo", retire = retire, tools = [hello] }

fn main() {}
