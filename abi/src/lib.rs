//! The contract between a Toolrack host and its plugins, and nothing else.
//!
//! A plugin is a dynamic library that exports one data symbol, [`register_tools`](SYMBOL). Its life:
//!
//! 1. The host reads the [`Stamp`] at the symbol's place in the *file*, before anything of the library runs,
//!    and refuses what it could not talk to.
//! 2. It opens the library, takes the [`LibHeader`](abi_stable::library::LibHeader) inside [`ToolsHeader`] and
//!    compares the layouts of every type named here.
//! 3. It calls [`PluginModule`]'s `register` with a [`HostServices`] object and gets a [`Plugin`].
//! 4. [`Plugin::tools`] lists the [`Tool`]s; each describes itself in one JSON text.
//! 5. A call hands a [`CallContext`] and arguments as JSON text to the tool and gets a [`ToolResult`].
//! 6. When the registration is over, [`Plugin::retire`] is called once. The library stays mapped for ever.
//!
//! What crosses is text and trait objects. Every trait here may only grow behind its `last_prefix_field`, and
//! every method that is added has a default body, so that both an older plugin under a newer host and a newer
//! plugin under an older host keep working. Plugin authors do not use this package: they use `toolrack-plugin`.
//!
//! Nothing in here catches panics. abi_stable ends the process when one leaves a trait method; each side guards
//! what it hands to the other.
#![allow(
    unsafe_code,
    non_local_definitions,
    missing_docs,
    clippy::undocumented_unsafe_blocks,
    unreachable_pub,
    non_camel_case_types,
    reason = "`#[sabi_trait]` and `derive(StableAbi)` expand to them; by hand there is one block, in `header`"
)]

mod context;
mod header;
mod host;
mod module;
mod plugin;
mod result;
mod stamp;
mod tool;

pub use abi_stable;
pub use async_ffi;

pub use context::{CallContext, CallContext_TO, ContextArc, ContextRef};
pub use header::{PluginEntry, ToolsHeader, root_header};
pub use host::{HostServices, HostServices_TO, ServiceError, ServiceErrorKind, ServiceResult, Services};
pub use module::{LogLevel, PluginModule, PluginModule_Ref};
pub use plugin::{Plugin, Plugin_TO, PluginBox};
pub use result::{ResultKind, ToolResult};
pub use stamp::{
    ABI_STABLE_VERSION, ABI_VERSION, FLAG_PANIC_ABORT, KIND_RUST, MAGIC, MAX_MANIFEST, ROOT_MAGIC, RUSTC,
    STAMP_LEN, STAMP_VERSION, SYMBOL, Stamp,
};
pub use tool::{Tool, Tool_TO, ToolBox};
