//! Which program gave a command its exit code, as far as its text tells.

/// The last simple command of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Last {
    /// Its program, without folders.
    pub(super) name: String,
    /// Is the exit code surely its own? Not after `&&`, `||` or `set -e`.
    pub(super) sure: bool,
}

/// The program whose exit code is that of the whole command; nothing when the text is not as simple as that.
pub(super) fn last_program(command: &str) -> Option<Last> {
    let (words, conditional) = last_simple_command(command)?;
    let name = program(&words)?;
    let sure = !conditional && !command.contains("set -e") && !command.contains("pipefail");
    Some(Last { name: name.to_owned(), sure })
}

/// The words after the last operator outside quotes, and whether one of `&&` and `||` came before.
///
/// Text with substitutions, groups or here-documents is left alone: better no explanation than a wrong one.
fn last_simple_command(command: &str) -> Option<(Vec<String>, bool)> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut conditional = false;
    let mut chars = command.trim().chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\'' => word.get_or_insert_default().push_str(&until_quote(&mut chars, '\'')?),
            '"' => word.get_or_insert_default().push_str(&until_quote(&mut chars, '"')?),
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => word.get_or_insert_default().push(escaped),
            },
            '(' | ')' | '{' | '}' | '`' | '<' => return None,
            '$' if chars.peek() == Some(&'(') => return None,
            ' ' | '\t' => words.extend(word.take()),
            '>' => {
                words.extend(word.take().filter(|word| !word.chars().all(|c| c.is_ascii_digit())));
                while chars.next_if(|next| matches!(next, '>' | '|' | ' ')).is_some() {}
                if chars.next_if_eq(&'&').is_none() {
                    while chars
                        .next_if(|next| !next.is_whitespace() && !matches!(next, ';' | '&' | '|'))
                        .is_some()
                    {}
                } else {
                    chars.next();
                }
            }
            ';' | '\n' | '&' | '|' => {
                if matches!(char, '&' | '|') && chars.next_if_eq(&char).is_some() {
                    conditional = true;
                } else if char == '&' && chars.next_if_eq(&'>').is_some() {
                    return None;
                }
                words.clear();
                word = None;
            }
            '#' if word.is_none() => return None,
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Some((words, conditional))
}

fn until_quote(chars: &mut impl Iterator<Item = char>, quote: char) -> Option<String> {
    let mut text = String::new();
    loop {
        match chars.next()? {
            end if end == quote => return Some(text),
            '\\' if quote == '"' => text.extend(chars.next()),
            other => text.push(other),
        }
    }
}

/// The program among the words: not an assignment, not one that only runs another.
fn program(words: &[String]) -> Option<&str> {
    let mut words = words.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        let name = word.rsplit('/').next().unwrap_or(word);
        match name {
            _ if assigns => {}
            "!" => return None, // turns the code around
            "sudo" | "env" | "nice" | "nohup" | "exec" | "time" | "builtin" => {
                // Their options may take a value: only those that surely do not are passed over.
                while words.next_if(|word| matches!(*word, "-n" | "-E" | "-i" | "-p" | "--")).is_some() {}
            }
            "" => return None,
            name if name.starts_with('-') => return None,
            name => return Some(name),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ends_with(command: &str, name: &str, sure: bool) {
        assert_eq!(last_program(command), Some(Last { name: name.into(), sure }), "{command}");
    }

    #[test]
    fn the_last_program_gives_the_code() {
        ends_with("cargo test 2>&1 | tail -5", "tail", true);
        ends_with("echo 'a; b' > out.txt; /usr/bin/diff a b 2>/dev/null", "diff", true);
        ends_with("FOO=1 BAR='x y' env grep x", "grep", true);
        ends_with("a || b", "b", false);
        ends_with("one &\ntwo \\\n  three", "two", true);
    }

    #[test]
    fn text_that_is_not_simple_is_left_alone() {
        for command in [
            "(grep x)",
            "! grep x y",
            "cat <<EOF\nx\nEOF",
            "echo $(grep x)",
            "'open",
            "x &> y",
            "",
            "ls; # x",
        ] {
            assert_eq!(last_program(command), None, "{command}");
        }
    }
}
