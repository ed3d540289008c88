use super::support::*;
use crate::error::Kind;

#[test]
fn a_new_file_is_created_with_exactly_the_content() {
    let world = World::new();
    for content in ["one\ntwo\n", "", "no end", "\u{feff}bom\r\n", "nul \0 inside", "🦀"] {
        let answer = world.write("a.txt", content).unwrap();
        assert_eq!(world.content("a.txt"), content);
        assert!(answer.contains(&format!("{} byte", content.len())), "{answer}");
    }
}

#[test]
fn the_answer_says_what_happened_and_how_much_was_written() {
    let world = World::new();
    assert_eq!(world.write("d/a.txt", "one\ntwo\n").unwrap(), "created `d/a.txt`: 8 bytes, 2 lines");
    assert_eq!(world.write("./d/a.txt", "1").unwrap(), "replaced `d/a.txt`: 1 byte, 1 line");
}

#[test]
fn missing_folders_are_made() {
    let world = World::new();
    world.write("a/b/c/d.txt", "x").unwrap();
    assert_eq!(world.content("a/b/c/d.txt"), "x");
}

#[test]
fn a_file_in_the_way_of_a_folder_is_an_error() {
    let world = World::new().with("a", "old");
    assert_error(&world.write("a/b/c.txt", "x").unwrap_err(), Kind::NotAFolder, &["a/b/c.txt"]);
    assert_error(&world.write("a/b.txt", "x").unwrap_err(), Kind::NotAFolder, &["a/b.txt"]);
    assert_eq!(world.content("a"), "old");
}

#[test]
fn nothing_but_the_file_is_left_in_the_folder() {
    let world = World::new().with("a.txt", "old");
    world.write("a.txt", "new").unwrap();
    world.write("b.txt", "new").unwrap();
    assert_eq!(world.names("."), ["a.txt", "b.txt"]);
}

#[test]
fn a_folder_is_not_replaced() {
    let world = World::new().with("folder/a.txt", "x");
    for path in ["folder", "folder/", "new/", "."] {
        assert_error(&world.write(path, "x").unwrap_err(), Kind::NotAFile, &["folder"]);
    }
    assert_eq!(world.names("."), ["folder"]);
}

#[test]
fn a_name_too_long_for_the_system_is_an_error_and_the_longest_name_is_not() {
    let world = World::new();
    assert_error(&world.write(&"x".repeat(300), "x").unwrap_err(), Kind::Io, &["cannot write"]);
    world.write(&"x".repeat(250), "x").unwrap();
    assert_eq!(world.names(".").len(), 1);
}

#[test]
fn readers_see_the_old_text_or_the_new_one_and_never_a_part() {
    let world = World::new();
    let texts = ["a".repeat(1 << 20), "b".repeat(1 << 20)];
    world.write("a.txt", &texts[0]).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for turn in 0..50 {
                world.write("a.txt", &texts[turn % 2]).unwrap();
            }
        });
        while !writer.is_finished() {
            let seen = world.content("a.txt");
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
    });
}

#[test]
fn many_writers_of_one_file_leave_one_whole_text_and_nothing_else() {
    let world = World::new();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let world = &world;
            scope.spawn(move || world.write("d/a.txt", &format!("{writer}").repeat(10_000)).unwrap());
        }
    });
    let text = world.content("d/a.txt");
    assert!(text.len() == 10_000 && text.chars().all(|digit| text.starts_with(digit)));
    assert_eq!(world.names("d"), ["a.txt"]);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    use super::*;

    #[test]
    fn the_mode_is_kept_and_a_new_file_has_the_usual_one() {
        let world = World::new().with("plain.txt", "x");
        let mode = |name: &str| std::fs::metadata(world.root().join(name)).unwrap().mode() & 0o7777;
        for wanted in [0o755, 0o600, 0o640, 0o666, 0o4755] {
            world.put("a.sh", "old");
            std::fs::set_permissions(world.root().join("a.sh"), PermissionsExt::from_mode(wanted)).unwrap();
            world.write("a.sh", "new").unwrap();
            assert_eq!(mode("a.sh"), wanted, "{wanted:o}");
        }
        world.write("new.txt", "x").unwrap();
        assert_eq!(mode("new.txt"), mode("plain.txt"));
    }

    #[test]
    fn the_owner_is_kept() {
        if !rustix::process::geteuid().is_root() {
            return; // nobody else may give files away
        }
        let world = World::new().with("a.txt", "old");
        chown(world.root().join("a.txt"), Some(1234), Some(4321)).unwrap();
        world.write("a.txt", "new").unwrap();
        let after = std::fs::metadata(world.root().join("a.txt")).unwrap();
        assert_eq!((after.uid(), after.gid()), (1234, 4321));
    }

    #[test]
    fn a_link_is_written_through_and_stays_a_link() {
        let world = World::new().with("real/a.txt", "old");
        link("real/a.txt", world.root().join("link"));
        let answer = world.write("link", "new").unwrap();
        assert!(answer.contains("`real/a.txt`"), "{answer}");
        assert!(world.root().join("link").is_symlink());
        assert_eq!(world.content("real/a.txt"), "new");
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_yet_makes_that_file() {
        let world = World::new();
        link("later/a.txt", world.root().join("link"));
        world.write("link", "new").unwrap();
        assert!(world.root().join("link").is_symlink());
        assert_eq!(world.content("later/a.txt"), "new");
    }

    #[test]
    fn a_link_to_a_file_outside_that_is_not_there_does_not_make_it() {
        let world = World::new();
        link(world.outside().join("new.txt"), world.root().join("link"));
        assert_error(&world.write("link", "x").unwrap_err(), Kind::OutsideRoot, &[]);
        assert!(!world.outside().join("new.txt").exists());
    }

    #[test]
    fn other_hard_links_keep_the_old_text_and_the_answer_says_so() {
        let world = World::new().with("a.txt", "old");
        std::fs::hard_link(world.root().join("a.txt"), world.root().join("b.txt")).unwrap();
        let answer = world.write("a.txt", "new").unwrap();
        assert!(answer.contains("1 other hard link"), "{answer}");
        assert_eq!((world.content("a.txt").as_str(), world.content("b.txt").as_str()), ("new", "old"));
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        let world = World::new();
        make_fifo(world.root().join("fifo"));
        assert_error(&world.write("fifo", "x").unwrap_err(), Kind::NotAFile, &["a FIFO"]);
    }
}
