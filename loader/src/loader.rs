//! The one-way flow: from files in folders to tools in the table.

mod choice;
mod examine;
mod report;

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Weak};
use std::time::SystemTime;

use parking_lot::Mutex;
use serde_json::Value;

pub use report::{LoadedPlugin, Progress, Report, Stage};

use crate::Code;
use crate::admit::{Admit, FolderChecks};
use crate::config::{self, Config, Env};
use crate::diagnosis::Diagnosis;
use crate::facts::{Facts, PluginFacts};
use crate::load::{self, Image, Instance, LayoutCheck, Staged};
use crate::open::Limits;
use crate::registry::{Claimed, Registry};
use crate::scan::{self, Candidate};
use crate::services::{Directories, HostSide, Surroundings};
use crate::source::Source;
use crate::store::{BootId, Store, Stored};
use examine::{Examined, Probed};

/// What a loader works with.
#[derive(Clone, Debug)]
pub struct LoaderSettings {
    /// The operator's decisions.
    pub config: Config,
    /// The folder that libraries are copied into before they are opened: [`store_path`](crate::store_path).
    pub store: PathBuf,
    /// The folders that plugins are lent.
    pub directories: Directories,
}

impl LoaderSettings {
    /// What `config` says, and the user's own directories where it says nothing.
    ///
    /// # Errors
    /// If a directory is needed and the user has no home.
    pub fn of(config: Config, env: Env<'_>) -> Result<Self, Diagnosis> {
        let data = config::data_dir(env)?;
        Ok(LoaderSettings {
            store: config::store_path(env, &config)?,
            directories: Directories { data: data.join("data"), spill: data.join("spill") },
            config,
        })
    }
}

/// Loads libraries from folders into a table.
///
/// What it loaded stays in the table when the loader is dropped.
pub struct Loader {
    registry: Registry,
    settings: LoaderSettings,
    admit: Admit,
    /// Or why there is none: then every plugin is rejected for it, and everything else goes on.
    store: Result<Store, Diagnosis>,
    boot: BootId,
    limits: Limits,
    instances: Mutex<Vec<Weak<Instance>>>,
}

impl Loader {
    /// A loader into `registry`. If the store can not be used, each plugin is rejected for that when it is loaded:
    /// T5001, T3007 or T6014.
    ///
    /// # Errors
    /// If the policy has a pattern that is none.
    pub fn new(registry: Registry, settings: LoaderSettings) -> Result<Self, Diagnosis> {
        let admit = Admit::new(&settings.config.trust)?;
        let boot = BootId::current();
        let store = Store::open(&settings.store, boot.clone(), &admit);
        let limits = settings.config.limits();
        registry.spill_into(&settings.directories.spill);
        Ok(Loader { registry, settings, admit, store, boot, limits, instances: Mutex::default() })
    }

