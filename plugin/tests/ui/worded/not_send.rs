use std::rc::Rc;

use toolrack_plugin::tool;

/// Holds an `Rc` while it waits.
#[tool]
async fn waits() -> String {
    let held = Rc::new("x".to_owned());
    std::future::ready(()).await;
    held.to_string()
}

fn main() {}
