//! Loads native tool plugins from a folder into one table, and calls them.

mod admit;
mod code;
mod config;
mod diagnosis;
mod escape;
mod explain;
mod facts;
mod open;
mod probe;
mod scan;
mod store;
#[cfg(all(test, unix))]
mod testing;

pub use admit::{Admit, FolderChecks, noexec, plugin_enabled};
pub use code::{Code, UnknownCode};
pub use config::{
    Config, Env, FolderOrigin, Load, Owner, PluginConfig, StoreConfig, ToolsFolders, Trust, data_dir,
    process_env, store_path, tools_folders,
};
pub use diagnosis::Diagnosis;
pub use escape::{escaped, path_bytes_hex};
pub use explain::{Explanation, explain};
pub use facts::{Facts, PluginFacts, Verdict};
pub use store::{BootId, Digest, Novelty, Store, StoreSize, Stored, StoredEntry};
