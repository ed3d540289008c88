//! Strings of JSON that come in pieces.

use serde_json::value::RawValue;

use super::{AnswerError, MAX_BYTES};

/// A string that is put together before it is decoded: a piece may end inside a surrogate pair.
#[derive(Clone, Debug, Default)]
pub(in crate::definitions) struct Literal(String);

impl Literal {
    /// Adds a JSON value: a string's text; nothing for `null`; what is no string as JSON.
    pub(in crate::definitions) fn push(&mut self, value: &RawValue) -> Result<(), AnswerError> {
        let text = value.get();
        if self.0.len() + text.len() > MAX_BYTES {
            return Err(AnswerError::TooLarge);
        }
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(body) => self.0.push_str(body),
            None if text == "null" => {}
            None => {
                let quoted = serde_json::to_string(text)?;
                self.0.push_str(&quoted[1..quoted.len() - 1]);
            }
        }
        Ok(())
    }

    pub(in crate::definitions) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text. A half of a surrogate pair that stayed alone becomes U+FFFD.
    pub(in crate::definitions) fn text(&self) -> String {
        let quoted = format!("\"{}\"", self.0);
        serde_json::from_str(&quoted).unwrap_or_else(|_| {
            serde_json::from_str(&without_halves(&quoted)).unwrap_or_else(|_| self.0.clone())
        })
    }
}

/// The text of one JSON value, as [`Literal`] reads it.
pub(in crate::definitions) fn text_of(value: Option<&RawValue>) -> Result<String, AnswerError> {
    let mut literal = Literal::default();
    if let Some(value) = value {
        literal.push(value)?;
    }
    Ok(literal.text())
}

/// A JSON string in which every lone surrogate is U+FFFD.
fn without_halves(quoted: &str) -> String {
    let unit = |at: usize| {
        let escape = quoted.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let mut out = String::with_capacity(quoted.len());
    let mut at = 0;
    while let Some(c) = quoted.get(at..).and_then(|rest| rest.chars().next()) {
        let taken = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                out.push('\u{FFFD}');
                at += 6;
                continue;
            }
            (Some(_), _) => 6,
            (None, _) if c == '\\' => 2,
            (None, _) => c.len_utf8(),
        };
        let end = (at + taken).min(quoted.len());
        out.push_str(quoted.get(at..end).unwrap_or_default());
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &[&str]) -> String {
        let mut literal = Literal::default();
        for piece in pieces {
            literal.push(serde_json::from_str(piece).unwrap()).unwrap();
        }
        literal.text()
    }

    #[test]
    fn a_character_cut_in_two_is_whole_again() {
        assert_eq!(joined(&[r#""a\ud83d""#, r#""\ude00b""#]), "a😀b");
        assert_eq!(joined(&[r#""\ud83dx""#, r#""\\ud83d\ude00""#]), "\u{FFFD}x\\ud83d\u{FFFD}");
        assert_eq!(joined(&[r#""{\"a\":""#, "null", r#""1}""#]), r#"{"a":1}"#);
        assert_eq!(joined(&[r#"{"a": "x\n"}"#]), r#"{"a": "x\n"}"#);
    }
}
