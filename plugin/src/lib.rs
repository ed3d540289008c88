//! Writes plugins for Toolrack.
extern crate self as toolrack_plugin;

mod answer;
mod arguments;
mod blocks;
mod context;
mod describe;
mod error;
mod export;
mod future;
mod guard;
mod host;
mod logging;
mod manifest;
mod meta;
mod output;
mod returned;
#[cfg(feature = "tokio")]
mod runtime;
mod schema;
mod slot;
mod state;
mod tool;

pub use answer::{Answer, PendingAnswer, Selection};
pub use blocks::Blocks;
pub use context::Context;
pub use error::ToolError;
pub use host::Host;
pub use meta::{Hint, ResultSize, Timeout, ToolMeta};
pub use output::Output;
pub use tool::Tool;
pub use toolrack_plugin_macros::{args, export_tools, output, tool};

pub use log;
pub use schemars;
pub use serde;
pub use serde_json::{self, Value, json};
#[cfg(feature = "tokio")]
pub use tokio;

/// What the macros expand to. No part of the API.
#[doc(hidden)]
pub mod __private {
    pub use crate::export::{Entry, Exported, Tools};
    pub use crate::manifest::{check_plugin, check_tool, check_unique, length, write};
    pub use crate::meta::{PluginMeta, crate_of, meta_of, or_empty, plugin_name};
    pub use crate::returned::{
        CheckAnswer, ErrorAny, NoError, OutputAny, OverridesAnswer, Returned, SchemaKnown, SchemaUnknown,
        SplitAny,
    };
    pub use std::string::String;
    pub use toolrack_abi::{FLAG_PANIC_ABORT, ToolsHeader};

    /// Says at the function's own place that its future can not move between threads.
    pub fn must_be_send<F: Future + Send>(future: F) -> F {
        future
    }
}
