//! Paths as words of a shell command that a person may paste.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The path as one word of a POSIX shell.
///
/// Plain names stay as they are, others stand in single quotes. A name with control characters or bytes that are
/// not UTF-8 becomes `$'…'`, which bash, zsh and ksh read.
pub(crate) fn shell_quoted(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(byte);
    match path.to_str() {
        Some(text) if !bytes.is_empty() && bytes.iter().all(plain) => text.to_owned(),
        Some(text) if !text.chars().any(char::is_control) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped_word(bytes),
    }
}

fn escaped_word(bytes: &[u8]) -> String {
    let mut word = String::from("$'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => {
                word.push('\\');
                word.push(char::from(byte));
            }
            0x20..0x7f => word.push(char::from(byte)),
            // Octal has a fixed length, so that a digit which follows is no part of it.
            _ => {
                let _ = write!(word, "\\{byte:03o}");
            }
        }
    }
    word.push('\'');
    word
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_shell_reads_the_word_as_the_same_path() {
        let names: [&[u8]; 6] = [
            b"/plain/x.so",
            b"/with space",
            b"/it's",
            b"/new\nline 7",
            b"/not\xffutf8",
            b"/$(reboot) `x` \\",
        ];
        for name in names {
            let word = shell_quoted(Path::new(OsStr::from_bytes(name)));
            let Ok(output) = Command::new("bash").args(["-c", &format!("printf %s {word}")]).output() else {
                let _ =
                    std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no bash to read the word\n");
                return;
            };
            assert_eq!(output.stdout, name, "{word}");
        }
    }
}
