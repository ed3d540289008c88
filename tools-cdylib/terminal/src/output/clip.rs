//! The head and the tail of a long text.

/// Room for the mark, taken from the tail once something is left out.
const MARK_ROOM: usize = 64;

/// Keeps the first 40 % and the last 60 % of a limit, in characters (Unicode scalar values).
pub(super) struct Clip {
    head: String,
    head_room: usize,
    /// Between the tail's limit and twice it: trimmed seldom, so that each character is moved once on average.
    tail: String,
    tail_chars: usize,
    tail_limit: usize,
    total: u64,
}

impl Clip {
    pub(super) fn new(limit: usize) -> Self {
        let head_room = limit * 2 / 5;
        let tail_limit = limit - head_room;
        Clip { head: String::new(), head_room, tail: String::new(), tail_chars: 0, tail_limit, total: 0 }
    }

    /// Appends text.
    pub(super) fn push(&mut self, mut text: &str) {
        let mut chars = char_count(text);
        self.total += chars as u64;
        if self.head_room > 0 {
            let taken = chars.min(self.head_room);
            let (head, rest) = text.split_at(byte_of_char(text, taken));
            self.head.push_str(head);
            self.head_room -= taken;
            (text, chars) = (rest, chars - taken);
        }
        if chars >= self.tail_limit {
            self.tail.clear();
            self.tail_chars = 0;
            (text, chars) = (last_chars(text, self.tail_limit), self.tail_limit);
        }
        self.tail.push_str(text);
        self.tail_chars += chars;
        if self.tail_chars > 2 * self.tail_limit {
            self.trim_tail(self.tail_limit);
        }
    }

    /// The text within the limit, and how many characters are not in it.
    pub(super) fn finish(mut self) -> (String, u64) {
        if self.tail_chars > self.tail_limit || self.total > self.kept() {
            self.trim_tail(self.tail_limit.saturating_sub(MARK_ROOM));
        }
        let omitted = self.total - self.kept();
        let mut text = self.head;
        if omitted > 0 {
            text.push_str(&format!("\n[… {omitted} characters left out …]\n"));
        }
        text.push_str(&self.tail);
        (text, omitted)
    }

    fn kept(&self) -> u64 {
        (char_count(&self.head) + self.tail_chars) as u64
    }

    fn trim_tail(&mut self, chars: usize) {
        if self.tail_chars > chars {
            let from = self.tail.len() - last_chars(&self.tail, chars).len();
            self.tail.drain(..from);
            self.tail_chars = chars;
        }
    }
}

fn char_count(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}

fn byte_of_char(text: &str, index: usize) -> usize {
    if text.is_ascii() {
        return index.min(text.len());
    }
    text.char_indices().nth(index).map_or(text.len(), |(byte, _)| byte)
}

fn last_chars(text: &str, count: usize) -> &str {
    if count == 0 {
        return "";
    }
    if text.is_ascii() {
        return &text[text.len().saturating_sub(count)..];
    }
    text.char_indices().rev().nth(count - 1).map_or(text, |(byte, _)| &text[byte..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clipped(limit: usize, pieces: &[&str]) -> (String, u64) {
        let mut clip = Clip::new(limit);
        pieces.iter().for_each(|piece| clip.push(piece));
        clip.finish()
    }

    #[test]
    fn text_within_the_limit_is_whole() {
        assert_eq!(clipped(200, &["one ", "two ", "three"]), ("one two three".to_owned(), 0));
        let exact = "é".repeat(200);
        assert_eq!(clipped(200, &[&exact]), (exact, 0));
    }

    #[test]
    fn of_longer_text_the_head_and_the_tail_are_kept() {
        let (text, omitted) = clipped(1000, &[&"a".repeat(5000), &"b".repeat(5000)]);
        assert!(text.starts_with(&"a".repeat(400)) && text.ends_with(&"b".repeat(536)));
        assert_eq!(omitted, 10_000 - 400 - 536);
        assert!(text.contains("\n[… 9064 characters left out …]\n"), "{text}");
        assert!(text.chars().count() <= 1000);
    }

    #[test]
    fn one_character_too_many_is_counted_right() {
        let (text, omitted) = clipped(1000, &[&"é".repeat(1001)]);
        assert_eq!(omitted, 65);
        assert_eq!(text.chars().filter(|c| *c == 'é').count() as u64 + omitted, 1001);
    }

    #[test]
    fn however_the_text_is_cut_the_result_is_the_same() {
        let whole: String = (0..3000).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let expected = clipped(500, &[&whole]);
        for size in [1, 7, 64, 333] {
            let pieces: Vec<&str> =
                whole.as_bytes().chunks(size).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
            assert_eq!(clipped(500, &pieces), expected, "pieces of {size}");
        }
    }

    #[test]
    fn memory_does_not_grow_with_the_text() {
        let mut clip = Clip::new(1000);
        for _ in 0..20_000 {
            clip.push("twenty characters!!\n");
            assert!(clip.tail.len() <= 2 * clip.tail_limit + 20);
        }
        assert_eq!(clip.total, 400_000);
    }
}
