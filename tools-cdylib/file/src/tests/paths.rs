use super::support::*;
use crate::error::Kind;
use crate::workspace::Workspace;

#[test]
fn a_relative_path_is_taken_from_the_root_and_an_absolute_one_inside_it_is_the_same_file() {
    let world = World::new().with("a/b.txt", "hello\n");
    let absolute = world.root().join("a/b.txt");
    assert_eq!(world.read("a/b.txt"), world.read(absolute.to_str().unwrap()));
    assert_eq!(world.read("a/./../a/b.txt"), world.read("a/b.txt"));
}

#[test]
fn a_path_outside_the_root_is_refused_and_the_error_says_who_can_change_that() {
    let world = World::new();
    let secret = world.outside().join("secret.txt");
    std::fs::write(&secret, "secret").unwrap();
    let root = world.root().canonicalize().unwrap();
    for path in [secret.to_str().unwrap(), "../outside/secret.txt", "a/../../outside/secret.txt", "/", ".."] {
        let expected = ["outside the root", root.to_str().unwrap(), "[plugins.file.config]"];
        assert_error(&world.reading_fails(path), Kind::OutsideRoot, &expected);
        assert_error(&world.write(path, "x").unwrap_err(), Kind::OutsideRoot, &expected);
        let search = crate::search::SearchFiles { path, ..search_for("secret") };
        assert_error(&world.try_search(&search).unwrap_err(), Kind::OutsideRoot, &expected);
    }
    assert_eq!(std::fs::read_to_string(secret).unwrap(), "secret");
}

#[test]
fn a_folder_whose_name_begins_like_the_roots_is_outside() {
    let world = World::new();
    let sibling = world.root().with_file_name("root2");
    std::fs::create_dir(&sibling).unwrap();
    std::fs::write(sibling.join("x"), "x").unwrap();
    assert_error(&world.reading_fails("../root2/x"), Kind::OutsideRoot, &[]);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_root_is_refused_wherever_it_stands_in_the_path() {
    let world = World::new();
    std::fs::write(world.outside().join("secret.txt"), "secret").unwrap();
    link(world.outside().join("secret.txt"), world.root().join("file"));
    link(world.outside(), world.root().join("folder"));
    link("../outside", world.root().join("relative"));
    link("folder", world.root().join("chain"));
    link("/proc/self/root", world.root().join("magic"));
    for path in ["file", "folder/secret.txt", "relative/secret.txt", "chain/secret.txt", "magic/etc/passwd"] {
        assert_error(&world.reading_fails(path), Kind::OutsideRoot, &["leads outside the root"]);
        assert_error(&world.write(path, "x").unwrap_err(), Kind::OutsideRoot, &[]);
    }
    assert_error(&world.write("folder/new.txt", "x").unwrap_err(), Kind::OutsideRoot, &[]);
    assert_error(&world.write("folder/new/new.txt", "x").unwrap_err(), Kind::OutsideRoot, &[]);
    assert_eq!(std::fs::read_dir(world.outside()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_that_is_swapped_after_the_check_still_does_not_lead_out() {
    let world = World::new().with("folder/secret.txt", "mine");
    std::fs::write(world.outside().join("secret.txt"), "theirs").unwrap();
    let workspace = world.workspace();
    let located = workspace.locate("folder/secret.txt", crate::workspace::Access::Read).unwrap();
    std::fs::rename(world.root().join("folder"), world.root().join("aside")).unwrap();
    link(world.outside(), world.root().join("folder"));
    assert!(located.open_file().is_err());
}

#[cfg(unix)]
#[test]
fn links_inside_the_root_are_followed_relative_absolute_and_chained() {
    let world = World::new().with("real/a.txt", "hello\n");
    link("real", world.root().join("relative"));
    link(world.root().join("real"), world.root().join("absolute"));
    link("absolute/../relative/a.txt", world.root().join("chain"));
    for path in ["relative/a.txt", "absolute/a.txt", "chain"] {
        assert!(world.read(path).contains("hello"), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_is_an_error() {
    let world = World::new();
    link("b", world.root().join("a"));
    link("a", world.root().join("b"));
    assert_error(&world.reading_fails("a"), Kind::Io, &["too many links"]);
}

#[cfg(unix)]
#[test]
fn the_root_itself_may_be_reached_through_a_link() {
    let world = World::new().with("a.txt", "hello\n");
    let alias = world.outside().join("alias");
    link(world.root(), &alias);
    let workspace = Workspace::open(&alias, None).unwrap();
    let through = alias.join("a.txt");
    for path in ["a.txt", through.to_str().unwrap()] {
        assert!(workspace.locate(path, crate::workspace::Access::Read).is_ok());
    }
}

#[test]
fn a_root_that_does_not_exist_or_is_a_file_is_a_fault_of_the_configuration() {
    let world = World::new().with("file", "");
    for name in ["nowhere", "file"] {
        let error = Workspace::open(&world.root().join(name), None).err().unwrap();
        assert_error(&error, Kind::Configuration, &[name, "[plugins.file.config]"]);
    }
}

#[test]
fn an_empty_path_and_one_with_a_nul_are_named_as_such() {
    let world = World::new();
    assert_error(&world.reading_fails(""), Kind::InvalidArgument, &["`path` is empty"]);
    assert_error(&world.reading_fails("a\0b"), Kind::InvalidArgument, &["NUL"]);
}

#[test]
fn stored_results_may_be_read_and_searched_but_not_written() {
    let world = World::new();
    let stored = world.spill().join("result-1.txt");
    std::fs::write(&stored, "needle\n").unwrap();
    let stored = stored.to_str().unwrap();
    assert!(world.read(stored).contains("1|needle"));
    let search = crate::search::SearchFiles { path: stored, ..search_for("needle") };
    let stored_path = world.spill().canonicalize().unwrap().join("result-1.txt");
    assert!(world.search(&search).starts_with(stored_path.to_str().unwrap()));
    let folder = world.spill();
    let search = crate::search::SearchFiles { path: folder.to_str().unwrap(), ..search_for("needle") };
    assert!(world.search(&search).starts_with(stored_path.to_str().unwrap()));
    assert_error(&world.write(stored, "x").unwrap_err(), Kind::PermissionDenied, &["stored result"]);
}

#[test]
fn the_home_sign_means_the_home_folder_and_not_a_folder_of_that_name() {
    let world = World::new();
    let error = world.write("~/toolrack-test-that-must-not-exist", "x").unwrap_err();
    assert_error(&error, Kind::OutsideRoot, &[]);
    assert!(world.names(".").is_empty());
}
