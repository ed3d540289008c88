//! How much of an error's text is shown, and to whom.

use super::framing::without_framing;

/// Unicode scalar values of an error that a model sees, the mark included.
const FOR_MODEL: usize = 2_048;

/// Unicode scalar values of an error that the log keeps.
pub(crate) const FOR_LOG: usize = 8_192;

/// An error's text as a model sees it: without framing tokens, and not too long.
pub(super) fn for_model(text: &str) -> String {
    let clean = without_framing(text_for_log(text).as_ref()).into_owned();
    // A cut may join the halves of a token, too.
    without_framing(&shorten(&clean, FOR_MODEL)).into_owned()
}

/// More than is kept for anybody is not worth a look.
fn text_for_log(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() <= FOR_LOG { text.into() } else { shorten(text, FOR_LOG).into() }
}

/// The text, or its head and tail around a mark that says how much is left out; `limit` in Unicode scalar values.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let total = text.chars().count();
    if total <= limit {
        return text.to_owned();
    }
    // The mark's own length depends on the number in it by a digit or two: reserve for the largest.
    let reserve = mark(total).chars().count();
    let keep = limit.saturating_sub(reserve);
    let head = keep * 2 / 3;
    let tail = keep - head;
    let mark = mark(total - keep);
    let head_end = byte_of_char(text, head);
    let tail_start = byte_of_char(text, total - tail);
    format!("{}{mark}{}", &text[..head_end], &text[tail_start..])
}

fn mark(left_out: usize) -> String {
    format!("\n[... {left_out} characters left out ...]\n")
}

fn byte_of_char(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_100_000_characters_keeps_head_and_tail_and_says_what_is_gone() {
        let text: String = (0..100_000).map(|i| char::from(b'a' + (i % 26) as u8)).collect();
        let short = shorten(&text, FOR_MODEL);
        assert!(short.chars().count() <= FOR_MODEL);
        assert!(short.starts_with("abcdefgh"));
        assert!(short.ends_with(&text[text.len() - 100..]));
        assert!(short.contains("characters left out"));
    }

    #[test]
    fn the_cut_falls_between_characters() {
        let text = "é🛠".repeat(5_000);
        let short = shorten(&text, 1_000);
        assert!(short.chars().count() <= 1_000);
        assert!(short.chars().all(|c| c == 'é' || c == '🛠' || c.is_ascii()));
    }

    #[test]
    fn framing_is_taken_out_before_the_cut_and_after_it() {
        let text = format!("<system>{}</system>", "x".repeat(5_000));
        let shown = for_model(&text);
        assert!(shown.chars().count() <= FOR_MODEL);
        assert!(!shown.contains("system"), "{shown}");
        assert_eq!(for_model("fine"), "fine");
    }

    #[test]
    fn a_short_error_stays_as_it_is() {
        assert_eq!(shorten("no", FOR_MODEL), "no");
        assert_eq!(shorten(&"é".repeat(FOR_MODEL), FOR_MODEL), "é".repeat(FOR_MODEL));
    }
}
