//! The rule about owner and mode, as pure functions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::accounts::Accounts;
use super::quote::shell_quoted;
use crate::escape::escaped;

/// What the system says about a file, or about something that leads to it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) path: PathBuf,
    pub(crate) kind: NodeKind,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    /// Permission bits, the sticky bit included.
    pub(crate) mode: u32,
    /// It has an access list beyond owner, group and others. The bits of the group are then the list's mask, and
    /// say nothing about who the group is.
    pub(crate) access_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    File,
    Folder,
    Link,
}

/// Why a node is not safe, and what mends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// In words, one line.
    pub(crate) reason: String,
    /// A shell command.
    pub(crate) mend: String,
    /// The owner who is not trusted, by name, if that is the reason.
    pub(crate) stranger: Option<String>,
}

/// Who is trusted to change code that this process runs.
#[derive(Clone, Debug)]
pub(crate) struct Trusted {
    /// The user this process acts for.
    pub(crate) me: u32,
    /// Whom the operator trusts beside root.
    pub(crate) owners: BTreeSet<u32>,
}

impl Trusted {
    fn contains(&self, uid: u32) -> bool {
        uid == 0 || uid == self.me || self.owners.contains(&uid)
    }
}

const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

impl Node {
    /// A folder in which anyone may make entries, but only an entry's owner may replace it.
    pub(crate) fn is_sticky_folder(&self) -> bool {
        self.kind == NodeKind::Folder && self.mode & STICKY != 0
    }

    /// Everything that is unsafe about this node; nothing if it is safe.
    pub(crate) fn findings(&self, trusted: &Trusted, accounts: &Accounts) -> Vec<Finding> {
        let mut findings = Vec::new();
        if !trusted.contains(self.uid) {
            findings.push(self.stranger(trusted, accounts));
        }
        // A link has no mode of its own, and an entry of a sticky folder is only as safe as its own owner and mode,
        // which are looked at when it is met.
        if self.kind != NodeKind::Link && !self.is_sticky_folder() {
            findings.extend(self.writable(trusted, accounts));
        }
        findings
    }

    fn stranger(&self, trusted: &Trusted, accounts: &Accounts) -> Finding {
        let owner = accounts.name(self.uid);
        let chown = if self.kind == NodeKind::Link { "chown -h" } else { "chown" };
        Finding {
            reason: format!("{} belongs to `{owner}`, who is not trusted", self.named()),
            mend: format!(
                "{}{chown} {} {}",
                sudo(trusted, 0),
                accounts.name(trusted.me),
                shell_quoted(&self.path)
            ),
            stranger: Some(owner),
        }
    }

    fn writable(&self, trusted: &Trusted, accounts: &Accounts) -> Option<Finding> {
        let others = self.mode & OTHERS_WRITE != 0;
        let group = self.mode & GROUP_WRITES != 0
            && (self.access_list || !accounts.is_private_group(self.gid, self.uid));
        let (who, mut change) = match (group, others) {
            (_, true) if group => ("everyone", "go-w"),
            (_, true) => ("everyone", "o-w"),
            (true, false) if self.access_list => ("its group, or those on its access list,", "g-w"),
            (true, false) => ("its group", "g-w"),
            (false, false) => return None,
        };
        // The folders for everyone's temporary files must stay open to all.
        if others && self.kind == NodeKind::Folder && self.path.file_name().is_some_and(|name| name == "tmp")
        {
            change = "+t";
        }
        Some(Finding {
            reason: format!("{} can be written by {who} (mode {:04o})", self.named(), self.mode & 0o7777),
            mend: format!("{}chmod {change} {}", sudo(trusted, self.uid), shell_quoted(&self.path)),
            stranger: None,
        })
    }

    fn named(&self) -> String {
        let kind = match self.kind {
            NodeKind::File => "the file",
            NodeKind::Folder => "the folder",
            NodeKind::Link => "the link",
        };
        format!("{kind} `{}`", escaped(&self.path))
    }
}

fn sudo(trusted: &Trusted, owner: u32) -> &'static str {
    if trusted.me == 0 || trusted.me == owner { "" } else { "sudo " }
}

