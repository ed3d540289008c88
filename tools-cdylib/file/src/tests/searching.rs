use super::support::*;
use crate::error::Kind;
use crate::halt::Halt;
use crate::search::{Output, SearchFiles, search_files};

fn some_files() -> World {
    World::new()
        .with("src/main.rs", "fn main() {\n    greet(\"you\");\n}\n")
        .with("src/greet.rs", "pub fn greet(name: &str) {\n    println!(\"hello {name}\");\n}\n")
        .with("README.md", "# greet\n\nCall greet.\n")
}

#[test]
fn matching_lines_stand_below_their_file_in_the_order_of_the_paths() {
    let expected = "README.md\n1:# greet\n3:Call greet.\nsrc/greet.rs\n1:pub fn greet(name: &str) {\n\
                    src/main.rs\n2:    greet(\"you\");\n[4 lines in 3 files]";
    assert_eq!(some_files().search(&search_for("greet")), expected);
}

#[test]
fn the_order_does_not_depend_on_the_order_of_creation() {
    let world = World::new();
    for name in ["z.txt", "a/b.txt", "B.txt", "a.txt", "a-b.txt"] {
        world.put(name, "x\n");
    }
    let text = world.search(&SearchFiles { output_mode: Output::FilesOnly, ..search_for("x") });
    assert_eq!(text, "B.txt\na/b.txt\na-b.txt\na.txt\nz.txt\n[5 files]");
}

#[test]
fn files_only_and_count_tell_less() {
    let world = some_files();
    let files = SearchFiles { output_mode: Output::FilesOnly, ..search_for("greet") };
    assert_eq!(world.search(&files), "README.md\nsrc/greet.rs\nsrc/main.rs\n[3 files]");
    let count = SearchFiles { output_mode: Output::Count, ..search_for("greet") };
    assert_eq!(world.search(&count), "README.md: 2\nsrc/greet.rs: 1\nsrc/main.rs: 1\n[4 lines in 3 files]");
}

#[test]
fn no_match_says_how_much_was_looked_at() {
    let world = some_files().with("a.bin", b"greeting\0");
    let text = world.search(&search_for("nowhere"));
    assert_eq!(text, "[no match; 4 files looked at; 1 binary file skipped]");
}

#[test]
fn case_counts_unless_the_pattern_says_otherwise() {
    let world = World::new().with("a.txt", "Straße\nSTRASSE\n");
    assert!(world.search(&search_for("straße")).starts_with("[no match"));
    assert!(world.search(&search_for("(?i)STRAßE")).contains("1:Straße"));
}

#[test]
fn an_invalid_expression_gives_the_engines_own_message_with_the_place() {
    let error = some_files().try_search(&search_for("a(b|c")).unwrap_err();
    assert_error(&error, Kind::InvalidArgument, &["`pattern`", "    a(b|c\n     ^", "unclosed group"]);
    let error = some_files().try_search(&search_for("a\\nb")).unwrap_err();
    assert_error(&error, Kind::InvalidArgument, &["within one line"]);
    let error = some_files().try_search(&search_for("((a{1000}){1000}){1000}")).unwrap_err();
    assert_error(&error, Kind::InvalidArgument, &["`pattern`"]);
}

#[test]
fn arguments_out_of_range_are_refused_by_name() {
    let world = some_files();
    let cases = [
        (SearchFiles { pattern: "", ..search_for("") }, "`pattern` is empty"),
        (SearchFiles { limit: 0, ..search_for("x") }, "`limit`"),
        (SearchFiles { context: 101, ..search_for("x") }, "`context` must be from 0 to 100"),
        (SearchFiles { file_glob: Some("a["), ..search_for("x") }, "`file_glob` does not parse"),
        (find("a{b"), "`pattern` does not parse"),
    ];
    for (request, message) in cases {
        assert_error(&world.try_search(&request).unwrap_err(), Kind::InvalidArgument, &[message]);
    }
    let error = world.try_search(&SearchFiles { path: "sr", ..search_for("x") }).unwrap_err();
    assert_error(&error, Kind::NotFound, &["near names: `src`"]);
}

/// The lines that are results, without headings and summary.
fn results(text: &str, output_mode: Output) -> Vec<String> {
    let is_result = |line: &&str| match output_mode {
        Output::Content => line.contains(":hit"),
        Output::FilesOnly | Output::Count => line.contains(".txt"),
    };
    text.lines().filter(is_result).map(String::from).collect()
}

