//! `toolrack.toml`: which folders, whom to trust, what each plugin is told.
//!
//! A key that is not known is an error, so that a misspelt `deny` never passes for a policy. All faults of a file
//! are told at once, each with its line.

mod places;
mod read;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

pub use places::{Env, FolderOrigin, ToolsFolders, data_dir, process_env, store_path, tools_folders};
pub(crate) use read::table_name;

use crate::Diagnosis;
use crate::open::Limits;

/// What the operator decided. Paths are absolute.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The file it was read from; nothing if there is none.
    pub file: Option<PathBuf>,
    /// The tools folders, first wins; nothing if the key is not there.
    pub tools: Option<Vec<PathBuf>>,
    /// `[plugins.NAME]`, by the plugin's name.
    pub plugins: BTreeMap<String, PluginConfig>,
    /// `[trust]`
    pub trust: Trust,
    /// `[load]`
    pub load: Load,
    /// `[store]`
    pub store: StoreConfig,
}

/// What is set for one plugin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PluginConfig {
    /// Whether it may be loaded; yes, unless said.
    pub enabled: bool,
    /// What the plugin itself is told, as it may ask for it through its host.
    pub config: serde_json::Map<String, serde_json::Value>,
}

impl Default for PluginConfig {
    fn default() -> Self {
        PluginConfig { enabled: true, config: serde_json::Map::new() }
    }
}

/// Whom and what to trust.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trust {
    /// Whether owner and mode of a file and of all folders above it are checked; yes, unless said.
    pub strict_modes: bool,
    /// Who may own them, beside root and the user this process runs as.
    pub owners: Vec<Owner>,
    /// Patterns of what is allowed; if there are none, everything that is not denied.
    pub allow: Vec<String>,
    /// Patterns of what is denied, whatever else holds.
    pub deny: Vec<String>,
    /// The configuration file: patterns with a slash are relative to its folder.
    pub file: Option<PathBuf>,
}

impl Default for Trust {
    fn default() -> Self {
        Trust { strict_modes: true, owners: Vec::new(), allow: Vec::new(), deny: Vec::new(), file: None }
    }
}

/// A user whom the operator trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// By name, as in `/etc/passwd`.
    Name(String),
    /// By number.
    Id(u32),
}

/// How libraries are loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// The largest file that is looked at, in MiB; 1024 unless said.
    pub max_file_mb: u64,
}

impl Load {
    /// The largest file that is looked at, in bytes.
    pub fn max_file_bytes(&self) -> u64 {
        self.max_file_mb.saturating_mul(1 << 20)
    }
}

impl Default for Load {
    fn default() -> Self {
        Load { max_file_mb: 1024 }
    }
}

/// Where copies are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreConfig {
    /// The store's folder; nothing for the usual one in the user's cache.
    pub path: Option<PathBuf>,
}

/// No configuration that a person wrote is larger; a device that never ends is.
const MAX_BYTES: u64 = 16 << 20;

impl Config {
    /// How much of a folder and of a file is taken on.
    pub fn limits(&self) -> Limits {
        Limits { max_file: self.load.max_file_bytes(), ..Limits::default() }
    }

    /// Finds and reads the configuration: `--config`, else `TOOLRACK_CONFIG`, else the file in the user's
    /// configuration directory. That last one may be absent; one that was named may not.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub fn find(flag: Option<&Path>, env: Env<'_>) -> Result<Self, Diagnosis> {
        if let Some(path) = flag {
            return Self::load(path);
        }
        if let Some(path) = env("TOOLRACK_CONFIG").filter(|path| !path.is_empty()) {
            return Self::load(Path::new(&path)).map_err(|error| {
                let help = error.help.clone().unwrap_or_default();
                error.help(format!(
                    "{help}{}it is named by `TOOLRACK_CONFIG`",
                    if help.is_empty() { "" } else { "; " }
                ))
            });
        }
        let Some(path) = places::default_config_file(env) else { return Ok(Self::default()) };
        match std::fs::symlink_metadata(&path).map_err(|error| error.kind()) {
            // Only these say that there is none; a folder that may not be entered can hide a policy.
            Err(ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(Self::default()),
            _ => Self::load(&path),
        }
    }

    /// Reads one file.
    ///
    /// # Errors
    /// It is not there, not readable, not UTF-8, not TOML, or says something that this version does not know.
    pub fn load(path: &Path) -> Result<Self, Diagnosis> {
        let fault = |reason: &str| Diagnosis::uncoded(path, reason.to_owned());
        let file = File::open(path).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                return fault("the configuration file does not exist").caused_by(error);
            }
            fault("the configuration file cannot be read").caused_by(error)
        })?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(fault("the configuration file is a folder").help("name the `toolrack.toml` in it"));
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| fault("the configuration file cannot be read").caused_by(error))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(fault("the configuration file is larger than 16 MiB"));
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
            fault(&format!("line {line}: not UTF-8")).help("save the file in UTF-8")
        })?;
        let absolute = std::path::absolute(path)
            .map_err(|error| fault("the configuration file has no absolute path").caused_by(error))?;
        Self::from_toml(&text, &absolute)
    }

    /// Reads the text of a configuration; `file` is where it stands, and relative paths in it are relative to that
    /// file's folder.
    ///
    /// # Errors
    /// It is not TOML, or says something that this version does not know.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// let config = toolrack::Config::from_toml("tools = [\"tools\"]", Path::new("/etc/toolrack/toolrack.toml"))?;
    /// assert_eq!(config.tools.unwrap(), [Path::new("/etc/toolrack/tools")]);
    /// # Ok::<(), toolrack::Diagnosis>(())
    /// ```
    pub fn from_toml(text: &str, file: &Path) -> Result<Self, Diagnosis> {
        read::read(text.strip_prefix('\u{FEFF}').unwrap_or(text), file)
    }
}

#[cfg(test)]
mod tests;
