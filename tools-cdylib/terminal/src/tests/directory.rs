use std::path::{Path, PathBuf};

use crate::directory::{Directories, DirectoryError, start};

/// A tree: `root/project/src`, `root/notes.txt`, `outside`.
struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Self {
        let tree = Tree(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(tree.path("root/project/src")).unwrap();
        std::fs::create_dir(tree.path("outside")).unwrap();
        std::fs::write(tree.path("root/notes.txt"), "").unwrap();
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        dunce::canonicalize(self.0.path()).unwrap().join(path)
    }

    fn starts_in(&self, workdir: &str) -> Result<PathBuf, String> {
        let root = self.path("root");
        start(Some(workdir), None, Some(&root)).map(|start| start.dir).map_err(|error| error.to_string())
    }
}

#[test]
fn without_anything_a_command_starts_in_the_root_or_where_the_host_runs() {
    let tree = Tree::new();
    assert_eq!(start(None, None, Some(&tree.path("root"))).unwrap().dir, tree.path("root"));
    assert_eq!(start(None, None, None).unwrap().dir, std::env::current_dir().unwrap());
}

#[test]
fn a_relative_workdir_starts_from_the_kept_directory() {
    let tree = Tree::new();
    let kept = tree.path("root/project");
    let started = start(Some("src"), Some(kept), Some(&tree.path("root"))).unwrap();
    assert_eq!(started.dir, tree.path("root/project/src"));
}

#[test]
fn a_workdir_outside_the_root_is_refused_whether_it_is_there_or_not() {
    let tree = Tree::new();
    for outside in ["../outside", "..", "/", "../outside/missing", "project/../../outside"] {
        let refused = tree.starts_in(outside).unwrap_err();
        assert!(refused.contains("is outside the root"), "{outside}: {refused}");
    }
    assert_eq!(tree.starts_in("project/../project").unwrap(), tree.path("root/project"));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_root_is_refused() {
    let tree = Tree::new();
    std::os::unix::fs::symlink(tree.path("outside"), tree.path("root/link")).unwrap();
    assert!(tree.starts_in("link").unwrap_err().contains("is outside the root"));
}

#[test]
fn a_missing_workdir_names_its_neighbours() {
    let tree = Tree::new();
    let missing = tree.starts_in("projet/src").unwrap_err();
    let near = tree.path("root/project").display().to_string();
    assert!(missing.ends_with(&format!("does not exist; did you mean `{near}`")), "{missing}");
    assert!(tree.starts_in("elsewhere").unwrap_err().ends_with("does not exist"));
}

#[test]
fn a_file_is_no_workdir() {
    let tree = Tree::new();
    assert!(tree.starts_in("notes.txt").unwrap_err().ends_with("is not a directory"));
    assert!(tree.starts_in("notes.txt/src").unwrap_err().ends_with("is not a directory"));
}

#[test]
fn a_kept_directory_that_is_gone_is_told() {
    let tree = Tree::new();
    let gone = tree.path("root/gone");
    let started = start(None, Some(gone.clone()), Some(&tree.path("root"))).unwrap();
    assert_eq!((started.dir, started.vanished), (tree.path("root"), Some(gone)));
}

#[test]
fn a_root_that_is_not_there_is_an_error_of_the_configuration() {
    let error = start(None, None, Some(Path::new("/no/such/root"))).unwrap_err();
    assert!(matches!(error, DirectoryError::Root(..)));
    assert!(error.to_string().starts_with("the configured root `/no/such/root` cannot be used: "));
}

#[test]
fn each_task_has_its_own_directory_until_its_session_ends() {
    let directories = Directories::default();
    directories.keep("a", "one", "/a".into());
    directories.keep("b", "two", "/b".into());
    assert_eq!((directories.of("a"), directories.of("b")), (Some("/a".into()), Some("/b".into())));
    directories.forget("one");
    assert_eq!((directories.of("a"), directories.of("b")), (None, Some("/b".into())));
}
