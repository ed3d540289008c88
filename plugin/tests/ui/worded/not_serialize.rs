use toolrack_plugin::tool;

struct Opaque;

/// Gives it.
#[tool]
fn give() -> Opaque {
    Opaque
}

fn main() {}
