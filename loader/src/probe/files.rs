//! Probes of files and folders, for people and programs that ask about them by path.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::ser::{Serialize, SerializeMap, Serializer};
use sha2::{Digest, Sha256};

use super::{Finding, Probe, ReadAt, Target, Verdict, probe};
use crate::open::{self, Limits, Opened};
use crate::scan::{self, Scan};
use crate::{Code, Diagnosis, escaped, path_bytes_hex};

/// The probe of one file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileProbe {
    /// The file.
    pub path: PathBuf,
    /// The reason why it was rejected, or the hint beside `other`.
    pub diagnosis: Option<Diagnosis>,
    /// What its bytes say; nothing if it could not be opened. Its verdict does not know of other files: ask
    /// [`FileProbe::verdict`].
    pub probe: Option<Probe>,
}

/// The probes of several files.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FileProbes {
    /// One for each file, in order.
    pub files: Vec<FileProbe>,
    /// Paths that do not exist.
    pub missing: Vec<Diagnosis>,
}

impl FileProbe {
    /// `plugin`, `rejected` or `other`.
    pub fn verdict(&self) -> &'static str {
        match (&self.probe, &self.diagnosis) {
            (Some(Probe { verdict: Verdict::Other(_), .. }), _) => "other",
            (Some(_), None) => "plugin",
            _ => "rejected",
        }
    }

    /// The code of the rejection, or of the hint.
    pub fn code(&self) -> Option<Code> {
        self.diagnosis.as_ref().and_then(|diagnosis| diagnosis.code)
    }

    fn rejected(diagnosis: Diagnosis) -> Self {
        FileProbe { path: diagnosis.path.clone(), diagnosis: Some(diagnosis), probe: None }
    }
}

/// Probes the file at `path`, whatever its name.
pub fn probe_file(path: &Path, limits: &Limits, target: &Target) -> FileProbe {
    probe_opened(path, limits, target).0
}

/// Probes files and folders. Folders are walked as [`scan`](crate::scan::scan) does. Of several plugins with the same
/// bytes the first is the plugin; the others are `T1007`.
pub fn probe_paths<P: AsRef<Path>>(paths: &[P], limits: &Limits, target: &Target) -> FileProbes {
    probe_paths_with(paths, limits, target, &mut |_, _, _| {})
}

/// [`probe_paths`], which tells before each file how many are done, of how many, and which is next.
pub fn probe_paths_with<P: AsRef<Path>>(
    paths: &[P],
    limits: &Limits,
    target: &Target,
    progress: &mut dyn FnMut(usize, usize, &Path),
) -> FileProbes {
    let mut all = FileProbes::default();
    let mut found = Vec::new();
    for path in paths {
        let path = path.as_ref();
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => found.extend(in_order(scan::scan(&[path], limits))),
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound && path.symlink_metadata().is_err() =>
            {
                all.missing.push(Diagnosis::uncoded(path, "it does not exist").help("look at the path"));
            }
            _ => found.push(Ok(path.to_owned())),
        }
    }
    let total = found.len();
    let mut same = SameBytes::default();
    for (done, found) in found.into_iter().enumerate() {
        progress(done, total, path_of(&found));
        all.files.push(match found {
            Ok(path) => same.probe(&path, limits, target),
            Err(diagnosis) => FileProbe::rejected(diagnosis),
        });
    }
    all
}

/// Candidates and rejected ones of a folder in one list, by path.
fn in_order(scan: Scan) -> Vec<Result<PathBuf, Diagnosis>> {
    let mut all: Vec<_> = scan.candidates.into_iter().map(|candidate| Ok(candidate.path)).collect();
    all.extend(scan.rejected.into_iter().chain(scan.missing).map(Err));
    all.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    all
}

fn path_of(found: &Result<PathBuf, Diagnosis>) -> &Path {
    match found {
        Ok(path) => path,
        Err(diagnosis) => &diagnosis.path,
    }
}

