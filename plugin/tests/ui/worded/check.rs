use toolrack_plugin::tool;

struct Checked;

/// Checks.
#[tool]
impl Checked {
    fn call(&self) {}

    fn check(&self) -> u32 {
        1
    }
}

fn main() {}
