//! Where results go.

use std::fs::File;
use std::io::{self, IsTerminal as _, Write as _};

use serde_json::Value;
use toolrack::Diagnosis;

/// The real standard output. A reader that went away is no error: what it did not read, it did not want.
pub(crate) struct Output {
    file: File,
    pub(crate) json: bool,
    /// Whether something could not be written, and that was said.
    pub(crate) failed: bool,
}

impl Output {
    /// Takes the real standard output, before anything else can print to it.
    pub(crate) fn take(json: bool) -> io::Result<Self> {
        Ok(Output { file: crate::real_stdout::put_aside()?, json, failed: false })
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.file.is_terminal()
    }

    /// How wide the terminal is, in columns; nothing if there is none.
    pub(crate) fn width(&self) -> Option<u16> {
        terminal_size::terminal_size_of(&self.file).map(|(width, _)| width.0)
    }

    /// Prints a text, and ends its last line if it does not do that itself. Of nothing, nothing is printed.
    pub(crate) fn text(&mut self, text: &str) {
        self.write(text);
        if !text.is_empty() && !text.ends_with('\n') {
            self.write("\n");
        }
    }

    /// Prints a line, or several.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        self.text(&format!("{}\n", text.as_ref().trim_end_matches('\n')));
    }

    /// Prints one JSON document.
    pub(crate) fn document(&mut self, value: &Value) {
        let text = if self.is_terminal() { format!("{value:#}") } else { value.to_string() };
        self.write(&format!("{text}\n"));
    }

    fn write(&mut self, text: &str) {
        if let Err(e) = self.file.write_all(text.as_bytes())
            && e.kind() != io::ErrorKind::BrokenPipe
            && !std::mem::replace(&mut self.failed, true)
        {
            remark(format!("error: the result could not be written: {e}"));
        }
    }
}

/// Says why a command did not come to its work, on standard error.
pub(crate) fn complain(json: bool, diagnosis: &Diagnosis) {
    let mut stderr = io::stderr().lock();
    let _ = match serde_json::to_string(diagnosis) {
        Ok(text) if json => writeln!(stderr, "{text}"),
        _ => writeln!(stderr, "error: {diagnosis}"),
    };
}

/// Says something for people beside the result, on standard error.
pub(crate) fn remark(text: impl AsRef<str>) {
    let _ = writeln!(io::stderr().lock(), "{}", text.as_ref());
}