fn probe_opened(path: &Path, limits: &Limits, target: &Target) -> (FileProbe, Option<Opened>) {
    let opened = match open::regular(path, limits) {
        Ok(opened) => opened,
        Err(diagnosis) => return (FileProbe::rejected(diagnosis), None),
    };
    let probe = probe(&opened, target);
    if let Err(diagnosis) = opened.unchanged() {
        return (FileProbe::rejected(diagnosis), None);
    }
    let diagnosis = probe.verdict.finding().map(|finding| finding.at(path));
    (FileProbe { path: path.to_owned(), diagnosis, probe: Some(probe) }, Some(opened))
}

/// The plugins of a run, by their bytes.
#[derive(Default)]
struct SameBytes {
    first: HashMap<[u8; 32], PathBuf>,
}

impl SameBytes {
    fn probe(&mut self, path: &Path, limits: &Limits, target: &Target) -> FileProbe {
        let (mut file, opened) = probe_opened(path, limits, target);
        let Some(opened) = opened.filter(|_| file.verdict() == "plugin") else { return file };
        match hash(&opened) {
            Err(diagnosis) => file = FileProbe::rejected(diagnosis),
            Ok(hash) => match self.first.get(&hash) {
                Some(first) => {
                    let reason = format!("the same bytes as `{}`", escaped(first));
                    let finding =
                        Finding::new(Code::T1007, reason, "one of the two is enough: remove the other");
                    file.diagnosis = Some(finding.at(path));
                }
                None => {
                    self.first.insert(hash, path.to_owned());
                }
            },
        }
        file
    }
}

fn hash(opened: &Opened) -> Result<[u8; 32], Diagnosis> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut at = 0;
    while at < opened.identity.size {
        match ReadAt::read_at(opened, at, &mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                hasher.update(&buffer[..count]);
                at += count as u64;
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(open::unreachable_file(&opened.path, error)),
        }
    }
    opened.unchanged()?;
    Ok(hasher.finalize().into())
}

/// `{path, verdict, code, reason, detail, help, format, arch, os, plugin, version, tools, abi, rustc}`; what is unknown
/// or does not apply is `null`.
impl Serialize for FileProbe {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let diagnosis = self.diagnosis.as_ref();
        let probe = self.probe.as_ref();
        let manifest = probe.and_then(|probe| probe.manifest.as_ref());
        let stamp = probe.and_then(|probe| probe.stamp.as_ref());
        let tools = manifest.map(|manifest| manifest.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &escaped(&self.path).to_string())?;
        if let Some(bytes) = path_bytes_hex(&self.path) {
            map.serialize_entry("path_bytes", &bytes)?;
        }
        map.serialize_entry("verdict", self.verdict())?;
        map.serialize_entry("code", &self.code())?;
        map.serialize_entry("reason", &diagnosis.map(|diagnosis| &diagnosis.reason))?;
        map.serialize_entry("detail", &diagnosis.and_then(|diagnosis| diagnosis.detail.as_ref()))?;
        map.serialize_entry("help", &diagnosis.and_then(|diagnosis| diagnosis.help.as_ref()))?;
        map.serialize_entry("format", &probe.and_then(|probe| probe.format))?;
        map.serialize_entry("arch", &probe.and_then(|probe| probe.arch))?;
        map.serialize_entry("os", &probe.and_then(|probe| probe.os))?;
        map.serialize_entry("plugin", &manifest.map(|manifest| &manifest.name))?;
        map.serialize_entry("version", &manifest.map(|manifest| &manifest.version))?;
        map.serialize_entry("tools", &tools)?;
        map.serialize_entry("abi", &stamp.map(|stamp| format!("{}.{}", stamp.abi[0], stamp.abi[1])))?;
        map.serialize_entry("rustc", &stamp.map(|stamp| &stamp.rustc))?;
        map.end()
    }
}
