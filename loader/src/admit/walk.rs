//! The system calls behind the rule about owners: every folder and link from the root down to a file.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use parking_lot::Mutex;

use super::accounts::Accounts;
use super::owner::{Finding, Node, NodeKind, Trusted, summed_up};
use crate::config::{Owner, Trust};
use crate::{Code, Diagnosis};

/// What this system's build does not check, one sentence each.
pub(super) const UNCHECKED: &[&str] = if cfg!(target_os = "linux") {
    &[]
} else {
    &["access lists are not read on this system: only owner and mode say who may write the tools folder"]
};

/// What one scan found out about folders, so that a folder of a thousand files is looked at once.
#[derive(Debug, Default)]
pub struct FolderChecks {
    folders: Mutex<HashMap<PathBuf, Folder>>,
    accounts: OnceLock<Accounts>,
}

#[derive(Clone, Debug)]
struct Folder {
    sticky: bool,
    findings: Vec<Finding>,
}

impl FolderChecks {
    /// Nothing found out yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn accounts(&self) -> &Accounts {
        self.accounts.get_or_init(Accounts::of_the_system)
    }
}

/// Whom to trust, or whether to ask at all.
#[derive(Debug)]
pub(super) enum OwnerRule {
    Strict(Trusted),
    Off,
}

impl OwnerRule {
    pub(super) fn new(trust: &Trust) -> Result<Self, Diagnosis> {
        if !trust.strict_modes {
            return Ok(OwnerRule::Off);
        }
        let accounts = OnceLock::new();
        let number = |owner: &Owner| match owner {
            Owner::Id(uid) => Ok(*uid),
            Owner::Name(name) => accounts.get_or_init(Accounts::of_the_system).uid(name).ok_or_else(|| {
                let place = trust.file.clone().unwrap_or_else(|| PathBuf::from("[trust]"));
                Diagnosis::uncoded(
                    place,
                    format!("`trust.owners` names `{name}`, who is not in `/etc/passwd`"),
                )
                .help(format!(
                    "`id -u {name}` prints the number of a user from a directory service; list that"
                ))
            }),
        };
        let owners = trust.owners.iter().map(number).collect::<Result<_, _>>()?;
        Ok(OwnerRule::Strict(Trusted { me: rustix::process::geteuid().as_raw(), owners }))
    }
}

/// Asks about an open file and all that leads to it; gives its path without links.
pub(super) fn check_file(
    rule: &OwnerRule,
    checks: &FolderChecks,
    file: &File,
    path: &Path,
    absolute: &Path,
) -> Result<PathBuf, Diagnosis> {
    let gone = |error: io::Error| {
        Diagnosis::new(Code::T1006, path, "went away while it was being checked").caused_by(error)
    };
    let opened = file.metadata().map_err(gone)?;
    let mut walk = Walk::new(rule, checks);
    let real = walk.to(absolute).map_err(gone)?;
    let found = fs::symlink_metadata(&real).map_err(gone)?;
    if (found.dev(), found.ino()) != (opened.dev(), opened.ino()) {
        return Err(Diagnosis::new(Code::T1006, path, "was replaced while it was being checked")
            .help("it is looked at again at the next scan"));
    }
    if let OwnerRule::Strict(trusted) = rule {
        let node =
            Node { access_list: has_access_list(&real, &opened), ..node(&real, NodeKind::File, &opened) };
        walk.findings.splice(0..0, node.findings(trusted, checks.accounts()));
    }
    walk.verdict(path)?;
    Ok(real)
}

/// Asks about a folder and all that leads to it.
pub(super) fn check_folder(rule: &OwnerRule, checks: &FolderChecks, folder: &Path) -> Result<(), Diagnosis> {
    let mut walk = Walk::new(rule, checks);
    walk.to(folder)
        .map_err(|error| Diagnosis::new(Code::T5001, folder, "could not be looked at").caused_by(error))?;
    walk.verdict(folder)
}

/// One way from the root, step by step as the system goes it, so that each link is seen in the folder it stands in.
struct Walk<'a> {
    rule: &'a OwnerRule,
    checks: &'a FolderChecks,
    findings: Vec<Finding>,
}

/// As many links as Linux follows.
const MAX_LINKS: u32 = 40;

impl<'a> Walk<'a> {
    fn new(rule: &'a OwnerRule, checks: &'a FolderChecks) -> Self {
        Walk { rule, checks, findings: Vec::new() }
    }

