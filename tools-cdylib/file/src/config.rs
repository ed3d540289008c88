//! The plugin's part of the host's configuration.

use std::path::PathBuf;

use toolrack_plugin::{Context, ToolError, args};

use crate::error::{FileError, Kind};
use crate::workspace::Workspace;

/// What stands under `[plugins.file.config]`. An unknown key is an error that names it.
#[args]
struct Config {
    /// The folder that the tools are confined to, as an absolute path. Without it: the working directory.
    root: Option<PathBuf>,
}

/// The files that a call may touch. Opened for each call: root and working directory may change.
pub(crate) fn workspace(ctx: &Context) -> Result<Workspace, ToolError> {
    let root = match ctx.config::<Config>()?.root {
        Some(root) if root.is_absolute() => root,
        Some(root) => {
            let message =
                format!("`root` under `[plugins.file.config]` is not absolute: `{}`", root.display());
            return Err(FileError::new(Kind::Configuration, message).into());
        }
        None => {
            std::env::current_dir().map_err(|error| FileError::io("find", "the working directory", &error))?
        }
    };
    // A host without such a folder has nothing in it to read.
    let spill = ctx.spill_dir().ok();
    Ok(Workspace::open(&root, spill.as_deref())?)
}
