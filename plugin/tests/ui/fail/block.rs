use toolrack_plugin::tool;

struct Counter;

/// Counts.
#[tool]
impl Counter {
    fn count(&self) {}
}

struct Mutable;

/// Counts.
#[tool]
impl Mutable {
    fn call(&mut self) {}
}

struct Checked;

/// Checks.
#[tool]
impl Checked {
    fn call(&self) {}

    fn check(&self) -> u32 {
        1
    }
}

/// A struct.
#[tool]
struct Alone;

fn main() {}