    /// Goes to an absolute path, notes what is unsafe, and gives the path without links.
    fn to(&mut self, absolute: &Path) -> io::Result<PathBuf> {
        let mut real = PathBuf::from("/");
        let mut sticky = self.enter(&real, None)?;
        let mut pending: Vec<Step> = steps(absolute);
        let mut links = 0;
        while let Some(step) = pending.pop() {
            let name = match step {
                Step::Root => {
                    real = PathBuf::from("/");
                    sticky = self.enter(&real, None)?;
                    continue;
                }
                Step::Up => {
                    real.pop();
                    sticky = self.enter(&real, None)?;
                    continue;
                }
                Step::Down(name) => name,
            };
            let next = real.join(name);
            if let Some(known) = self.known(&next) {
                (real, sticky) = (next, known);
                continue;
            }
            let metadata = fs::symlink_metadata(&next)?;
            if metadata.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(rustix::io::Errno::LOOP.into());
                }
                if sticky {
                    self.look_at_link(&next, &metadata);
                }
                pending.extend(steps(&fs::read_link(&next)?));
            } else if metadata.is_dir() {
                sticky = self.enter(&next, Some(&metadata))?;
                real = next;
            } else {
                real = next;
            }
        }
        Ok(real)
    }

    /// Notes what this scan already knows about a folder.
    fn known(&mut self, folder: &Path) -> Option<bool> {
        let known = self.checks.folders.lock().get(folder).cloned()?;
        self.note(known.findings);
        Some(known.sticky)
    }

    /// Looks at a folder; says whether it is a sticky one.
    fn enter(&mut self, path: &Path, metadata: Option<&Metadata>) -> io::Result<bool> {
        if let Some(sticky) = self.known(path) {
            return Ok(sticky);
        }
        let metadata = metadata.map_or_else(|| fs::symlink_metadata(path), |known| Ok(known.clone()))?;
        let mut node = node(path, NodeKind::Folder, &metadata);
        node.access_list = has_access_list(path, &metadata);
        let findings = match self.rule {
            OwnerRule::Strict(trusted) => node.findings(trusted, self.checks.accounts()),
            OwnerRule::Off => Vec::new(),
        };
        let folder = Folder { sticky: node.is_sticky_folder(), findings };
        self.note(folder.findings.clone());
        let sticky = folder.sticky;
        self.checks.folders.lock().insert(path.to_owned(), folder);
        Ok(sticky)
    }

    /// In a sticky folder a link can be replaced by its owner, so the owner counts. Elsewhere only those who can
    /// write the folder can replace it, and they were asked about already.
    fn look_at_link(&mut self, path: &Path, metadata: &Metadata) {
        if let OwnerRule::Strict(trusted) = self.rule {
            self.note(node(path, NodeKind::Link, metadata).findings(trusted, self.checks.accounts()));
        }
    }

    fn note(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            if !self.findings.contains(&finding) {
                self.findings.push(finding);
            }
        }
    }

    fn verdict(&self, path: &Path) -> Result<(), Diagnosis> {
        match summed_up(&self.findings) {
            None => Ok(()),
            Some((reason, help)) => Err(Diagnosis::new(Code::T5001, path, reason).help(help)),
        }
    }
}

enum Step {
    Root,
    Up,
    Down(std::ffi::OsString),
}

/// The steps of a path, the first one last.
fn steps(path: &Path) -> Vec<Step> {
    let step = |component| match component {
        Component::RootDir => Some(Step::Root),
        Component::ParentDir => Some(Step::Up),
        Component::Normal(name) => Some(Step::Down(name.to_owned())),
        Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(step).collect()
}

fn node(path: &Path, kind: NodeKind, metadata: &Metadata) -> Node {
    Node {
        path: path.to_owned(),
        kind,
        uid: metadata.uid(),
        gid: metadata.gid(),
        mode: metadata.mode() & 0o7777,
        access_list: false,
    }
}

/// Whether a POSIX access list stands behind the bits of the group; asked only where that decides something.
#[cfg(target_os = "linux")]
fn has_access_list(path: &Path, metadata: &Metadata) -> bool {
    metadata.mode() & 0o020 != 0
        && rustix::fs::lgetxattr_query(path, "system.posix_acl_access").is_ok_and(|length| length > 0)
}

#[cfg(not(target_os = "linux"))]
fn has_access_list(_: &Path, _: &Metadata) -> bool {
    false
}
