//! Where things are when nobody says: the user's own directories, never the working directory.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Config;
use crate::Diagnosis;

/// The environment, as an argument: a variable's value, or nothing.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The environment of this process.
pub fn process_env(name: &str) -> Option<OsString> {
    env::var_os(name)
}

/// The folders in which plugins are looked for, first wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsFolders {
    /// Absolute, each once. Empty only if the configuration says so.
    pub folders: Vec<PathBuf>,
    /// Who named them.
    pub origin: FolderOrigin,
}

/// Who named the tools folders. Only the default may be absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderOrigin {
    /// `--tools`
    Flag,
    /// `TOOLRACK_TOOLS`
    Environment,
    /// `tools` in the configuration
    Configuration,
    /// Nobody: `toolrack/tools` in the user's data directory.
    Default,
}

/// The tools folders: `--tools`, else `TOOLRACK_TOOLS` (separated as `PATH` is), else the configuration, else
/// `toolrack/tools` in the user's data directory.
///
/// An empty part of `TOOLRACK_TOOLS` is nothing; in `PATH` it would be the working directory.
///
/// # Errors
/// Nobody named a folder, and the user has no home.
pub fn tools_folders(flags: &[PathBuf], env: Env<'_>, config: &Config) -> Result<ToolsFolders, Diagnosis> {
    let variable = env("TOOLRACK_TOOLS").unwrap_or_default();
    let parts: Vec<PathBuf> =
        env::split_paths(&variable).filter(|part| !part.as_os_str().is_empty()).collect();
    let (folders, origin) = if !flags.is_empty() {
        (flags.to_vec(), FolderOrigin::Flag)
    } else if !parts.is_empty() {
        (parts, FolderOrigin::Environment)
    } else if let Some(folders) = &config.tools {
        (folders.clone(), FolderOrigin::Configuration)
    } else {
        let data = user_dir(Kind::Data, System::THIS, env)
            .map_err(|missing| missing.diagnosis("toolrack/tools", "name the tools folder with `--tools`"))?;
        (vec![data.join("toolrack").join("tools")], FolderOrigin::Default)
    };
    let mut unique: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let absolute = std::path::absolute(&folder)
            .map_err(|error| Diagnosis::uncoded(&folder, "is no name of a tools folder").caused_by(error))?;
        if !unique.contains(&absolute) {
            unique.push(absolute);
        }
    }
    Ok(ToolsFolders { folders: unique, origin })
}

/// The store's folder: of the configuration, else `toolrack/store` in the user's cache directory.
///
/// # Errors
/// The configuration names none, and the user has no home.
pub fn store_path(env: Env<'_>, config: &Config) -> Result<PathBuf, Diagnosis> {
    if let Some(path) = &config.store.path {
        return Ok(path.clone());
    }
    let cache = user_dir(Kind::Cache, System::THIS, env).map_err(|missing| {
        missing.diagnosis("toolrack/store", "set `path` under `[store]` in `toolrack.toml`")
    })?;
    Ok(cache.join("toolrack").join("store"))
}

/// `toolrack` in the user's data directory, under which plugins keep what they keep.
///
/// # Errors
/// The user has no home.
pub fn data_dir(env: Env<'_>) -> Result<PathBuf, Diagnosis> {
    user_dir(Kind::Data, System::THIS, env)
        .map(|data| data.join("toolrack"))
        .map_err(|missing| missing.diagnosis("toolrack", "set `XDG_DATA_HOME` to a directory of yours"))
}

/// `toolrack/toolrack.toml` in the user's configuration directory; nothing if the user has no home.
pub(super) fn default_config_file(env: Env<'_>) -> Option<PathBuf> {
    user_dir(Kind::Config, System::THIS, env).ok().map(|config| config.join("toolrack").join("toolrack.toml"))
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Config,
    Data,
    Cache,
}

#[derive(Clone, Copy, Debug)]
enum System {
    Unix,
    Mac,
    Windows,
}

impl System {
    const THIS: System = if cfg!(windows) {
        System::Windows
    } else if cfg!(target_vendor = "apple") {
        System::Mac
    } else {
        System::Unix
    };
}

