//! From a file that the scan found to bytes in the store that were probed: each state is a type.

use std::path::{Path, PathBuf};

use super::Loader;
use super::report::LoadedPlugin;
use crate::Code;
use crate::admit::{self, FolderChecks};
use crate::diagnosis::Diagnosis;
use crate::open::{self, Opened};
use crate::probe::{self, Manifest, Peek, Stamped, Target, Verdict};
use crate::registry::Published;
use crate::scan::Candidate;
use crate::store::Stored;

/// What was found out about a candidate.
pub(super) enum Examined {
    /// It is a plugin that may be loaded.
    Plugin(Box<Probed>),
    /// It is a sound library, and no plugin.
    Other,
    /// It can not be loaded. The tools are those that its manifest names, if it could be read.
    Rejected(Diagnosis, Vec<String>),
}

/// A plugin whose bytes are in the store, where they can not change any more, and were probed there.
pub(crate) struct Probed {
    /// The file in the tools folder.
    pub(crate) path: PathBuf,
    /// The index of that folder.
    pub(crate) folder: usize,
    /// The copy that everything from here on speaks of.
    pub(crate) stored: Stored,
    pub(crate) manifest: Manifest,
    pub(crate) stamp: Stamped,
}

/// A candidate that is open and defines the symbol.
struct Peeked {
    candidate: Candidate,
    opened: Opened,
}

impl Loader {
    pub(super) fn examine(&self, candidate: Candidate, checks: &FolderChecks) -> Examined {
        let peeked = match self.peek(candidate) {
            Ok(Some(peeked)) => peeked,
            Ok(None) => return Examined::Other,
            Err(diagnosis) => return Examined::Rejected(diagnosis, Vec::new()),
        };
        let Peeked { candidate, opened } = &peeked;
        let stored = self
            .admit
            .by_path(checks, &opened.file, &candidate.path)
            .and_then(|()| self.store.as_ref().map_err(|refusal| without_store(refusal, &candidate.path)))
            .and_then(|store| store.put_as(&opened.file, &candidate.path, &opened.identity));
        match stored {
            Ok(stored) => self.probe(peeked.candidate, stored),
            // Only for the answer to whoever calls one of its tools: nothing else believes bytes that can change.
            Err(diagnosis) => {
                let manifest = probe::probe(opened, Target::host()).manifest;
                Examined::Rejected(diagnosis, manifest.map(|manifest| names(&manifest)).unwrap_or_default())
            }
        }
    }

    fn peek(&self, candidate: Candidate) -> Result<Option<Peeked>, Diagnosis> {
        let opened = open::regular(&candidate.path, &self.limits)?;
        match probe::peek(&opened, Target::host()) {
            Peek::Symbol => Ok(Some(Peeked { candidate, opened })),
            Peek::Other => Ok(None),
            Peek::Rejected(finding) => Err(finding.at(&candidate.path)),
        }
    }

    fn probe(&self, candidate: Candidate, stored: Stored) -> Examined {
        let path = candidate.path;
        let copy = match stored.open() {
            Ok(copy) => copy,
            Err(diagnosis) => return Examined::Rejected(diagnosis, Vec::new()),
        };
        let probe = probe::probe(&copy, Target::host());
        let tools = probe.manifest.as_ref().map(names).unwrap_or_default();
        let (manifest, stamp) = match (probe.verdict, probe.manifest, probe.stamp) {
            (Verdict::Plugin, Some(manifest), Some(stamp)) => (manifest, stamp),
            (Verdict::Rejected(finding), ..) => return Examined::Rejected(finding.at(&path), tools),
            (Verdict::Other(_) | Verdict::Plugin, ..) => {
                let changed =
                    Diagnosis::new(Code::T1006, path, "it was a plugin when it was looked at first")
                        .help("replace a library by a rename, not by writing into it");
                return Examined::Rejected(changed, tools);
            }
        };
        if let Err(diagnosis) = admit::plugin_enabled(&self.settings.config, &manifest.name, &path) {
            return Examined::Rejected(diagnosis, tools);
        }
        Examined::Plugin(Box::new(Probed { path, folder: candidate.root, stored, manifest, stamp }))
    }
}

impl Probed {
    /// The tools that the manifest names.
    pub(super) fn tool_names(&self) -> Vec<String> {
        names(&self.manifest)
    }

    /// The folder that the file was dropped into.
    pub(super) fn origin(&self) -> PathBuf {
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }

    pub(super) fn loaded(&self, published: &Published) -> LoadedPlugin {
        LoadedPlugin {
            path: self.path.clone(),
            name: self.manifest.name.clone(),
            version: self.manifest.version.clone(),
            sha256: self.stored.digest.to_string(),
            abi: self.stamp.abi,
            rustc: self.stamp.rustc.clone(),
            tools: published.outcomes.iter().map(|(tool, _)| tool.clone()).collect(),
        }
    }
}

/// What is wrong with the store, as the diagnosis of a file that needs it.
fn without_store(refusal: &Diagnosis, path: &Path) -> Diagnosis {
    let store = format!("`{}`", crate::escaped(&refusal.path));
    let reason = match refusal.reason.contains(&store) {
        true => refusal.reason.clone(),
        false => format!("the store {store}: {}", refusal.reason),
    };
    Diagnosis { path: path.to_owned(), reason, ..refusal.clone() }
}

fn names(manifest: &Manifest) -> Vec<String> {
    manifest.tools.iter().map(|tool| tool.name.clone()).collect()
}
