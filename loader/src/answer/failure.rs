//! A call that failed.

use std::fmt;

use serde_json::{Map, Value};

use super::error_text::for_model;

/// What kind of error an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// No tool of that name can be called here.
    UnknownTool,
    /// The arguments are not what the tool takes.
    InvalidArguments,
    /// A rule, or a person, said no.
    Refused,
    /// The tool can not be used at the moment.
    Unavailable,
    /// There was no answer in time.
    Timeout,
    /// The caller no longer wants it.
    Cancelled,
    /// The tool panicked.
    Panic,
    /// The tool failed, in its own way.
    Failed,
    /// The result is none that a tool may give.
    ToolResultContract,
    /// Whether the tool did it is not known.
    OutcomeUncertain,
    /// The process that ran the tool ended.
    WorkerCrashed,
    /// The arguments or the result are too large.
    TooLarge,
}

impl ErrorType {
    const ALL: [ErrorType; 12] = [
        ErrorType::UnknownTool,
        ErrorType::InvalidArguments,
        ErrorType::Refused,
        ErrorType::Unavailable,
        ErrorType::Timeout,
        ErrorType::Cancelled,
        ErrorType::Panic,
        ErrorType::Failed,
        ErrorType::ToolResultContract,
        ErrorType::OutcomeUncertain,
        ErrorType::WorkerCrashed,
        ErrorType::TooLarge,
    ];

    /// The type as it stands in an answer.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorType::UnknownTool => "unknown_tool",
            ErrorType::InvalidArguments => "invalid_arguments",
            ErrorType::Refused => "refused",
            ErrorType::Unavailable => "unavailable",
            ErrorType::Timeout => "timeout",
            ErrorType::Cancelled => "cancelled",
            ErrorType::Panic => "panic",
            ErrorType::Failed => "failed",
            ErrorType::ToolResultContract => "tool_result_contract",
            ErrorType::OutcomeUncertain => "outcome_uncertain",
            ErrorType::WorkerCrashed => "worker_crashed",
            ErrorType::TooLarge => "too_large",
        }
    }

    /// The type that a tool named, if there is such a one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|error_type| error_type.as_str() == name)
    }
}

impl fmt::Display for ErrorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Why a call failed.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The kind of error.
    pub error_type: ErrorType,
    /// What happened, for the model. When it becomes an answer it is shortened, and tokens that frame roles and
    /// calls are taken out of it.
    pub message: String,
    /// What else stands in the answer's object.
    pub extra: Map<String, Value>,
}

impl Failure {
    /// A failure in words.
    pub fn new(error_type: ErrorType, message: impl Into<String>) -> Self {
        Failure { error_type, message: message.into(), extra: Map::new() }
    }

    /// Adds a key to the answer's object.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(key.to_owned(), value.into());
        self
    }

    /// `{"error":TEXT,"error_type":TYPE}` and the extras.
    pub(super) fn into_json(self) -> String {
        let mut object = Map::new();
        object.insert("error".to_owned(), Value::String(for_model(&self.message)));
        object.insert("error_type".to_owned(), Value::String(self.error_type.as_str().to_owned()));
        for (key, value) in self.extra {
            object.entry(key).or_insert(value);
        }
        Value::Object(object).to_string()
    }
}
