//! The macros do not care what the author calls things.
#![allow(dead_code, non_camel_case_types)]

struct Result;
struct Option;
struct String;
struct Ok;
struct Err;
struct Some;
mod core {}
mod std {}
mod serde {}
type u32 = u64;

/// Counts.
#[toolrack_plugin::tool(check = yes, overrides = none)]
fn ctx(arguments: u32, returned: u32, host: u32) -> u32 {
    arguments + returned + host
}

fn yes(_: &toolrack_plugin::Host) -> bool {
    true
}

fn none(_: &toolrack_plugin::Host) -> toolrack_plugin::Value {
    toolrack_plugin::Value::Null
}

toolrack_plugin::export_tools! { name = "shadowed", tools = [ctx] }

fn main() {}
