//! A plugin built with `panic=abort`.

use toolrack_plugin::{export_tools, tool};

/// Panics, which ends the process.
#[tool]
fn ends_the_process() -> String {
    panic!("no guard catches this")
}

export_tools![ends_the_process];
