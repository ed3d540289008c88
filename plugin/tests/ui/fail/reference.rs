#![allow(unused)]

use toolrack_plugin::tool;

/// Greets.
#[tool]
fn hello(name: &str) -> String {
    name.to_owned()
}

fn main() {}
