//! Which of several files stands for a plugin. Depends on what is there, not on when it came.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use semver::Version;

use super::examine::Probed;
use crate::Code;
use crate::diagnosis::Diagnosis;
use crate::store::Digest;

/// Takes out the files whose bytes another file has too; the first in folder order is the original.
pub(super) fn without_copies(plugins: Vec<Probed>) -> (Vec<Probed>, Vec<Diagnosis>) {
    let mut originals: HashMap<Digest, PathBuf> = HashMap::new();
    let mut kept = Vec::new();
    let mut copies = Vec::new();
    for plugin in plugins {
        match originals.get(&plugin.stored.digest) {
            Some(original) => copies.push(copy_of(&plugin.path, original)),
            None => {
                originals.insert(plugin.stored.digest, plugin.path.clone());
                kept.push(plugin);
            }
        }
    }
    (kept, copies)
}

/// T1007.
fn copy_of(path: &Path, original: &Path) -> Diagnosis {
    let reason = format!("the same bytes as `{}`, which is loaded", crate::escaped(original));
    Diagnosis::new(Code::T1007, path, reason).help("nothing needs to be done; one of the two can go")
}

/// Brings the files of each plugin together, the one that stands for it first: that of the earliest folder, and
/// inside a folder that of the highest version. The others are tried when it fails.
pub(super) fn by_plugin(plugins: Vec<Probed>) -> Vec<Vec<Probed>> {
    let mut groups: Vec<Vec<Probed>> = Vec::new();
    let mut group_of: HashMap<String, usize> = HashMap::new();
    for plugin in plugins {
        let next = groups.len();
        match *group_of.entry(plugin.manifest.name.clone()).or_insert(next) {
            known if known < next => groups[known].push(plugin),
            _ => groups.push(vec![plugin]),
        }
    }
    for group in &mut groups {
        group.sort_by(|a, b| key(a).cmp(&key(b)));
    }
    groups
}

fn key(plugin: &Probed) -> (usize, Reverse<Option<Version>>, &Path) {
    (plugin.folder, Reverse(Version::parse(&plugin.manifest.version).ok()), &plugin.path)
}

/// T5006.
pub(super) fn outdone(plugin: &Probed, winner: &Path) -> Diagnosis {
    let name = &plugin.manifest.name;
    let reason = format!("the plugin `{name}` is already provided by `{}`", crate::escaped(winner));
    Diagnosis::new(Code::T5006, &*plugin.path, reason).help(
        "the earlier folder wins, and inside a folder the higher version; take one of the two files out, or give \
         the plugin another name",
    )
}
