//! Paths as text: never lossy, never a control character on a terminal.

use std::fmt::{self, Write as _};
use std::path::Path;

/// A path that prints on one line: control characters and bytes that are no UTF-8 are escaped (`\n`, `\xFF`).
pub fn escaped(path: &Path) -> impl fmt::Display + '_ {
    Escaped(path)
}

struct Escaped<'a>(&'a Path);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.as_os_str().as_encoded_bytes().utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' => f.write_str("\\n")?,
                    '\t' => f.write_str("\\t")?,
                    '\r' => f.write_str("\\r")?,
                    c if c.is_control() || is_format(c) => write!(f, "{}", c.escape_unicode())?,
                    c => f.write_char(c)?,
                }
            }
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02X}")?;
            }
        }
        Ok(())
    }
}

/// Characters that change how the rest of a line is shown.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// The bytes of a path that is not UTF-8, in hexadecimal; nothing if it is.
pub fn path_bytes_hex(path: &Path) -> Option<String> {
    if path.to_str().is_some() {
        return None;
    }
    let mut hex = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        let _ = write!(hex, "{byte:02x}");
    }
    Some(hex)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_name_that_is_not_utf8_is_escaped_and_its_bytes_stand_beside_it() {
        let path = Path::new(OsStr::from_bytes(b"a\nb\xff.so"));
        assert_eq!(escaped(path).to_string(), "a\\nb\\xFF.so");
        assert_eq!(path_bytes_hex(path).as_deref(), Some("610a62ff2e736f"));
        assert_eq!(path_bytes_hex(Path::new("plain.so")), None);
    }
}
