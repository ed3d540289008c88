//! What a call comes to, and how a model sees it.

mod error_text;
mod failure;
mod text;

pub(crate) use error_text::{FOR_LOG, shorten};
pub use failure::{ErrorType, Failure};
pub use text::Text;

/// What something callable gave back.
pub type Outcome = Result<Output, Failure>;

/// A successful result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// How `body` is to be read.
    pub kind: OutputKind,
    /// The text for the model.
    pub body: Text,
    /// The same as a JSON value, for a program.
    pub structured: Option<Text>,
    /// A JSON object beside the result, not for the model.
    pub meta: Option<Text>,
}

/// How a result's body is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// Plain text.
    Text,
    /// The text of one JSON value.
    Json,
    /// MCP content blocks: the text of a JSON array.
    Blocks,
}

impl Output {
    /// A text as it is.
    pub fn text(body: impl Into<Text>) -> Self {
        Output { kind: OutputKind::Text, body: body.into(), structured: None, meta: None }
    }

    /// The text of a JSON value.
    pub fn json(body: impl Into<Text>) -> Self {
        Output { kind: OutputKind::Json, ..Self::text(body) }
    }
}

/// What a model sees of a call: always a text, whatever happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The text. Of an error it is one JSON object, `{"error":TEXT,"error_type":TYPE}` and perhaps more.
    pub text: Text,
    /// How the text is to be read.
    pub kind: OutputKind,
    /// What kind of error it is, if it is one.
    pub error: Option<ErrorType>,
    /// The result as a JSON value, for a program.
    pub structured: Option<Text>,
    /// A JSON object beside the result, not for the model.
    pub meta: Option<Text>,
}

impl Answer {
    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.error.is_some()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.text.into_string()
    }
}

impl From<Output> for Answer {
    #[inline]
    fn from(output: Output) -> Self {
        Answer {
            text: output.body,
            kind: output.kind,
            error: None,
            structured: output.structured,
            meta: output.meta,
        }
    }
}

impl From<Failure> for Answer {
    fn from(failure: Failure) -> Self {
        Answer {
            error: Some(failure.error_type),
            text: failure.into_json().into(),
            kind: OutputKind::Json,
            structured: None,
            meta: None,
        }
    }
}