#[test]
fn pages_follow_one_another_without_gap_or_overlap() {
    let world = World::new();
    for file in 0..5 {
        world.put(
            &format!("{file}.txt"),
            (0..7).map(|line| format!("hit {file} {line}\n")).collect::<String>(),
        );
    }
    for output_mode in [Output::Content, Output::FilesOnly, Output::Count] {
        let whole = world.search(&SearchFiles { limit: 100, output_mode, ..search_for("hit") });
        let wanted = results(&whole, output_mode);
        assert_eq!(wanted.len(), if output_mode == Output::Content { 35 } else { 5 });
        for limit in [1, 3, 4] {
            let (mut offset, mut collected) = (0, Vec::new());
            loop {
                let text = world.search(&SearchFiles { limit, offset, output_mode, ..search_for("hit") });
                collected.extend(results(&text, output_mode));
                let summary = text.lines().last().unwrap();
                let Some((_, next)) = summary.split_once("next_offset: ") else { break };
                offset = next.trim_end_matches(']').parse().unwrap();
            }
            assert_eq!(collected, wanted, "{output_mode:?} by {limit}");
        }
    }
}

#[test]
fn a_page_that_holds_the_last_result_has_no_next_offset_and_one_after_it_says_how_many_there_are() {
    let world = World::new().with("a.txt", "x\nx\nx\n");
    assert!(world.search(&SearchFiles { limit: 3, ..search_for("x") }).ends_with("[3 lines in 1 file]"));
    let text = world.search(&SearchFiles { limit: 2, ..search_for("x") });
    assert!(text.ends_with("[2 lines in 1 file; next_offset: 2]"), "{text}");
    let text = world.search(&SearchFiles { offset: 3, ..search_for("x") });
    assert!(text.starts_with("[no result from `offset` 3 on: there are 3"), "{text}");
}

#[test]
fn context_lines_surround_a_match_and_groups_are_set_apart() {
    let world = World::new().with("a.txt", "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n");
    let text = world.search(&SearchFiles { context: 1, ..search_for("hit") });
    assert_eq!(text, "a.txt\n2-2\n3:hit\n4-4\n--\n7-7\n8:hit\n9:hit\n10-10\n[3 lines in 1 file]");
}

#[test]
fn context_is_whole_at_the_edges_of_a_page() {
    let world = World::new().with("a.txt", "1\nhit\n3\nhit\n5\nhit\n7\n");
    let text = world.search(&SearchFiles { context: 2, offset: 1, limit: 1, ..search_for("hit") });
    assert_eq!(text, "a.txt\n2-hit\n3-3\n4:hit\n5-5\n[1 line in 1 file; next_offset: 2]");
}

#[test]
fn a_long_line_is_shown_in_part_around_its_match() {
    let world = World::new().with("a.js", format!("{}needle{}\n", "ä".repeat(5_000), "ö".repeat(5_000)));
    let text = world.search(&search_for("needle"));
    assert!(text.contains("äneedleö") && text.contains("[cut: 10006 characters]"), "{text}");
    assert!(text.chars().count() < 600);
}

#[test]
fn an_answer_stays_within_100_000_characters_and_the_next_page_goes_on() {
    let world = World::new().with("a.txt", format!("{}\n", "hit ".repeat(90)).repeat(1_000));
    let text = world.search(&SearchFiles { limit: 1_000, ..search_for("hit") });
    assert!((90_000..=100_000).contains(&text.chars().count()), "{}", text.chars().count());
    let shown = text.lines().filter(|line| line.contains(":hit")).count();
    assert!(text.ends_with(&format!("[{shown} lines in 1 file; next_offset: {shown}]")));
    let text = world.search(&SearchFiles { limit: 1, context: 100, offset: 500, ..search_for("hit") });
    assert!(text.contains("\n501:hit"), "the largest context has room");
}

#[test]
fn a_file_may_be_the_place_to_search_even_if_a_rule_leaves_it_out() {
    let world = some_files().with(".gitignore", "*.md\n");
    let text = world.search(&SearchFiles { path: "README.md", ..search_for("greet") });
    assert_eq!(text, "README.md\n1:# greet\n3:Call greet.\n[2 lines in 1 file]");
}

#[test]
fn paths_in_an_answer_can_be_given_to_read_file() {
    let world = some_files();
    let text = world.search(&SearchFiles { path: "src/../src", ..search_for("main") });
    assert!(text.starts_with("src/main.rs\n"), "{text}");
    assert!(world.read("src/main.rs").contains("fn main"));
}

