use std::io::Write;

use super::support::*;
use crate::error::Kind;
use crate::halt::Halt;
use crate::read::{ReadFile, read_file};

fn numbered(lines: std::ops::RangeInclusive<u64>) -> String {
    lines.map(|line| format!("line {line}\n")).collect()
}

#[test]
fn lines_are_numbered_and_the_total_is_told() {
    let world = World::new().with("a.txt", "one\n\ttwo\n\nfour\n");
    assert_eq!(world.read("a.txt"), "     1|one\n     2|\ttwo\n     3|\n     4|four\n[lines 1-4 of 4]");
}

#[test]
fn pages_follow_one_another_without_gap_or_overlap() {
    let world = World::new().with("a.txt", numbered(1..=1_234));
    let mut collected = String::new();
    let mut offset = 1;
    loop {
        let text = world.page("a.txt", offset, 100).unwrap().text;
        for line in text.lines().filter(|line| !line.starts_with('[')) {
            collected += &format!("{}\n", line.split_once('|').unwrap().1);
        }
        let summary = text.lines().last().unwrap();
        assert!(summary.contains(" of 1234"), "{summary}");
        let Some((_, next)) = summary.split_once("next_offset: ") else { break };
        offset = next.trim_end_matches(']').parse().unwrap();
    }
    assert_eq!(collected, numbered(1..=1_234));
}

#[test]
fn a_page_that_ends_with_the_file_has_no_next_offset() {
    let world = World::new().with("a.txt", numbered(1..=10));
    assert!(world.page("a.txt", 6, 5).unwrap().text.ends_with("[lines 6-10 of 10]"));
    assert!(world.page("a.txt", 6, 4).unwrap().text.ends_with("[lines 6-9 of 10; next_offset: 10]"));
}

#[test]
fn a_page_holds_whole_lines_within_100_000_characters() {
    let line = format!("{}\n", "ä".repeat(1_500));
    let world = World::new().with("a.txt", line.repeat(200));
    let text = world.read("a.txt");
    assert!(text.chars().count() <= 100_000, "{}", text.chars().count());
    assert!(text.chars().count() > 90_000);
    let shown = text.lines().count() - 1;
    assert!(text.lines().take(shown).all(|line| line.chars().count() == 1_507));
    assert!(text.ends_with(&format!("[lines 1-{shown} of 200; next_offset: {}]", shown + 1)));
}

#[test]
fn a_line_over_2_000_characters_is_cut_and_says_so() {
    let world = World::new().with("a.txt", format!("{}\n{}\nend\n", "é".repeat(2_000), "é".repeat(2_001)));
    let text = world.read("a.txt");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("     1|{}", "é".repeat(2_000)));
    assert_eq!(lines[1], format!("     2|{} [cut: 2001 characters]", "é".repeat(2_000)));
    assert_eq!(lines[3], "[lines 1-3 of 3; lines over 2000 characters are cut]");
}

#[test]
fn arguments_out_of_range_are_refused_by_name() {
    let world = World::new().with("a.txt", "x\n");
    assert_error(&world.page("a.txt", 0, 1).unwrap_err(), Kind::InvalidArgument, &["`offset`", "from 1"]);
    for limit in [0, 2_001, u64::MAX] {
        let error = world.page("a.txt", 1, limit).unwrap_err();
        assert_error(&error, Kind::InvalidArgument, &["`limit` must be from 1 to 2000", &limit.to_string()]);
    }
    for offset in [2, u64::MAX] {
        let error = world.page("a.txt", offset, 1).unwrap_err();
        assert_error(&error, Kind::InvalidArgument, &["past the end", "has 1 line"]);
    }
}

#[test]
fn an_empty_file_says_that_it_is() {
    let world = World::new().with("a.txt", "").with("bom.txt", "\u{feff}");
    assert_eq!(world.read("a.txt"), "[the file is empty]");
    assert_eq!(world.read("bom.txt"), "[the file is empty]");
    assert_error(&world.page("a.txt", 2, 1).unwrap_err(), Kind::InvalidArgument, &["has 0 lines"]);
}

#[test]
fn line_ends_are_not_part_of_the_lines_and_are_told_where_they_are_unusual() {
    let world = World::new()
        .with("crlf.txt", "a\r\nb\r\n")
        .with("mixed.txt", "a\r\nb\n")
        .with("open.txt", "a\nb")
        .with("cr.txt", "a\rb\n");
    assert_eq!(world.read("crlf.txt"), "     1|a\n     2|b\n[lines 1-2 of 2; lines end in CR LF]");
    assert_eq!(
        world.read("mixed.txt"),
        "     1|a\n     2|b\n[lines 1-2 of 2; lines end in CR LF and LF, mixed]"
    );
    assert_eq!(world.read("open.txt"), "     1|a\n     2|b\n[lines 1-2 of 2; no line end at the end]");
    assert_eq!(world.read("cr.txt"), "     1|a\rb\n[lines 1-1 of 1]");
}

