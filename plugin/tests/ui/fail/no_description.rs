#![allow(unused)]

use toolrack_plugin::tool;

#[tool]
fn hello() {}

fn main() {}
