//! A body cut into its events, wherever its bytes were cut.

use serde::de::IgnoredAny;

use super::{AnswerError, MAX_BYTES};

/// Server-sent events, or JSON objects: one after the other, a line each, or in a list. The first byte says which.
#[derive(Debug, Default)]
pub(super) struct Frames {
    kind: Kind,
    /// The line, or the object, that is not complete.
    part: Vec<u8>,
    /// The `data` of the event that is not complete.
    data: Option<Vec<u8>>,
    /// Whether a line ended with a carriage return just now: a line feed belongs to it.
    after_return: bool,
    object: Object,
}

#[derive(Debug, Default, PartialEq)]
enum Kind {
    #[default]
    Unknown,
    Events,
    Objects,
}

/// Where in an object the next byte stands.
#[derive(Debug, Default)]
struct Object {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Frames {
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), AnswerError> {
        for byte in bytes {
            if self.kind == Kind::Unknown {
                match byte {
                    // Space before the first event, and the mark that some servers begin with.
                    b' ' | b'\t' | b'\r' | b'\n' | 0xEF | 0xBB | 0xBF => continue,
                    b'{' | b'[' => self.kind = Kind::Objects,
                    _ => self.kind = Kind::Events,
                }
            }
            if self.kind == Kind::Objects {
                self.object(*byte, events);
            } else {
                self.line(*byte, events);
            }
            if self.part.len() + self.data.as_ref().map_or(0, Vec::len) > MAX_BYTES {
                self.part = Vec::new();
                self.data = None;
                return Err(AnswerError::TooLarge);
            }
        }
        Ok(())
    }

    /// What is left, if anything is: an event without the line after it, or the head of one.
    pub(super) fn finish(mut self) -> Option<String> {
        let mut events = Vec::new();
        if self.kind == Kind::Events && !self.part.is_empty() {
            self.line(b'\n', &mut events);
        }
        let rest = self.data.take().or_else(|| (!self.part.is_empty()).then_some(self.part))?;
        Some(text(rest).trim().to_owned()).filter(|rest| !rest.is_empty())
    }

    fn line(&mut self, byte: u8, events: &mut Vec<String>) {
        let ends_with_return = byte == b'\r';
        if std::mem::replace(&mut self.after_return, ends_with_return) && byte == b'\n' {
            return;
        }
        if byte != b'\n' && byte != b'\r' {
            self.part.push(byte);
            return;
        }
        let line = std::mem::take(&mut self.part);
        if line.is_empty() {
            events.extend(self.data.take().map(text));
            return;
        }
        let Some(value) = line.strip_prefix(b"data:") else { return };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &mut self.data {
            // Some servers forget the empty line between two events.
            Some(data) if serde_json::from_slice::<IgnoredAny>(data).is_ok() => {
                events.extend(self.data.replace(value.to_vec()).map(text));
            }
            Some(data) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            None => self.data = Some(value.to_vec()),
        }
    }

    fn object(&mut self, byte: u8, events: &mut Vec<String>) {
        let at = &mut self.object;
        if at.depth == 0 && byte != b'{' {
            return;
        }
        self.part.push(byte);
        if at.in_string {
            match byte {
                _ if at.escaped => at.escaped = false,
                b'\\' => at.escaped = true,
                b'"' => at.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => at.in_string = true,
            b'{' | b'[' => at.depth += 1,
            b'}' | b']' => {
                at.depth -= 1;
                if at.depth == 0 {
                    events.push(text(std::mem::take(&mut self.part)));
                }
            }
            _ => {}
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(body: &[u8], piece: usize) -> (Vec<String>, Option<String>) {
        let mut frames = Frames::default();
        let mut events = Vec::new();
        for piece in body.chunks(piece) {
            frames.push(piece, &mut events).unwrap();
        }
        (events, frames.finish())
    }

    #[test]
    fn a_body_has_the_same_events_however_it_is_cut() {
        let bodies: [(&[u8], &[&str], Option<&str>); 7] = [
            (b"\xEF\xBB\xBFdata: {\"a\":1}\n\ndata:{\"b\":2}\n\n", &["{\"a\":1}", "{\"b\":2}"], None),
            (b": hi\r\nevent: x\r\ndata: {\r\ndata: }\r\n\r\ndata: [DONE]", &["{\n}"], Some("[DONE]")),
            (b"data: {}\ndata: {\"b\":2}\rid: 7\r\r", &["{}", "{\"b\":2}"], None),
            ("data: {\"a\":\"é😀\"}\n\n".as_bytes(), &["{\"a\":\"é😀\"}"], None),
            (b"[{\"a\":\"}\\\"\"},\n{\"b\":[{}]}\n]", &["{\"a\":\"}\\\"\"}", "{\"b\":[{}]}"], None),
            (b"{\"a\":1}\n{\"b\":", &["{\"a\":1}"], Some("{\"b\":")),
            (b"  \n", &[], None),
        ];
        for (body, expected, rest) in bodies {
            for piece in 1..=body.len() {
                let (found, left) = events(body, piece);
                assert_eq!(found, expected, "in pieces of {piece}: {}", String::from_utf8_lossy(body));
                assert_eq!(left.as_deref(), rest);
            }
        }
    }
}
