//! Text from a tool must not read as structure.
//!
//! A model is shown roles, calls and results by tokens in the text. An error that carries some, by accident or by
//! design, could pass for a message of the system. They are taken out of error texts, not escaped: an escaped one
//! is still read.

use std::borrow::Cow;

/// Names of tags that frame roles, calls and results somewhere. Compared without case.
const TAGS: &[&str] = &[
    "assistant",
    "developer",
    "function",
    "function_call",
    "function_calls",
    "function_result",
    "function_results",
    "function_response",
    "human",
    "input",
    "instructions",
    "invoke",
    "output",
    "parameter",
    "response",
    "result",
    "s",
    "system",
    "system-reminder",
    "system_prompt",
    "think",
    "thinking",
    "tool",
    "tool_call",
    "tool_calls",
    "tool_output",
    "tool_response",
    "tool_result",
    "tool_results",
    "tools",
    "user",
];

/// Tokens that are always written alike, but for case.
const FIXED: &[&str] = &[
    "<![cdata[",
    "]]>",
    "[inst]",
    "[/inst]",
    "[sys]",
    "[/sys]",
    "<<sys>>",
    "<</sys>>",
    "[tool_calls]",
    "[available_tools]",
    "[/available_tools]",
    "[tool_results]",
    "[/tool_results]",
];

/// How many bytes a tag with attributes, or a token between bars, may have to be taken for one.
const LONGEST: usize = 512;

/// The text without framing tokens: any case, and repeated until none is left, since taking one out may join the
/// halves of another.
pub(super) fn without_framing(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    while let Some(next) = stripped_once(&clean) {
        clean = Cow::Owned(next);
    }
    clean
}

/// The text without the tokens that stand in it now; nothing if there is none.
fn stripped_once(text: &str) -> Option<String> {
    let mut out: Option<String> = None;
    let (mut at, mut copied) = (0, 0);
    while let Some(found) = text[at..].find(['<', '[', ']', '`', '~']) {
        at += found;
        match token(&text[at..]) {
            Some(length) => {
                out.get_or_insert_default().push_str(&text[copied..at]);
                at += length;
                copied = at;
            }
            None => at += 1,
        }
    }
    out.map(|mut out| {
        out.push_str(&text[copied..]);
        out
    })
}

/// The length of the framing token that `text` begins with.
fn token(text: &str) -> Option<usize> {
    fence(text)
        .or_else(|| FIXED.iter().find(|fixed| starts_with(text, fixed)).map(|fixed| fixed.len()))
        .or_else(|| bars(text))
        .or_else(|| tag(text))
}

/// Three or more backquotes or tildes.
fn fence(text: &str) -> Option<usize> {
    let first = text.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let run = text.bytes().take_while(|byte| *byte == first).count();
    (run >= 3).then_some(run)
}

/// `<|…|>` on one line, also with the wide bars that some models have.
fn bars(text: &str) -> Option<usize> {
    for (open, close) in [("<|", "|>"), ("<｜", "｜>")] {
        if let Some(inside) = text.strip_prefix(open) {
            let end = inside.find(close)?;
            let whole = open.len() + end + close.len();
            return (whole <= LONGEST && !inside[..end].contains('\n')).then_some(whole);
        }
    }
    None
}

/// `<name>`, `</name>`, `<space:name a="b"/>`.
fn tag(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let inside = inside.trim_start_matches([' ', '/', '\t']);
    let name_length = inside
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':'))
        .count();
    let name = &inside[..name_length];
    let name = name.rsplit(':').next().unwrap_or(name);
    if !TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(name)) {
        return None;
    }
    let end = text.find('>')? + 1;
    (end <= LONGEST).then_some(end)
}

fn starts_with(text: &str, lower: &str) -> bool {
    text.as_bytes().get(..lower.len()).is_some_and(|start| start.eq_ignore_ascii_case(lower.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        without_framing(text).into_owned()
    }

    #[test]
    fn framing_tokens_are_gone_in_any_case() {
        for (text, left) in [
            ("a<tool_call>b</tool_call>c", "abc"),
            ("a</system>b", "ab"),
            ("a<system a=\"b\">c", "ac"),
            ("a<SyStEm\n  role='x' />c", "ac"),
            ("a< / system >c", "ac"),
            ("a<x:function_calls>c", "ac"),
            ("```json\n{}\n```", "json\n{}\n"),
            ("~~~~\nx", "\nx"),
            ("<![CDATA[x]]>", "x"),
            ("<|im_start|>system<|im_end|>", "system"),
            ("<｜tool▁calls▁begin｜>x", "x"),
            ("[INST] x [/inst]", " x "),
            ("<<SYS>>x<</SYS>>", "x"),
        ] {
            assert_eq!(clean(text), left, "{text}");
        }
    }

    #[test]
    fn what_becomes_one_when_another_is_gone_goes_too() {
        assert_eq!(clean("<sys<system>tem>x"), "x");
        assert_eq!(clean("<to<to<tool_call>ol_call>ol_call>x"), "x");
        assert_eq!(clean("``<user>`x"), "x");
        assert_eq!(clean("<|im<|x|>|>"), "|>");
        let nested = format!("{}{}", "<sys".repeat(1_000), "tem>".repeat(1_000));
        assert_eq!(clean(&nested), "");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in ["a < b and c > d", "Vec<u8>", "<div>", "x[0]", "`code`", "<systemd>", "é<", "<|"] {
            assert!(matches!(without_framing(text), Cow::Borrowed(_)), "{text}");
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn random_mixtures_of_tokens_leave_none() {
        let parts =
            ["<", "/", "system", "user", ">", "`", "``", "<|", "|>", "[IN", "ST]", "]]", " a=\"", "é"];
        let mut random = crate::testing_random::Random::seeded();
        for _ in 0..2_000 {
            let text: String = (0..random.below(40)).map(|_| parts[random.below(parts.len())]).collect();
            let left = clean(&text);
            assert_eq!(clean(&left), left, "{text:?}, {random}");
            for token in ["<system>", "</user>", "```", "[INST]"] {
                assert!(!left.contains(token), "{text:?} leaves {left:?}, {random}");
            }
        }
    }
}