#[test]
fn files_are_found_by_name_or_by_path() {
    let world = some_files().with("src/deep/mod.rs", "").with(".github/ci.yml", "");
    assert_eq!(world.search(&find("*.rs")), "src/deep/mod.rs\nsrc/greet.rs\nsrc/main.rs\n[3 files]");
    assert_eq!(world.search(&find("src/*.rs")), "src/greet.rs\nsrc/main.rs\n[2 files]");
    assert_eq!(world.search(&find("./src/*.rs")), "src/greet.rs\nsrc/main.rs\n[2 files]");
    assert_eq!(world.search(&find("**/*.{md,yml}")), ".github/ci.yml\nREADME.md\n[2 files]");
    assert_eq!(world.search(&find("main.rs")), "src/main.rs\n[1 file]");
    let below = SearchFiles { path: "src", ..find("deep/*") };
    assert_eq!(world.search(&below), "src/deep/mod.rs\n[1 file]");
    let count = SearchFiles { output_mode: Output::Count, ..find("*.rs") };
    assert_eq!(world.search(&count), "[3 files]");
    let paged = SearchFiles { limit: 1, offset: 1, ..find("*.rs") };
    assert_eq!(world.search(&paged), "src/greet.rs\n[1 file; next_offset: 2]");
    assert!(world.search(&find("*.py")).starts_with("[no match"));
}

#[test]
fn a_glob_limits_which_files_are_searched() {
    let world = some_files();
    let text = world.search(&SearchFiles { file_glob: Some("*.md"), ..search_for("greet") });
    assert!(text.ends_with("[2 lines in 1 file]"), "{text}");
    let text = world.search(&SearchFiles { file_glob: Some("!*.md"), ..search_for("greet") });
    assert!(text.ends_with("[2 lines in 2 files]"), "{text}");
    let text = world.search(&SearchFiles { file_glob: Some("g*"), ..find("*.rs") });
    assert_eq!(text, "src/greet.rs\n[1 file]");
}

#[test]
fn git_ignore_rules_hold_from_the_root_down_also_without_a_repository() {
    let world = World::new()
        .with(".gitignore", "*.log\n/build/\n!keep.log\n")
        .with("a.log", "x\n")
        .with("keep.log", "x\n")
        .with("build/out.txt", "x\n")
        .with("sub/build/in.txt", "x\n")
        .with("sub/b.log", "x\n")
        .with("sub/.gitignore", "!b.log\nlocal.txt\n")
        .with("sub/local.txt", "x\n")
        .with("local.txt", "x\n");
    let all = SearchFiles { output_mode: Output::FilesOnly, ..search_for("^x") };
    let expected = "keep.log\nlocal.txt\nsub/b.log\nsub/build/in.txt\n[4 files]";
    assert_eq!(world.search(&all), expected);
    std::fs::create_dir(world.root().join(".git")).unwrap();
    assert_eq!(world.search(&all), expected);
    let below = SearchFiles { path: "sub", ..all };
    assert_eq!(world.search(&below), "sub/b.log\nsub/build/in.txt\n[2 files]");
}

#[test]
fn rules_above_the_root_and_above_a_nested_repository_do_not_count() {
    let world = World::new().with("a.txt", "x\n").with(".gitignore", "*.txt\n").with("nested/b.txt", "x\n");
    std::fs::write(world.root().parent().unwrap().join(".gitignore"), "*\n").unwrap();
    std::fs::create_dir_all(world.root().join("nested/.git")).unwrap();
    assert!(world.search(&search_for("x")).contains("nested/b.txt"));
    std::fs::remove_file(world.root().join(".gitignore")).unwrap();
    assert!(world.search(&search_for("x")).starts_with("a.txt"));
}

#[test]
fn a_folder_that_is_asked_for_is_searched_even_if_a_rule_leaves_it_out() {
    let world = World::new().with(".gitignore", "target/\n").with("target/doc/a.txt", "x\n");
    let text = world.search(&search_for("x"));
    assert!(text.contains("[no match") && text.contains("1 left out by ignore rules"), "{text}");
    for path in ["target", "target/doc"] {
        assert!(world.search(&SearchFiles { path, ..search_for("x") }).starts_with("target/doc/a.txt"));
    }
}

#[test]
fn a_rule_that_does_not_parse_leaves_the_others_in_force() {
    let world = World::new()
        .with(".gitignore", "\u{feff}a.txt\n{b\nc.txt\n")
        .with("a.txt", "x\n")
        .with("c.txt", "x\n");
    assert!(world.search(&search_for("^x")).starts_with("[no match"));
}

