//! Names that a model can use everywhere.

/// Whether every provider takes `name` as a tool's: `^[A-Za-z][A-Za-z0-9_]{0,63}$`.
pub fn is_valid_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() <= 64
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::is_valid_name;

    #[test]
    fn a_name_is_a_letter_and_up_to_63_letters_digits_and_underscores() {
        for good in ["a", "read_file", "A1_", &"x".repeat(64)] {
            assert!(is_valid_name(good), "{good}");
        }
        for bad in ["", "1a", "_a", "a.b", "a-b", "a b", "é", "a\u{202E}", &"x".repeat(65)] {
            assert!(!is_valid_name(bad), "{bad}");
        }
    }
}
