//! Loads native tool plugins from a folder into one table, and calls them.

mod admit;
mod answer;
mod arguments;
mod availability;
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
#[cfg(test)]
mod testing_random;
mod tool;
mod toolsets;

pub use admit::{Admit, FolderChecks, noexec, plugin_enabled};
pub use answer::{Answer, ErrorType, Failure, Outcome, Output, OutputKind, Text, tool_error, tool_result};
pub use arguments::coerce_arguments;
pub use availability::{Availability, AvailabilityPass, Clock, Environment, ManualClock, SystemClock};
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
pub use dispatch::{
    Approval, ApprovalRule, AskFn, Before, Budget, Decision, DispatchPolicy, FinishedCall, Handling, Hook,
    HookError, HookStage, InvalidPattern, MAX_DEPTH, PendingCall, Reply,
};
pub use escape::{escaped, path_bytes_hex};
pub use explain::{Explanation, explain};
pub use facts::{Facts, PluginFacts, Verdict};
pub use loader::{LoadedPlugin, Loader, LoaderSettings, Progress, Report, Stage};
pub use near::near_names;
pub use registry::{
    Batch, ClaimClass, Claimed, DEFAULT_EMOJI, DEFAULT_MAX_RESULT_CHARS, Diff, Hidden, HiddenBy, Lent,
    MCP_MAX_RESULT_CHARS, McpCollision, Published, Rank, Registry, RegistrySettings, Requirements, Snapshot,
    UnknownMcpCollision, diff, rank, registry,
};
pub use services::Directories;
pub use session::{Absence, Absent, Selection, Session, UnknownName};
pub use source::{Place, Source, SourceId, SourceKind};
pub use store::{BootId, Digest, Novelty, Store, StoreSize, Stored, StoredEntry};
pub use tool::{Description, InvalidTool, JsonText, MaxResultSize, Timeout, ToolEntry, is_valid_name};
pub use toolsets::{Toolset, ToolsetRefused};

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
