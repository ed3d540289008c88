//! Text that a model reads: nothing in it that a person would not see.

use std::borrow::Cow;

/// Without the characters that hide text from a person or change its order: tag characters, bidirectional
/// controls, U+200B and U+FEFF. The joiners U+200C and U+200D stay: scripts and emoji need them.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_hidden) {
        Cow::Owned(text.chars().filter(|c| !is_hidden(*c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{E0000}'..='\u{E007F}'
        | '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        | '\u{200B}' | '\u{FEFF}')
}

/// The first `max` characters at most, and the rest; cut where a line, a sentence or at least a word ends.
pub(super) fn split_at_chars(text: &str, max: usize) -> (&str, &str) {
    let Some((end, _)) = text.char_indices().nth(max) else { return (text, "") };
    let head = &text[..end];
    let ends = |mark: &str| head.rfind(mark).map(|at| at + mark.len()).filter(|at| *at > end / 2);
    let cut = ends("\n").or_else(|| ends(". ")).or_else(|| ends(" ")).unwrap_or(end);
    (text[..cut].trim_end(), text[cut..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_joiners_stay() {
        let hidden = "a\u{E0041}\u{202E}b\u{2066}c\u{200B}\u{FEFF}\u{200F}";
        assert_eq!(visible(hidden), "abc");
        for kept in ["👩\u{200D}💻", "می\u{200C}خواهم", "plain"] {
            assert_eq!(visible(kept), kept);
        }
    }

    #[test]
    fn a_long_text_is_cut_where_a_sentence_ends() {
        assert_eq!(split_at_chars("short", 10), ("short", ""));
        assert_eq!(split_at_chars("One two. Three four", 14), ("One two.", "Three four"));
        assert_eq!(split_at_chars("ééééé", 3), ("ééé", "éé"));
    }
}
