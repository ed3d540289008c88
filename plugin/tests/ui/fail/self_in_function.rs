#![allow(unused)]

use toolrack_plugin::tool;

struct Counter;

impl Counter {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        1
    }
}

fn main() {}