#[test]
fn byte_order_marks_are_told_and_utf_16_is_decoded() {
    let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}grüße 🦀\nzwei\n".encode_utf16().flat_map(bytes).collect()
    };
    let world = World::new()
        .with("bom.txt", "\u{feff}a\n")
        .with("le.txt", utf16(u16::to_le_bytes))
        .with("be.txt", utf16(u16::to_be_bytes));
    assert_eq!(world.read("bom.txt"), "     1|a\n[lines 1-1 of 1; UTF-8 with a byte order mark]");
    for (name, order) in [("le.txt", "little endian"), ("be.txt", "big endian")] {
        let text = world.read(name);
        assert!(text.starts_with("     1|grüße 🦀\n     2|zwei\n[lines 1-2 of 2; UTF-16"), "{text}");
        assert!(text.contains(order), "{text}");
    }
}

#[test]
fn binary_files_are_refused_and_a_few_stray_bytes_are_not_binary() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let cyrillic = b"\xf0\xd2\xc9\xd7\xc5\xd4, \xcd\xc9\xd2\n";
    let late = [numbered(1..=5_000).as_bytes(), b"\0\0\n"].concat();
    let world = World::new()
        .with("png", png)
        .with("koi8.txt", cyrillic)
        .with("three", [0x80, 0x81, 0x82])
        .with("late", late)
        .with("latin1.rs", b"// written by Jos\xe9 Garc\xeda, a long time ago\nfn main() {}\n");
    for name in ["png", "koi8.txt", "three"] {
        assert_error(&world.reading_fails(name), Kind::NotText, &[name, "binary file", "bytes"]);
    }
    assert_error(&world.page("late", 4_900, 500).unwrap_err(), Kind::NotText, &["late"]);
    assert_error(&world.page("late", 6_000, 500).unwrap_err(), Kind::NotText, &["late"]);
    let text = world.read("latin1.rs");
    assert!(text.contains("Jos\u{fffd} Garc\u{fffd}a") && text.contains("not UTF-8"), "{text}");
}

#[test]
fn a_character_across_the_edge_of_what_is_looked_at_is_no_sign_of_binary_data() {
    for shift in 0..4 {
        let world = World::new().with("a.txt", format!("{}{}\n", "x".repeat(shift), "🦀\n".repeat(4_000)));
        assert!(!world.read("a.txt").contains("UTF-8"));
    }
}

#[test]
fn the_replacement_character_itself_is_text() {
    let world = World::new().with("a.txt", "\u{fffd}\n");
    assert_eq!(world.read("a.txt"), "     1|\u{fffd}\n[lines 1-1 of 1]");
}

#[test]
fn a_folder_is_an_error_that_says_how_to_list_it() {
    let world = World::new().with("src/a.rs", "");
    for path in ["src", "src/", "."] {
        assert_error(&world.reading_fails(path), Kind::NotAFile, &["a folder", "search_files"]);
    }
}

#[test]
fn a_missing_file_comes_with_near_names() {
    let world = World::new().with("src/main.rs", "").with("src/lib.rs", "").with("README.md", "");
    let expected = ["`src/mian.rs` does not exist", "near names: `src/main.rs`"];
    assert_error(&world.reading_fails("src/mian.rs"), Kind::NotFound, &expected);
    assert_error(&world.reading_fails("readme.md"), Kind::NotFound, &["`README.md`"]);
    let expected = ["there is no folder `scr`", "near names: `src`"];
    assert_error(&world.reading_fails("scr/deep/main.rs"), Kind::NotFound, &expected);
    let error = world.reading_fails("quite-different");
    assert!(!error.message.contains("near"), "{error}");
}

