//! Writes plugins for Toolrack: native libraries whose functions are tools that a model can call.
//!
//! A whole plugin:
//!
//! ```
//! use toolrack_plugin::{export_tools, tool};
//!
//! /// Says hello.
//! #[tool(read_only)]
//! fn hello(
//!     /// Whom to greet.
//!     name: String,
//! ) -> String {
//!     format!("hello {name}")
//! }
//!
//! export_tools![hello];
//! # fn main() {}
//! ```
//!
//! Its `Cargo.toml` has two lines of its own; the library is all it builds, and this crate all it needs:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//!
//! [dependencies]
//! toolrack-plugin = "0.1"
//! ```
//!
//! `#![forbid(unsafe_code)]` compiles. The plugin is called like its crate, without `toolrack_`.
//!
//! # Tools that are functions
//!
//! `#[tool]` leaves a function as it is. Its doc comment is the description that a model reads. Each parameter is an
//! argument: its doc comment describes it, `Option<T>` may be left out, and so may what has `#[default]` (the type's
//! own) or `#[default(EXPR)]`. Attributes of serde (`rename`) and schemars (`range(min = 1)`) may stand on it.
//! Arguments are owned: a type that is `Deserialize` and `JsonSchema`. Whatever else a caller gives is refused, with
//! the place and the nearest name.
//!
//! ```
//! use toolrack_plugin::{Context, ToolError, args, output, tool};
//!
//! /// What to look for.
//! #[args]
//! struct Search {
//!     /// A word.
//!     word: String,
//!     #[default(10)]
//!     limit: usize,
//! }
//!
//! #[output]
//! struct Found {
//!     lines: Vec<String>,
//! }
//!
//! /// Searches a file.
//! #[tool(read_only, parallel_safe, toolset = "demo")]
//! fn search(ctx: &Context, #[args] search: Search) -> Result<Found, ToolError> {
//!     let mut lines = Vec::new();
//!     for line in std::fs::read_to_string(ctx.data_dir()?.join("words.txt"))?.lines() {
//!         ctx.check()?;
//!         if line.contains(&search.word) && lines.len() < search.limit {
//!             lines.push(line.to_owned());
//!         }
//!     }
//!     Ok(Found { lines })
//! }
//! # fn main() {}
//! ```
//!
//! A parameter `ctx: &Context`, wherever it stands, is the call's [`Context`]. A single parameter under `#[args]` takes
//! the whole object of arguments as a struct or an enum of the author's, see [`args`](macro@args).
//!
//! What a function returns is the answer:
//!
//! | type | answer |
//! |---|---|
//! | `String`, `&str`, `Cow<str>`, `Box<str>` | the text as it is |
//! | `()` | an empty text |
//! | anything `Serialize` | JSON; derive it with [`output`](macro@output) |
//! | [`Blocks`] | MCP's content blocks |
//! | [`Output`], [`Answer`] | what it says |
//! | `Result<T, E>` | one of the above, or an error: a [`ToolError`], or any `E` that can be displayed |
//!
//! The attributes in the brackets of `#[tool(...)]`:
//!
//! | attribute | meaning |
//! |---|---|
//! | `name = "..."` | the tool's name instead of the function's |
//! | `description = "..."` | instead of the doc comment |
//! | `title = "..."`, `emoji = "..."` | for people |
//! | `toolset = "..."` | the group it belongs to; without it, one named like the plugin |
//! | `read_only`, `destructive`, `idempotent`, `open_world` | what it does to the world; `= false` says that it does not, and nothing says nothing |
//! | `parallel_safe`, `parallel_key("path")` | it may run beside other calls; beside those that differ in these arguments |
//! | `max_concurrent = 2` | how many calls at once |
//! | `timeout = 30`, `= "none"`, `= arg("seconds")` | how long a call may take |
//! | `max_result_size_chars = 5000`, `= "unlimited"` | how large an answer may be |
//! | `requires_env("A\|B", "C")` | environment variables without which it is unavailable |
//! | `hints("tool" => "text", ["a", "b"] => "text")` | text that is shown only where these tools are present |
//! | `examples(r#"{"name": "x"}"#)` | calls to learn from |
//! | `check = path` | a `fn(&Host) -> bool` or `-> Result<(), E>`: whether it can be used now |
//! | `check_id = "..."` | tools with the same one share a check |
//! | `overrides = path` | a `fn(&Host) -> Value` (or `Option`, or `Result`): the keys of the description that are different now |
//! | `override` | it asks to stand before the tool of that name which is already there; the operator decides |
//!
//! # Tools with state
//!
//! `#[tool]` on an `impl` block makes a tool of the type, with the method `call`. Methods `check` and `overrides` are
//! what the attributes are for functions; they may take a `&Host`. The instance is built at the first call or check,
//! once a registration; calls may run side by side, so that `call` has `&self`.
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//! use toolrack_plugin::{export_tools, tool};
//!
//! struct Counter {
//!     count: AtomicU64,
//! }
//!
//! #[tool(idempotent = false)]
//! impl Counter {
//!     /// Counts up.
//!     fn call(&self, #[default(1)] by: u64) -> u64 {
//!         self.count.fetch_add(by, Ordering::Relaxed) + by
//!     }
//! }
//!
//! export_tools! { name = "counting", tools = [Counter { count: AtomicU64::new(0) }] }
//! # fn main() {}
//! ```
//!
//! State that several tools share is [`Context::state`]: one value a type and registration. A `static` is one for all
//! registrations of the library, in all registries of the process. The trait underneath is [`Tool`].
//!
//! # `async`
//!
//! An `async fn`, or a method `async fn call`, is a tool whose calls the host polls. Its future is `Send`; when it is
//! dropped, the call was cancelled. A host has no runtime to offer: with the feature `tokio` the plugin gets a small
//! one of its own, entered around each poll, and `toolrack_plugin::tokio` is the crate.
//!
//! # Life
//!
//! Loading and registering a library runs nothing of the author's but schemas and the expressions in `#[default(...)]`.
//! The same library may be registered again while earlier registrations are in use. In the long form of
//! [`export_tools!`], `end_session` is called when a session is over and `retire` once, after the last call. A library
//! is never unloaded: threads that the plugin started must end at `retire`.
//!
//! # Panics and logs
//!
//! A panic is an error of that call, and the tool lives on; message and backtrace go to the host's log. Constructors,
//! checks, overrides, polls, hooks and drops are guarded as well. That needs unwinding: with `panic = "abort"` a panic
//! ends the host, which may refuse such a plugin. A panic on a thread of the author's ends that thread and goes to
//! stderr.
//!
//! The records of [`log`] go to the host under the plugin's name, from the level on that the host sets.
//!
//! # Tests
//!
//! A function under `#[tool]` is called as before; [`Context::detached`] is a context without a host.
//!
//! ```
//! # use toolrack_plugin::{Context, ToolError, json, tool};
//! # /// Tells the limit.
//! # #[tool]
//! # fn limit(ctx: &Context) -> Result<u64, ToolError> {
//! #     Ok(ctx.config::<toolrack_plugin::Value>()?["limit"].as_u64().unwrap_or(0))
//! # }
//! # fn main() {
//! let ctx = Context::detached().with_config(json!({"limit": 3}));
//! assert_eq!(limit(&ctx).unwrap(), 3);
//! # }
//! ```
//!
//! # What is not given
//!
//! A plugin runs with all rights of its host, and nothing here contains what it does on purpose: `exit`, a crash, an
//! endless loop. Types that cross the boundary are none of the author's business: everything is text.

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
/// ```
/// use toolrack_plugin::{Host, args};
///
/// #[args]
/// #[serde(rename_all = "kebab-case")]
/// struct Config {
///     /// How many lines are shown.
///     #[default(200)]
///     max_lines: usize,
///     root: Option<std::path::PathBuf>,
/// }
///
/// fn max_lines(host: &Host) -> usize {
///     host.config::<Config>().map_or(200, |config| config.max_lines)
/// }
/// ```
pub use toolrack_plugin_macros::args;
/// ```
/// use toolrack_plugin::{Host, export_tools, tool};
///
/// /// Says hello.
/// #[tool]
/// fn hello() -> &'static str {
///     "hello"
/// }
///
/// fn forget(_host: &Host, session: &str) {
///     toolrack_plugin::log::info!("{session} is over");
/// }
///
/// fn stop(_host: &Host) {}
///
/// export_tools! { name = "demo", end_session = forget, retire = stop, tools = [hello] }
/// # fn main() {}
/// ```
pub use toolrack_plugin_macros::export_tools;
/// ```
/// use toolrack_plugin::{output, tool};
///
/// #[output]
/// struct Size {
///     /// In bytes.
///     size: u64,
/// }
///
/// /// The size of a file.
/// #[tool(read_only)]
/// fn size(path: std::path::PathBuf) -> std::io::Result<Size> {
///     Ok(Size { size: path.metadata()?.len() })
/// }
/// # fn main() {}
/// ```
pub use toolrack_plugin_macros::output;
pub use toolrack_plugin_macros::tool;