/// The reason in one line, and the help that mends all of it.
pub(crate) fn summed_up(findings: &[Finding]) -> Option<(String, String)> {
    let first = findings.first()?;
    let more = match findings.len() - 1 {
        0 => String::new(),
        1 => ", and one more place on the way is unsafe".to_owned(),
        n => format!(", and {n} more places on the way are unsafe"),
    };
    let mut commands: Vec<&str> = Vec::new();
    for finding in findings {
        if !commands.contains(&finding.mend.as_str()) {
            commands.push(&finding.mend);
        }
    }
    let strangers: BTreeSet<&str> =
        findings.iter().filter_map(|finding| finding.stranger.as_deref()).collect();
    let strangers: Vec<String> = strangers.into_iter().map(|name| format!("`{name}`")).collect();
    let trust = if strangers.is_empty() {
        String::new()
    } else {
        format!("if you trust {}, add it to `owners` under `[trust]`; else ", strangers.join(" and "))
    };
    Some((format!("{}{more}", first.reason), format!("{trust}run: {}", commands.join(" && "))))
}

/// A folder of this process alone: whether it is, or why not.
pub(crate) fn own_folder(path: &Path, uid: u32, mode: u32, me: u32) -> Option<Finding> {
    let node = Node { path: path.to_owned(), kind: NodeKind::Folder, uid, gid: 0, mode, access_list: false };
    let word = shell_quoted(path);
    if uid != me {
        let accounts = Accounts::of_the_system();
        return Some(Finding {
            reason: format!("{} belongs to `{}`, not to this user", node.named(), accounts.name(uid)),
            mend: format!("sudo chown {} {word}", accounts.name(me)),
            stranger: None,
        });
    }
    (mode & (GROUP_WRITES | OTHERS_WRITE) != 0).then(|| Finding {
        reason: format!("{} can be written by others (mode {:04o})", node.named(), mode & 0o7777),
        mend: format!("chmod 700 {word}"),
        stranger: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(kind: NodeKind, uid: u32, gid: u32, mode: u32) -> Node {
        Node { path: "/t/x.so".into(), kind, uid, gid, mode, access_list: false }
    }

    #[test]
    fn owner_and_mode_decide() {
        use NodeKind::{File, Folder, Link};
        let accounts = Accounts::parse(
            "root:x:0:0::/:\nann:x:1000:1000::/:\nbob:x:1001:1001::/:\n",
            "root:x:0:\nann:x:1000:\nbob:x:1001:\nstaff:x:50:\n",
        );
        let trusted = Trusted { me: 1000, owners: BTreeSet::from([2000]) };
        for (node, mend) in [
            (node(File, 1000, 1000, 0o644), ""),
            (node(File, 0, 0, 0o755), ""),
            (node(File, 2000, 50, 0o644), ""),
            (node(File, 1001, 1001, 0o644), "sudo chown ann /t/x.so"),
            (node(File, 1000, 1000, 0o664), ""),
            (node(File, 1000, 50, 0o664), "chmod g-w /t/x.so"),
            (node(File, 1000, 1000, 0o646), "chmod o-w /t/x.so"),
            (node(File, 1000, 50, 0o666), "chmod go-w /t/x.so"),
            (node(File, 0, 50, 0o664), "sudo chmod g-w /t/x.so"),
            (node(File, 1000, 1000, 0o1666), "chmod o-w /t/x.so"),
            (node(Folder, 0, 0, 0o1777), ""),
            (node(Folder, 0, 0, 0o777), "sudo chmod o-w /t/x.so"),
            (node(Folder, 1001, 1001, 0o1777), "sudo chown ann /t/x.so"),
            (node(Folder, 1000, 1001, 0o775), "chmod g-w /t/x.so"),
            (node(Link, 1000, 1000, 0o777), ""),
            (node(Link, 1001, 1001, 0o777), "sudo chown -h ann /t/x.so"),
            (Node { access_list: true, ..node(File, 1000, 1000, 0o664) }, "chmod g-w /t/x.so"),
            (Node { path: "/tmp".into(), ..node(Folder, 0, 0, 0o777) }, "sudo chmod +t /tmp"),
        ] {
            let findings = node.findings(&trusted, &accounts);
            let mends: Vec<&str> = findings.iter().map(|finding| finding.mend.as_str()).collect();
            assert_eq!(mends.join(" "), mend, "{node:?}");
        }
    }

    #[test]
    fn one_help_mends_all_that_is_unsafe() {
        let accounts = Accounts::parse("bob:x:1001:1001::/:\n", "");
        let trusted = Trusted { me: 0, owners: BTreeSet::new() };
        let findings = node(NodeKind::File, 1001, 50, 0o666).findings(&trusted, &accounts);
        let (reason, help) = summed_up(&findings).expect("two findings");
        assert_eq!(
            reason,
            "the file `/t/x.so` belongs to `bob`, who is not trusted, and one more place on the way is unsafe"
        );
        assert_eq!(
            help,
            "if you trust `bob`, add it to `owners` under `[trust]`; else run: chown 0 /t/x.so && chmod go-w /t/x.so"
        );
    }
}