#[test]
fn a_path_through_a_file_is_an_error_that_says_so() {
    let world = World::new().with("a.txt", "x");
    assert_error(&world.reading_fails("a.txt/b"), Kind::NotAFolder, &["not a directory"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_without_waiting_for_it() {
    let world = World::new();
    make_fifo(world.root().join("fifo"));
    let _socket = std::os::unix::net::UnixListener::bind(world.root().join("socket")).unwrap();
    assert_error(&world.reading_fails("fifo"), Kind::NotAFile, &["a FIFO"]);
    assert_error(&world.reading_fails("socket"), Kind::NotAFile, &["a socket"]);
    let devices = crate::workspace::Workspace::open(std::path::Path::new("/dev"), None).unwrap();
    let request = ReadFile { path: "zero", offset: 1, limit: 1 };
    let error = read_file(&devices, &request, &|| None).unwrap_err();
    assert_error(&error, Kind::NotAFile, &["a device"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_becomes_a_fifo_after_it_was_looked_at_does_not_block_either() {
    let world = World::new().with("a", "x");
    let workspace = world.workspace();
    let located = workspace.locate("a", crate::workspace::Access::Read).unwrap();
    std::fs::remove_file(world.root().join("a")).unwrap();
    make_fifo(world.root().join("a"));
    assert!(located.open_regular(&located.relative).is_err());
}

#[test]
fn an_unchanged_page_is_shown_once_in_a_task() {
    let world = World::new().with("a.txt", numbered(1..=10));
    let first = world.read_in_task("t1", "a.txt", 1, 5);
    let second = world.read_in_task("t1", "./a.txt", 1, 5);
    assert!(first.contains("1|line 1"), "{first}");
    assert!(second.starts_with("unchanged: `a.txt`") && !second.contains("1|line 1"), "{second}");
    assert!(second.contains("[lines 1-5 of 10; next_offset: 6]"), "{second}");
    assert!(world.read_in_task("t1", "a.txt", 1, 5).starts_with("unchanged"));
    assert!(world.read_in_task("t1", "a.txt", 1, 6).contains("1|line 1"), "another range");
    assert!(world.read_in_task("t2", "a.txt", 1, 5).contains("1|line 1"), "another task");
}

#[test]
fn a_changed_page_is_shown_again_even_when_time_and_size_are_the_same() {
    let world = World::new().with("a.txt", "aaaa\n");
    let before = std::fs::metadata(world.root().join("a.txt")).unwrap().modified().unwrap();
    world.read_in_task("t", "a.txt", 1, 5);
    let mut file = std::fs::OpenOptions::new().write(true).open(world.root().join("a.txt")).unwrap();
    file.write_all(b"bbbb\n").unwrap();
    file.set_modified(before).unwrap();
    assert!(world.read_in_task("t", "a.txt", 1, 5).contains("bbbb"));
}

#[test]
fn a_session_that_ended_is_forgotten_and_memory_is_bounded() {
    let world = World::new().with("a.txt", "a\n").with("b.txt", numbered(1..=1_100));
    world.read_in_task("t", "a.txt", 1, 5);
    world.memory.forget("another session");
    assert!(world.read_in_task("t", "a.txt", 1, 5).starts_with("unchanged"));
    world.memory.forget("session");
    assert!(world.read_in_task("t", "a.txt", 1, 5).contains("1|a"));
    for offset in 1..=1_100 {
        world.read_in_task("t", "b.txt", offset, 1);
    }
    assert!(world.read_in_task("t", "a.txt", 1, 5).contains("1|a"), "pushed out by newer pages");
}

#[cfg(unix)]
#[test]
fn a_huge_sparse_file_answers_at_once() {
    let world = World::new().with("empty", "").with("text", numbered(1..=3_000));
    for name in ["empty", "text"] {
        let file = std::fs::OpenOptions::new().write(true).open(world.root().join(name)).unwrap();
        file.set_len(64 << 30).unwrap();
    }
    assert_error(&world.reading_fails("empty"), Kind::NotText, &["68719476736 bytes"]);
    let text = world.page("text", 1, 10).unwrap().text;
    assert!(text.contains("10|line 10\n[lines 1-10 of more than 10; next_offset: 11]"), "{text}");
    assert_error(&world.page("text", 2_990, 100).unwrap_err(), Kind::NotText, &[]);
    assert_error(&world.page("text", 1_000_000, 100).unwrap_err(), Kind::NotText, &[]);
}

#[test]
fn a_file_too_long_to_count_says_that_the_total_is_not_known() {
    let world = World::new().with("a.txt", "0123456789abcde\n".repeat(5 << 20));
    let text = world.page("a.txt", 7, 2).unwrap().text;
    assert!(text.ends_with("[lines 7-8 of more than 8; next_offset: 9]"), "{text}");
}

#[test]
fn a_line_without_end_in_sight_is_cut_and_ends_the_page() {
    let world = World::new().with("a.txt", format!("first\n{}\nlast\n", "x".repeat(70 << 20)));
    let text = world.read("a.txt");
    assert!(text.contains("     1|first\n     2|xxx"), "{}", &text[..40]);
    assert!(text.ends_with(
        "x [cut]\n[lines 1-2; line 2 is too long to read past it; lines over 2000 characters are cut]"
    ));
    assert!(world.page("a.txt", 3, 1).unwrap().text.contains("3|last"), "asked for by number it is found");
}

#[test]
fn a_cancelled_or_late_read_ends_with_that_error() {
    let world = World::new().with("a.txt", "0123456789abcde\n".repeat(1 << 20));
    let request = ReadFile { path: "a.txt", offset: 1_000_000, limit: 1 };
    for (halt, kind) in [(Halt::Cancelled, Kind::Cancelled), (Halt::OutOfTime, Kind::OutOfTime)] {
        let error = read_file(&world.workspace(), &request, &halt_after(20, halt)).unwrap_err();
        assert_eq!(error.kind, kind);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_of_the_system_that_claims_no_size_is_read_all_the_same() {
    let workspace = crate::workspace::Workspace::open(std::path::Path::new("/proc"), None).unwrap();
    let request = ReadFile { path: "version", offset: 1, limit: 10 };
    assert!(read_file(&workspace, &request, &|| None).unwrap().text.contains("Linux version"));
}
