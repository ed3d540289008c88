//! What a probe says of a file, and the faults on the way to it.

use std::io;
use std::path::Path;

use crate::{Code, Diagnosis};

/// Is a file a plugin?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It defines `register_tools`, and nothing in its bytes speaks against loading it here.
    Plugin,
    /// It can not be loaded here, or it is nothing that could be.
    Rejected(Finding),
    /// A sound library that does not define `register_tools`, perhaps with a hint (`T4003`, `T4004`).
    Other(Option<Finding>),
}

impl Verdict {
    /// `plugin`, `rejected` or `other`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Verdict::Plugin => "plugin",
            Verdict::Rejected(_) => "rejected",
            Verdict::Other(_) => "other",
        }
    }

    /// The reason, or the hint.
    pub const fn finding(&self) -> Option<&Finding> {
        match self {
            Verdict::Plugin | Verdict::Other(None) => None,
            Verdict::Rejected(finding) | Verdict::Other(Some(finding)) => Some(finding),
        }
    }
}

/// A [`Diagnosis`] without a path: what the bytes alone say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code.
    pub code: Code,
    /// Why, in one line.
    pub reason: String,
    /// What the system said below it.
    pub detail: Option<String>,
    /// What to do next.
    pub help: String,
}

impl Finding {
    pub(crate) fn new(code: Code, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Finding { code, reason: reason.into(), detail: None, help: help.into() }
    }

    /// The diagnosis of the file at `path`.
    pub fn at(&self, path: &Path) -> Diagnosis {
        let diagnosis = Diagnosis::new(self.code, path, self.reason.as_str()).help(self.help.as_str());
        match &self.detail {
            Some(detail) => diagnosis.caused_by(detail),
            None => diagnosis,
        }
    }
}

/// Text out of a foreign file, for a message: on one line, and without what would control a terminal.
pub(super) fn printable(text: &[u8]) -> String {
    crate::escaped(Path::new(&*String::from_utf8_lossy(text))).to_string()
}

/// Why a reader of a format gave up.
#[derive(Debug)]
pub(super) enum Fault {
    /// The system could not read the file.
    Io(io::Error),
    /// The file became shorter while it was read.
    Changed,
    /// Something lies beyond the end of the file: what, and how long the file is.
    Beyond { what: String, size: u64 },
    /// The bytes contradict each other.
    Malformed(String),
    /// The format says itself why it can not be loaded.
    Stated(Finding),
}

impl Fault {
    pub(super) fn malformed(what: impl Into<String>) -> Self {
        Fault::Malformed(what.into())
    }

    pub(super) fn beyond(what: impl Into<String>, size: u64) -> Self {
        Fault::Beyond { what: what.into(), size }
    }

    pub(super) fn too_much() -> Self {
        Fault::malformed("a verdict would take more than 64 KiB of it, which no linker's output does")
    }

    pub(super) fn stated(code: Code, reason: impl Into<String>, help: impl Into<String>) -> Self {
        Fault::Stated(Finding::new(code, reason, help))
    }

    /// Is it of the file itself (T1), not of its format?
    pub(super) const fn is_of_the_file(&self) -> bool {
        matches!(self, Fault::Io(_) | Fault::Changed)
    }

    pub(super) fn finding(self) -> Finding {
        match self {
            Fault::Io(error) => {
                let mut finding = Finding::new(
                    Code::T1003,
                    "the system could not read it",
                    "look at the file's mode, and at the disk",
                );
                finding.detail = Some(error.to_string());
                finding
            }
            Fault::Changed => Finding::new(
                Code::T1006,
                "it became shorter while it was read",
                "write the file under another name, then rename it",
            ),
            Fault::Beyond { what, size } => Finding::new(
                Code::T1008,
                format!("{what} lies beyond the file's end ({size} bytes)"),
                "copy the whole file again: the copy was cut short, or is still being written",
            ),
            Fault::Malformed(what) => {
                Finding::new(Code::T2005, what, "build or copy the library again: its bytes are damaged")
            }
            Fault::Stated(finding) => finding,
        }
    }
}