/// No variable tells where the user's directory is.
#[derive(Debug, PartialEq, Eq)]
struct NoHome {
    asked: [&'static str; 2],
}

impl NoHome {
    fn diagnosis(&self, what: &str, help: &str) -> Diagnosis {
        let [first, second] = self.asked;
        Diagnosis::uncoded(what, format!("there is no place for it: neither `{first}` nor `{second}` is set"))
            .help(format!("set one of them to an absolute path, or {help}"))
    }
}

/// The XDG variable wins on every system; then comes what the system's own programs use.
fn user_dir(kind: Kind, system: System, env: Env<'_>) -> Result<PathBuf, NoHome> {
    // The XDG specification: a value that is not an absolute path is to be ignored.
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| is_absolute(path, system));
    let xdg = match kind {
        Kind::Config => "XDG_CONFIG_HOME",
        Kind::Data => "XDG_DATA_HOME",
        Kind::Cache => "XDG_CACHE_HOME",
    };
    if let Some(path) = absolute(xdg) {
        return Ok(path);
    }
    let (home, below) = match (system, kind) {
        (System::Unix, Kind::Config) => ("HOME", ".config"),
        (System::Unix, Kind::Data) => ("HOME", ".local/share"),
        (System::Unix, Kind::Cache) => ("HOME", ".cache"),
        (System::Mac, Kind::Config | Kind::Data) => ("HOME", "Library/Application Support"),
        (System::Mac, Kind::Cache) => ("HOME", "Library/Caches"),
        (System::Windows, Kind::Config) => ("APPDATA", ""),
        (System::Windows, Kind::Data | Kind::Cache) => ("LOCALAPPDATA", ""),
    };
    let home = absolute(home).ok_or(NoHome { asked: [xdg, home] })?;
    Ok(if below.is_empty() { home } else { home.join(below) })
}

/// As the system in question has it, so that each can be tested on any.
fn is_absolute(path: &Path, system: System) -> bool {
    match system {
        System::Windows if !cfg!(windows) => {
            path.to_str().is_some_and(|text| text.get(1..3) == Some(r":\") || text.starts_with(r"\\"))
        }
        _ => path.is_absolute(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env_of<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        move |name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
    }

    #[test]
    fn each_system_has_its_own_directories_and_xdg_wins_on_all() {
        use Kind::{Cache, Config, Data};
        use System::{Mac, Unix, Windows};
        let home = [("HOME", "/u"), ("APPDATA", r"C:\u\R"), ("LOCALAPPDATA", r"C:\u\L")];
        let xdg =
            [("XDG_CONFIG_HOME", "/x/c"), ("XDG_DATA_HOME", "rel"), ("XDG_CACHE_HOME", ""), ("HOME", "/u")];
        for (kind, system, pairs, expected) in [
            (Config, Unix, &home[..], "/u/.config"),
            (Data, Unix, &home, "/u/.local/share"),
            (Cache, Unix, &home, "/u/.cache"),
            (Config, Mac, &home, "/u/Library/Application Support"),
            (Data, Mac, &home, "/u/Library/Application Support"),
            (Cache, Mac, &home, "/u/Library/Caches"),
            (Config, Windows, &home, r"C:\u\R"),
            (Data, Windows, &home, r"C:\u\L"),
            (Config, Unix, &xdg, "/x/c"),
            (Config, Mac, &xdg, "/x/c"),
            (Data, Unix, &xdg, "/u/.local/share"),
            (Cache, Unix, &xdg, "/u/.cache"),
        ] {
            let found = user_dir(kind, system, &env_of(pairs)).expect("a directory");
            assert_eq!(found, Path::new(expected), "{kind:?} on {system:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_flag_beats_the_environment_which_beats_the_configuration() {
        let config = super::super::Config { tools: Some(vec!["/c".into()]), ..Default::default() };
        let env = [("TOOLRACK_TOOLS", ":/e1::/e2:/e1"), ("HOME", "/u")];
        let folders = |flags: &[&str], env: &[(&str, &str)], config: &super::super::Config| {
            let flags: Vec<PathBuf> = flags.iter().map(PathBuf::from).collect();
            let found = tools_folders(&flags, &env_of(env), config).expect("folders");
            (
                found.folders.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" "),
                found.origin,
            )
        };
        assert_eq!(folders(&["/f"], &env, &config), ("/f".to_owned(), FolderOrigin::Flag));
        assert_eq!(folders(&[], &env, &config), ("/e1 /e2".to_owned(), FolderOrigin::Environment));
        assert_eq!(folders(&[], &env[1..], &config), ("/c".to_owned(), FolderOrigin::Configuration));
        let (default, origin) = folders(&[], &env[1..], &super::super::Config::default());
        assert!(default.starts_with("/u/") && default.ends_with("/toolrack/tools"), "{default}");
        assert_eq!(origin, FolderOrigin::Default);
    }

    #[test]
    fn without_a_home_only_what_needs_one_fails() {
        let nothing = env_of(&[]);
        assert_eq!(Config::find(None, &nothing), Ok(Config::default()));
        let named = tools_folders(&["/f".into()], &nothing, &Config::default());
        assert_eq!(named.expect("a named folder").origin, FolderOrigin::Flag);
        let error = tools_folders(&[], &nothing, &Config::default()).expect_err("no home").to_string();
        assert!(error.contains("`XDG_DATA_HOME`") && error.contains("--tools"), "{error}");
        let error = store_path(&nothing, &Config::default()).expect_err("no home").to_string();
        assert!(error.contains("`XDG_CACHE_HOME`") && error.contains("[store]"), "{error}");
    }
}
