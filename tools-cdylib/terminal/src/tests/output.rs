use crate::output::{Output, Printed};

fn printed(pieces: &[&[u8]]) -> Printed {
    let mut output = Output::new(50_000);
    pieces.iter().for_each(|piece| output.feed(piece));
    output.finish()
}

#[track_caller]
fn shows(raw: &str, expected: &str) {
    assert_eq!(printed(&[raw.as_bytes()]).text, expected);
    // Cut at every byte, the result is the same.
    let bytes: Vec<&[u8]> = raw.as_bytes().chunks(1).collect();
    assert_eq!(printed(&bytes).text, expected, "byte by byte");
}

#[test]
fn colours_titles_and_links_are_gone() {
    shows("\x1b[1;31merror\x1b[0m: no\n", "error: no\n");
    shows("\x1b]0;a ✔ “title”\x07text", "text");
    shows("\x1b]8;;http://localhost/\x1b\\link\x1b]8;;\x1b\\ end", "link end");
    shows("\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\after", "after");
    shows("\x1b[38:2:1:2:3mx\x1b(B\x1b[?25h\x1b[>4;2my", "xy");
}

#[test]
fn a_sequence_that_never_ends_does_not_swallow_the_output() {
    shows("one\x1b]garbage\ntwo\n", "one\ntwo\n");
    shows("one\x1bPgarbage\ntwo\n", "one\ntwo\n");
    shows("cut \x1b[3", "cut ");
}

#[test]
fn control_characters_are_gone_and_tabs_stay() {
    shows("a\0b\x07c\td\x7fe\u{9b}f£g\n", "abc\tdef£g\n");
}

#[test]
fn of_a_progress_bar_the_last_state_is_left() {
    shows(" 10%\r 50%\r100%\ndone\n", "100%\ndone\n");
    shows("downloading 1 of 10\rok\x1b[K\n", "ok\n");
    shows("downloading\x1b[2K\x1b[1Gok\n", "ok\n");
    shows("abcdef\rxy\n", "xycdef\n");
    shows("spin |\x08/\x08-\n", "spin -\n");
    shows("still going 3%\rstill going 4%", "still going 4%");
}

#[test]
fn both_kinds_of_line_ends_are_line_ends() {
    shows("one\r\ntwo\r\n", "one\ntwo\n");
}

#[test]
fn a_match_coloured_by_grep_is_whole() {
    shows("a \x1b[01;31m\x1b[Kmatch\x1b[m\x1b[K here\n", "a match here\n");
}

#[test]
fn moving_far_right_costs_nothing() {
    let text = printed(&[b"\x1b[999999999Cx\n"]).text;
    assert!(text.len() < 600, "{}", text.len());
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_and_said() {
    let binary = printed(&[b"caf\xe9 \xff\xfe ok\n"]);
    assert_eq!(binary.text, "caf\u{fffd} \u{fffd}\u{fffd} ok\n");
    assert!(binary.not_utf8);

    let cut = printed(&["naïve ✔".as_bytes().split_at(4).0, "naïve ✔".as_bytes().split_at(4).1]);
    assert_eq!((cut.text.as_str(), cut.not_utf8), ("naïve ✔", false));
    assert!(printed(&["✔".as_bytes().split_at(2).0]).not_utf8);
}

#[test]
fn a_line_without_end_is_not_kept_whole() {
    let mut output = Output::new(1000);
    for _ in 0..1000 {
        output.feed(&[b'x'; 1000]);
    }
    output.feed(b"\rnew");
    let printed = output.finish();
    assert!(printed.text.chars().count() <= 1000);
    assert!(printed.omitted > 990_000);
}

#[test]
fn noise_of_every_kind_never_panics() {
    // A linear congruential generator: the same noise in every run.
    let mut seed = 0x2545_f491_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 24) as u8
    };
    let special = [0x1b, b'[', b']', b'\r', b'\n', 0x08, 0xc2, 0x9c, 0xe2, b'K', b'G', b'9', 0x18, b'P'];
    for _ in 0..200 {
        let mut output = Output::new(1000);
        for _ in 0..20 {
            let piece: Vec<u8> = (0..200)
                .map(|_| if next() < 128 { special[usize::from(next()) % special.len()] } else { next() })
                .collect();
            output.feed(&piece);
        }
        let printed = output.finish();
        assert!(printed.text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
    }
}
