//! What can go wrong, in the words that the model reads.

use std::io;

use toolrack_plugin::ToolError;

use crate::halt::Halt;

/// What sort of failure it was. The name is what the model sees in front of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    InvalidArgument,
    OutsideRoot,
    NotFound,
    NotAFile,
    NotAFolder,
    NotText,
    PermissionDenied,
    StorageFull,
    Io,
    Configuration,
    Cancelled,
    OutOfTime,
}

/// A failure of a file tool: a kind to tell it apart by, and a sentence that says what to do next.
#[derive(Debug)]
pub(crate) struct FileError {
    pub(crate) kind: Kind,
    pub(crate) message: String,
}

impl FileError {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::InvalidArgument, message)
    }

    /// An error of the system while doing something (`"read"`, `"write"`) to a path.
    pub(crate) fn io(doing: &str, path: &str, error: &io::Error) -> Self {
        if let Some(halt) = Halt::in_error(error) {
            return halt.into();
        }
        let kind = match error.kind() {
            io::ErrorKind::NotFound => Kind::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::PermissionDenied,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::StorageFull,
            io::ErrorKind::NotADirectory => Kind::NotAFolder,
            _ => Kind::Io,
        };
        Self::new(kind, format!("cannot {doing} `{path}`: {}", reason(error)))
    }
}

impl From<Halt> for FileError {
    fn from(halt: Halt) -> Self {
        let kind = match halt {
            Halt::Cancelled => Kind::Cancelled,
            Halt::OutOfTime => Kind::OutOfTime,
        };
        Self::new(kind, halt.to_string())
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        let error_type = match error.kind {
            Kind::InvalidArgument => "invalid_arguments",
            Kind::OutsideRoot => "refused",
            Kind::Configuration => "unavailable",
            Kind::Cancelled => "cancelled",
            Kind::OutOfTime => "timeout",
            _ => "failed",
        };
        Self::new(error.message).with_kind(format!("{:?}", error.kind)).with_error_type(error_type)
    }
}

#[cfg(test)]
impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

/// The error in plain words. The system's own text ends in "(os error 13)", which helps nobody here; it is
/// kept where the standard library has no words of its own.
pub(crate) fn reason(error: &io::Error) -> String {
    let words = error.kind().to_string();
    match error.raw_os_error() {
        Some(_) if !words.starts_with("uncategorized") && words != "other error" => words,
        _ => error.to_string(),
    }
}