    /// The table that is loaded into.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Loads every plugin of the folders, the first folder first. It never fails as a whole: what is rejected is
    /// in the report, and in the log as a warning each.
    pub fn load_folders(&self, folders: &[PathBuf], progress: &mut dyn FnMut(Progress<'_>)) -> Report {
        let scan = scan::scan(folders, &self.limits);
        self.load(scan.candidates, scan.rejected, progress)
    }

    fn load(
        &self,
        candidates: Vec<Candidate>,
        rejected: Vec<Diagnosis>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Report {
        let mut report = Report { files: candidates.len(), ..Report::default() };
        for diagnosis in rejected {
            report.reject(diagnosis);
        }
        let plugins = self.examine_all(candidates, &mut report, progress);
        let (plugins, copies) = choice::without_copies(plugins);
        for diagnosis in copies {
            report.reject(diagnosis);
        }
        let total = plugins.len();
        let mut done = 0;
        for rivals in choice::by_plugin(plugins) {
            let mut winner: Option<PathBuf> = None;
            for probed in rivals {
                progress(Progress { stage: Stage::Load, done, total, path: &probed.path });
                done += 1;
                match &winner {
                    Some(winner) => report.reject(choice::outdone(&probed, winner)),
                    None if self.load_one(&probed, &mut report) => winner = Some(probed.path),
                    None => {}
                }
            }
        }
        report.sort();
        report
    }

    /// Loads these files, wherever they are and whatever their names: as if they were all that a folder holds.
    pub fn load_files(&self, paths: &[PathBuf], progress: &mut dyn FnMut(Progress<'_>)) -> Report {
        let candidates = paths.iter().map(|path| Candidate { path: path.clone(), root: 0 }).collect();
        self.load(candidates, Vec::new(), progress)
    }

    /// Tells every plugin that a session is over.
    pub fn end_session(&self, id: &str) {
        let instances: Vec<_> = self.instances.lock().iter().filter_map(Weak::upgrade).collect();
        for instance in instances {
            instance.end_session(id);
        }
    }

    fn examine_all(
        &self,
        candidates: Vec<Candidate>,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Vec<Probed> {
        let checks = FolderChecks::new();
        let total = candidates.len();
        let mut plugins = Vec::new();
        for (done, candidate) in candidates.into_iter().enumerate() {
            progress(Progress { stage: Stage::Look, done, total, path: &candidate.path });
            match self.examine(candidate, &checks) {
                Examined::Plugin(probed) => plugins.push(*probed),
                Examined::Other => report.others += 1,
                Examined::Rejected(diagnosis, tools) => self.reject(report, diagnosis, &tools),
            }
        }
        plugins
    }

    /// Loads one library and publishes its tools. Whether it did.
    fn load_one(&self, probed: &Probed, report: &mut Report) -> bool {
        match self.stage(probed) {
            Ok(staged) => self.publish(probed, staged, report),
            Err(diagnosis) => {
                self.reject(report, diagnosis, &probed.tool_names());
                false
            }
        }
    }

    fn stage(&self, probed: &Probed) -> Result<Staged, Diagnosis> {
        let name = &probed.manifest.name;
        if probed.stamp.panic_abort {
            return Err(Diagnosis::new(
                Code::T6008,
                &*probed.path,
                "a panic in it would end the whole process",
            )
            .help("build it with `panic = \"unwind\"`, the default of every cargo profile"));
        }
        let Stored { digest, len, .. } = probed.stored;
        let store = self.store.as_ref().map_err(Diagnosis::clone)?;
        let known = Facts::read(store, digest, len, host_build());
        let check = match known.as_ref().and_then(|facts| facts.layout_ok) {
            Some(true) => LayoutCheck::Known,
            _ => LayoutCheck::Compare,
        };
        let image = Image::open(&probed.stored.path, &probed.path, check)?;
        let config = self.settings.config.plugins.get(name).map(|plugin| &plugin.config);
        let config =
            config.map_or_else(|| "{}".to_owned(), |config| Value::Object(config.clone()).to_string());
        let around = Surroundings {
            config,
            config_dir: self.settings.config.file.as_ref().and_then(|file| file.parent()).map(Path::to_owned),
            origin: probed.origin(),
            directories: self.settings.directories.clone(),
        };
        let services = HostSide::new(name, around);
        let staged = load::register(image, Source::plugin(name, probed.folder, &probed.path), services)?;
        if known.is_none_or(|facts| facts.descriptions != staged.descriptions) {
            self.remember(store, probed, &staged.descriptions);
        }
        Ok(staged)
    }

    /// Writes down what was found out. Without it the next start finds it out again.
    fn remember(&self, store: &Store, probed: &Probed, descriptions: &[String]) {
        let Stored { digest, len, .. } = probed.stored;
        let mut facts = Facts::new(digest, len, host_build(), self.boot.as_str());
        facts.layout_ok = Some(true);
        facts.plugin = Some(PluginFacts {
            name: probed.manifest.name.clone(),
            version: probed.manifest.version.clone(),
        });
        facts.manifest = serde_json::to_string(&probed.manifest).ok();
        facts.descriptions = descriptions.to_vec();
        if let Err(diagnosis) = facts.write(store, SystemTime::now()) {
            log::debug!("{diagnosis}");
        }
    }

    fn publish(&self, probed: &Probed, staged: Staged, report: &mut Report) -> bool {
        let Staged { batch, instance, .. } = staged;
        let published = match self.registry.publish(batch) {
            Ok(published) => published,
            Err(diagnosis) => {
                instance.retire();
                self.reject(report, diagnosis, &probed.tool_names());
                return false;
            }
        };
        let mut instances = self.instances.lock();
        instances.retain(|earlier| earlier.strong_count() > 0);
        instances.push(std::sync::Arc::downgrade(&instance));
        drop(instances);
        for (tool, outcome) in &published.outcomes {
            match outcome {
                Claimed::Visible { .. }
                | Claimed::Replaced
                | Claimed::Override { .. }
                | Claimed::Behind { .. } => {}
                Claimed::Conflict { winner } => report.reject_quietly(
                    Diagnosis::new(
                        Code::T6005,
                        &*probed.path,
                        format!("its tool `{tool}` is hidden by {winner}"),
                    )
                    .help("rename one of the two; or disable the plugin that you do not want"),
                ),
                Claimed::PermissionDenied => report.reject_quietly(
                    Diagnosis::new(Code::T6012, &*probed.path, format!("its tool `{tool}` asks to override"))
                        .help(format!(
                            "`plugins.{}.allow_tool_override = true` allows it",
                            probed.manifest.name
                        )),
                ),
            }
        }
        report.loaded.push(probed.loaded(&published));
        true
    }

    fn reject(&self, report: &mut Report, diagnosis: Diagnosis, tools: &[String]) {
        if !tools.is_empty() {
            self.registry.note_missing(tools, &diagnosis);
        }
        report.reject(diagnosis);
    }
}

/// Names this build of the host: what was found out about a library holds for the same build only.
fn host_build() -> &'static str {
    static BUILD: LazyLock<String> = LazyLock::new(|| {
        let program = std::env::current_exe().and_then(std::fs::metadata).ok();
        let written = program.as_ref().and_then(|program| program.modified().ok());
        let written = written.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        format!(
            "{} {} bytes, written at {:?}",
            env!("CARGO_PKG_VERSION"),
            program.map_or(0, |program| program.len()),
            written.unwrap_or_default()
        )
    });
    &BUILD
}