#[test]
fn hidden_files_are_searched_and_what_version_control_keeps_is_not() {
    let world = World::new().with(".env", "x\n").with(".github/ci.yml", "x\n").with(".git/config", "x\n");
    assert!(
        world.search(&search_for("x")).starts_with(".env\n1:x\n.github/ci.yml\n1:x\n[2 lines in 2 files]")
    );
    assert!(world.search(&SearchFiles { path: ".git", ..search_for("x") }).starts_with(".git/config"));
}

#[test]
fn encodings_and_line_ends_do_not_hide_a_match() {
    let utf16: Vec<u8> = "\u{feff}grüße\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let world = World::new()
        .with("a-utf16.txt", utf16)
        .with("b-crlf.txt", "grüße\r\n")
        .with("c-bom.txt", "\u{feff}grüße\n")
        .with("d-latin1.txt", b"\xe9\ngr\xc3\xbc\xc3\x9fe\n");
    let text = world.search(&search_for("^grüße$"));
    assert!(!text.contains('\r') && text.ends_with("[4 lines in 4 files]"), "{text}");
}

#[test]
fn a_file_with_one_line_too_long_to_hold_is_counted_as_unreadable() {
    let world = World::new().with("a.txt", "x".repeat(70 << 20)).with("b.txt", "xy\n");
    let text = world.search(&search_for("xy"));
    assert!(text.starts_with("b.txt\n1:xy\n[1 line in 1 file; 1 could not be read: `a.txt`"), "{text}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_fifos_do_not_block() {
    let world = World::new().with("real/a.txt", "x\n");
    std::fs::write(world.outside().join("secret.txt"), "x\n").unwrap();
    link(world.outside(), world.root().join("folder"));
    link(world.outside().join("secret.txt"), world.root().join("file"));
    link("real", world.root().join("inside"));
    link(".", world.root().join("loop"));
    make_fifo(world.root().join("fifo"));
    assert_eq!(world.search(&search_for("x")), "real/a.txt\n1:x\n[1 line in 1 file]");
    assert_eq!(world.search(&find("*")), "real/a.txt\n[1 file]");
    assert!(world.search(&SearchFiles { path: "inside", ..search_for("x") }).starts_with("real/a.txt"));
    let error = world.try_search(&SearchFiles { path: "fifo", ..search_for("x") }).unwrap_err();
    assert_error(&error, Kind::NotAFile, &["a FIFO"]);
}

#[cfg(unix)]
#[test]
fn a_rule_file_that_is_a_fifo_or_a_link_is_no_rule_file() {
    let world = World::new().with("a.txt", "x\n").with("sub/b.txt", "x\n");
    make_fifo(world.root().join(".gitignore"));
    link("/dev/zero", world.root().join("sub/.gitignore"));
    let text = world.search(&search_for("x"));
    assert!(text.ends_with("[2 lines in 2 files]"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_huge_sparse_file_is_passed_by() {
    let world = World::new().with("b.txt", "x\n");
    std::fs::File::create(world.root().join("a.img")).unwrap().set_len(64 << 30).unwrap();
    let text = world.search(&search_for("x"));
    assert_eq!(text, "b.txt\n1:x\n[1 line in 1 file; 1 binary file skipped]");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_unicode_is_searched_and_shown_as_well_as_it_can_be() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(world.root().join(name), "x\n").unwrap();
    assert!(world.search(&search_for("x")).starts_with("caf\u{fffd}.txt\n1:x\n"));
}

#[test]
fn a_cancelled_search_is_an_error_and_a_late_one_keeps_what_it_found() {
    let world = World::new();
    for file in 0..100 {
        world.put(&format!("{file:03}.txt"), "x\n");
    }
    let cancelled = halt_after(50, Halt::Cancelled);
    let error = search_files(&world.workspace(), &search_for("x"), &cancelled).unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
    let late = halt_after(50, Halt::OutOfTime);
    let text = search_files(&world.workspace(), &search_for("x"), &late).unwrap();
    assert!(text.starts_with("000.txt\n1:x\n") && text.contains("stopped at the deadline"), "{text}");
}

#[test]
fn a_halt_is_noticed_within_one_large_file() {
    let world = World::new().with("a.txt", "0123456789abcde\n".repeat(1 << 20));
    let request = search_for("nowhere");
    let error = search_files(&world.workspace(), &request, &halt_after(10, Halt::Cancelled)).unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
}
