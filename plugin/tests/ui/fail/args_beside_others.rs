#![allow(unused)]

use toolrack_plugin::{args, tool};

#[args]
struct Search {
    pattern: String,
}

/// Searches.
#[tool]
fn search(#[args] search: Search, limit: u32) -> String {
    search.pattern
}

fn main() {}
