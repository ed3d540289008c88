//! Large results as text that is read by lines.

/// JSON laid out in lines: an element a line, and the line breaks inside of strings as real ones. It is for reading,
/// and no longer JSON. Works along the text: whatever the size, no tree is built.
pub(super) fn lines(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 8);
    let mut depth = 0_usize;
    let mut rest = json.trim();
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => {
                taken = string_length(rest);
                push_string(&mut out, &rest[..taken]);
            }
            '{' | '[' => {
                out.push(c);
                let after = rest[1..].trim_start();
                if after.starts_with(['}', ']']) {
                    out.push_str(&after[..1]);
                    taken = rest.len() - after.len() + 1;
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                break_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
        rest = &rest[taken..];
    }
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    // Deeper than this nobody reads the indentation, and a hostile depth must not multiply the text.
    out.extend(std::iter::repeat_n("  ", depth.min(20)));
}

/// How long the string literal is that `text` begins with.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A string literal; one with line breaks is written as the text that it stands for.
fn push_string(out: &mut String, literal: &str) {
    let decoded = if literal.contains("\\n") { serde_json::from_str::<String>(literal).ok() } else { None };
    match decoded {
        Some(text) => out.push_str(&text),
        None => out.push_str(literal),
    }
}

/// The first `head` and the last `tail` Unicode scalar values of a text that has more of them, cut at lines where a
/// line ends near enough.
pub(super) fn ends(text: &str, head: usize, tail: usize) -> (&str, &str) {
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start =
        text.char_indices().rev().nth(tail.saturating_sub(1)).map_or(0, |(at, _)| at).max(head_end);
    let (first, last) = (&text[..head_end], &text[tail_start..]);
    let first = match first.rfind('\n') {
        Some(line) if line > first.len() / 2 => &first[..line],
        _ => first,
    };
    let last = match last.find('\n') {
        Some(line) if line < last.len() / 2 => &last[line + 1..],
        _ => last,
    };
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_laid_out_with_real_line_breaks() {
        let json = r#"{"exit":0,"output":"a\nb \"q\"\n","list":[1,[],{}],"s":"x\\y"}"#;
        assert_eq!(
            lines(json),
            "{\n  \"exit\": 0,\n  \"output\": a\nb \"q\"\n,\n  \"list\": [\n    1,\n    [],\n    {}\n  ],\n  \"s\": \"x\\\\y\"\n}"
        );
        assert_eq!(lines(r#""one\ntwo""#), "one\ntwo");
        let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        assert!(lines(&deep).len() < 6_000_000);
        lines("{\"cut");
        lines("é\"é\\");
    }

    #[test]
    fn ends_are_cut_at_lines_where_there_are_some() {
        let text: String = (0..1_000).map(|line| format!("line {line}\n")).collect();
        let (head, tail) = ends(&text, 100, 50);
        assert!(head.starts_with("line 0\n") && head.len() <= 100 && text[head.len()..].starts_with('\n'));
        assert!(tail.starts_with("line 99") && tail.ends_with("line 999\n") && tail.len() <= 50);
        let wide = "é🛠".repeat(500);
        let (head, tail) = ends(&wide, 100, 50);
        assert_eq!((head.chars().count(), tail.chars().count()), (100, 50));
    }
}