pub use log;
pub use schemars;
pub use serde;
pub use serde_json::{self, Value, json};
#[cfg(feature = "tokio")]
pub use tokio;

/// What the macros expand to. No part of the API.
///
/// An argument that can not be read is refused by the compiler, in words that change with every feature of serde's
/// dependents; so it is tried here and not beside the other misuse:
///
/// ```compile_fail,E0277
/// struct Opaque;
///
/// /// Takes it.
/// #[toolrack_plugin::tool]
/// fn take(what: Opaque) {}
/// # fn main() {}
/// ```
#[doc(hidden)]
pub mod __private {
    pub use std::string::String;

    pub use crate::export::{Entry, Exported, Tools};
    pub use crate::manifest::{check_plugin, check_tool, check_unique, length, write};
    pub use crate::meta::{PluginMeta, crate_of, meta_of, or_empty, plugin_name};
    pub use crate::returned::{
        CheckAnswer, ErrorAny, NoError, OutputAny, OverridesAnswer, Returned, SchemaKnown, SchemaUnknown,
        SplitAny,
    };
    pub use toolrack_abi::{FLAG_PANIC_ABORT, ToolsHeader};

    /// Says at the function's own place that its future can not move between threads.
    pub fn must_be_send<F: Future + Send>(future: F) -> F {
        future
    }
}
