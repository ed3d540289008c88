//! Is it text, and in which encoding?

use std::io::{self, Cursor, Read};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};

/// How much of a file is looked at to tell text from other data.
const HEAD_BYTES: u64 = 8 << 10;

/// What the file begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// No byte order mark: UTF-8.
    Utf8,
    Utf8WithBom,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    fn of(head: &[u8]) -> Self {
        match head {
            [0xEF, 0xBB, 0xBF, ..] => Self::Utf8WithBom,
            [0xFF, 0xFE, ..] => Self::Utf16Le,
            [0xFE, 0xFF, ..] => Self::Utf16Be,
            _ => Self::Utf8,
        }
    }

    /// What the model should know of it before it writes the file back.
    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf8WithBom => Some("UTF-8 with a byte order mark"),
            Self::Utf16Le => Some("UTF-16 (little endian) in the file, shown decoded"),
            Self::Utf16Be => Some("UTF-16 (big endian) in the file, shown decoded"),
        }
    }
}

/// A reader of the file's text as UTF-8, without a byte order mark; `None` if it does not begin like text.
/// Later bytes that are not UTF-8 pass through as they are.
pub(super) fn open_text<R: Read>(mut file: R) -> io::Result<Option<(Encoding, impl Read)>> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut head)?;
    let mut text = Vec::new();
    as_utf8(head.as_slice()).read_to_end(&mut text)?;
    if !is_text(&text) {
        return Ok(None);
    }
    let encoding = Encoding::of(&head);
    Ok(Some((encoding, as_utf8(Cursor::new(head).chain(file)))))
}

fn as_utf8<R: Read>(source: R) -> DecodeReaderBytes<R, Vec<u8>> {
    DecodeReaderBytesBuilder::new().strip_bom(true).utf8_passthru(true).build(source)
}

/// No NUL, and at most one byte in ten that is not UTF-8. A few are let through: a name in Latin-1 should not
/// make a whole source file unreadable.
fn is_text(head: &[u8]) -> bool {
    // The head may end in the middle of a character, which proves nothing.
    let whole = match head.utf8_chunks().last() {
        Some(last) if head.len() as u64 >= HEAD_BYTES - 3 => head.len() - last.invalid().len(),
        _ => head.len(),
    };
    let wrong: usize = head[..whole].utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    memchr::memchr(0, head).is_none() && wrong * 10 <= head.len()
}
