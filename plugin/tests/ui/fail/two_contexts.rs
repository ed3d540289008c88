#![allow(unused)]

use toolrack_plugin::{Context, tool};

/// Greets.
#[tool]
fn hello(a: &Context, name: String, b: &Context) {}

fn main() {}
