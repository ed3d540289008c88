//! What the commands share: the configuration, the folders, and the loaded table.

use std::path::PathBuf;
use std::sync::Arc;

use toolrack::{
    Code, Config, Diagnosis, FolderOrigin, Loader, LoaderSettings, Registry, Report, Snapshot, ToolsFolders,
    process_env, tools_folders,
};

use crate::args::Args;
use crate::exit::Exit;
use crate::progress::Bar;

/// Configuration and folders, before anything is loaded.
pub(crate) struct Workspace {
    pub(crate) config: Config,
    pub(crate) folders: ToolsFolders,
}

/// A table, loaded from the folders.
pub(crate) struct Loaded {
    pub(crate) registry: Registry,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) report: Report,
}

impl Workspace {
    /// Reads the configuration and finds the folders.
    pub(crate) fn open(args: &Args) -> Result<Self, Diagnosis> {
        let config = Config::find(args.config.as_deref(), &process_env)?;
        let folders = tools_folders(&args.tools, &process_env, &config)?;
        Ok(Workspace { config, folders })
    }

    /// A loader into a table of its own.
    pub(crate) fn loader(&self) -> Result<(Registry, Loader), Diagnosis> {
        let registry = Registry::new();
        let settings = LoaderSettings::of(self.config.clone(), &process_env)?;
        let loader = Loader::new(registry.clone(), settings)?;
        Ok((registry, loader))
    }

    /// Loads all folders. One that was named and is not there is an error; the default one may be absent.
    pub(crate) fn load(&self) -> Result<Loaded, Diagnosis> {
        let folders = self.existing()?;
        let (registry, loader) = self.loader()?;
        let mut bar = Bar::new("loading");
        let report = loader.load_folders(&folders, &mut |it| bar.at(it.done, it.total, it.path));
        drop(bar);
        Ok(Loaded { snapshot: registry.snapshot(), registry, report })
    }

    /// What to say when the table is empty.
    pub(crate) fn no_tools(&self) -> String {
        let folders: Vec<String> =
            self.folders.folders.iter().map(|folder| format!("`{}`", toolrack::escaped(folder))).collect();
        format!("no tools in {}; `toolrack add PATH` puts a plugin there", folders.join(", "))
    }

    fn existing(&self) -> Result<Vec<PathBuf>, Diagnosis> {
        let mut folders = Vec::new();
        for folder in &self.folders.folders {
            match std::fs::metadata(folder) {
                Ok(metadata) if metadata.is_dir() => folders.push(folder.clone()),
                Ok(_) => {
                    return Err(Diagnosis::uncoded(folder, "the tools folder is not a folder")
                        .help("name a folder with `--tools`, or make one there"));
                }
                Err(_) if self.folders.origin == FolderOrigin::Default => {}
                Err(e) => {
                    return Err(Diagnosis::uncoded(folder, "the tools folder can not be read")
                        .caused_by(e)
                        .help("`toolrack add PATH` makes it; or name another with `--tools`"));
                }
            }
        }
        Ok(folders)
    }
}

/// What rejections come to. A second copy of the same library is no finding.
pub(crate) fn findings(rejected: &[Diagnosis]) -> Exit {
    if rejected.iter().all(|diagnosis| diagnosis.code == Some(Code::T1007)) {
        Exit::Done
    } else {
        Exit::Findings
    }
}
