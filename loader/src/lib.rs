//! Loads native tool plugins from a folder into one table, and calls them.

mod admit;
mod answer;
mod call;
mod code;
mod config;
mod definitions;
mod diagnosis;
mod dispatch;
mod escape;
mod explain;
mod facts;
mod load;
mod loader;
mod near;
pub mod open;
pub mod probe;
mod registry;
pub mod scan;
mod services;
mod session;
mod source;
mod store;
#[cfg(all(test, unix))]
mod testing;
mod tool;

pub use admit::{Admit, FolderChecks, noexec, plugin_enabled};
pub use answer::{Answer, ErrorType, Failure, Outcome, Output, OutputKind, Text};
pub use call::{ActiveCall, Call, Callable, Cancel, LiveCall, OutcomeFuture, ProgressFn};
pub use code::{Code, UnknownCode};
pub use config::{
    Config, Env, FolderOrigin, Load, Owner, PluginConfig, StoreConfig, ToolsFolders, Trust, data_dir,
    process_env, store_path, tools_folders,
};
pub use definitions::{
    AnswerError, CallStream, Definitions, Dropped, Profile, Provider, Rewritten, ToolCall, UnknownProvider,
};
pub use diagnosis::Diagnosis;
pub use dispatch::MAX_DEPTH;
pub use escape::{escaped, path_bytes_hex};
pub use explain::{Explanation, explain};
pub use facts::{Facts, PluginFacts, Verdict};
pub use loader::{LoadedPlugin, Loader, LoaderSettings, Progress, Report, Stage};
pub use near::near_names;
pub use registry::{
    Batch, ClaimClass, Claimed, Hidden, Lent, Published, Rank, Registry, Snapshot, rank, registry,
};
pub use services::Directories;
pub use session::{Selection, Session, UnknownName};
pub use source::{Place, Source, SourceId, SourceKind};
pub use store::{BootId, Digest, Novelty, Store, StoreSize, Stored, StoredEntry};
pub use tool::{Description, InvalidTool, JsonText, MaxResultSize, Timeout, ToolEntry, is_valid_name};

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
