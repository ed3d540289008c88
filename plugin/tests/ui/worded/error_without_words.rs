use toolrack_plugin::tool;

struct Silent;

/// Fails.
#[tool]
fn fail() -> Result<(), Silent> {
    Err(Silent)
}

fn main() {}
