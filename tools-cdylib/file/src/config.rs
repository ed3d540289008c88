//! The plugin's part of the host's configuration.

use std::path::PathBuf;

use toolrack_plugin::{Context, ToolError, args};

use crate::error::FileError;
use crate::workspace::Workspace;

/// What stands under `[plugins.file.config]`. An unknown key is an error that names it.
#[args]
struct Config {
    /// The folder that the tools are confined to, relative to the configuration file. Without it: the working directory.
    root: Option<PathBuf>,
}

/// The files that a call may touch. Opened for each call: root and working directory may change.
pub(crate) fn workspace(ctx: &Context) -> Result<Workspace, ToolError> {
    let root = match ctx.config::<Config>()?.root {
        Some(root) => ctx.config_path(root)?,
        None => {
            std::env::current_dir().map_err(|error| FileError::io("find", "the working directory", &error))?
        }
    };
    // A host without such a folder has nothing in it to read.
    let spill = ctx.spill_dir().ok();
    Ok(Workspace::open(&root, spill.as_deref())?)
}
