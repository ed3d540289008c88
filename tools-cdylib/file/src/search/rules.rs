//! What `.gitignore` and `.ignore` files leave out.
//!
//! The rules are parsed by the `ignore` crate, but read here: its own walk opens such a file by its name,
//! whatever it is. A link to `/dev/zero` or to a file outside the root, which any repository may contain, is
//! no rule file for us.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::workspace::Located;

/// Later files in a folder win.
const RULE_FILES: [&str; 2] = [".gitignore", ".ignore"];
/// No sane rule file is longer.
const MOST_BYTES: u64 = 1 << 20;
/// Folders in which version control systems keep their own data.
const VERSION_CONTROL: [&str; 4] = [".git", ".hg", ".jj", ".svn"];

/// The rules between the root and the files that are walked, read once per folder.
pub(super) struct Rules<'a> {
    start: &'a Located<'a>,
    folders: HashMap<PathBuf, FolderRules>,
}

struct FolderRules {
    rules: Gitignore,
    /// The rules of folders above do not reach into another repository.
    is_repository: bool,
}

impl<'a> Rules<'a> {
    pub(super) fn new(start: &'a Located<'a>) -> Self {
        Self { start, folders: HashMap::new() }
    }

    /// Whether a path (within the place of `start`) is left out. Its folders are taken to have been asked before.
    pub(super) fn leave_out(&mut self, path: &Path, is_dir: bool) -> bool {
        if is_dir
            && path.file_name().is_some_and(|name| VERSION_CONTROL.iter().any(|control| name == *control))
        {
            return true;
        }
        for folder in path.ancestors().skip(1) {
            let FolderRules { rules, is_repository } = self.of_folder(folder);
            match rules.matched(path, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None if *is_repository => return false,
                Match::None => {}
            }
        }
        false
    }

    fn of_folder(&mut self, folder: &Path) -> &FolderRules {
        let start = self.start;
        self.folders.entry(folder.to_owned()).or_insert_with(|| FolderRules {
            rules: read_rules(start, folder),
            is_repository: start.dir().exists(folder.join(".git")),
        })
    }
}

/// A rule that does not parse is passed over, as git does.
fn read_rules(start: &Located<'_>, folder: &Path) -> Gitignore {
    let mut rules = GitignoreBuilder::new(folder);
    for name in RULE_FILES {
        let path = folder.join(name);
        let is_file = start.dir().symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file());
        let Some(file) = is_file.then(|| start.open_regular(&path).ok()).flatten() else { continue };
        let mut text = Vec::new();
        if file.take(MOST_BYTES).read_to_end(&mut text).is_ok() {
            for line in String::from_utf8_lossy(&text).trim_start_matches('\u{feff}').lines() {
                let _ = rules.add_line(None, line);
            }
        }
    }
    rules.build().unwrap_or_else(|_| Gitignore::empty())
}
