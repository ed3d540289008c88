//! Spots in a schema, as JSON Pointers.

use std::fmt::{self, Write as _};
use std::path::Path;

/// A path from the root. It prints as a JSON Pointer that is safe to show, and not longer than a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Pointer(Vec<String>);

impl Pointer {
    pub(super) fn push(&mut self, segment: impl Into<String>) {
        self.0.push(segment.into());
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 160;
        let mut text = String::new();
        for segment in &self.0 {
            let short: String = segment.chars().take(SHOWN).collect();
            let _ = write!(text, "/{}", crate::escaped(Path::new(&escape(&short))));
            if text.len() > SHOWN {
                text = text.chars().take(SHOWN).chain("…".chars()).collect();
                break;
            }
        }
        f.write_str(&text)
    }
}

/// A key as a segment of a pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
