//! What another tool answered.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolrack_abi::async_ffi::FfiFuture;
use toolrack_abi::{ResultKind, ToolResult};

use crate::{Output, ToolError};

/// The answer of another tool that did not fail. Returned as it is, it becomes the tool's own.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(ToolResult);

impl Answer {
    /// The text for the model.
    pub fn text(&self) -> &str {
        self.0.body.as_str()
    }

    /// The answer as a value.
    ///
    /// # Errors
    /// If the answer is no JSON, or no `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        let text = self.0.structured.as_ref().into_option().unwrap_or(&self.0.body);
        serde_json::from_str(text.as_str())
            .map_err(|error| ToolError::new(format!("the tool's answer is not what was expected: {error}")))
    }

    /// Whether the text is JSON.
    pub fn is_json(&self) -> bool {
        self.0.kind == ResultKind::JSON
    }

    /// Whether the text is a JSON array of MCP content blocks.
    pub fn is_blocks(&self) -> bool {
        self.0.kind == ResultKind::BLOCKS
    }

    pub(crate) fn from_result(result: ToolResult) -> Result<Self, ToolError> {
        if result.is_error { Err(ToolError::from_result(&result)) } else { Ok(Answer(result)) }
    }

    pub(crate) fn into_output(self) -> Output {
        Output::from_result(self.0)
    }
}

/// The future of an [`Answer`]. Dropping it cancels the call.
#[must_use = "a future does nothing unless it is awaited"]
pub struct PendingAnswer(Result<FfiFuture<ToolResult>, Option<ToolError>>);

impl PendingAnswer {
    pub(crate) fn new(call: Result<FfiFuture<ToolResult>, ToolError>) -> Self {
        PendingAnswer(call.map_err(Some))
    }
}

impl Future for PendingAnswer {
    type Output = Result<Answer, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Ok(call) => Pin::new(call).poll(context).map(Answer::from_result),
            Err(error) => {
                Poll::Ready(Err(error.take().unwrap_or_else(|| ToolError::new("polled after its end"))))
            }
        }
    }
}

/// Which tools' definitions are wanted. By default those that the caller may call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Selection {
    #[serde(skip_serializing_if = "Option::is_none")]
    enabled: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    disabled: Vec<String>,
}

impl Selection {
    /// What the caller may call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only these toolsets and tools.
    #[must_use]
    pub fn enabled<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.enabled = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Without these toolsets and tools.
    #[must_use]
    pub fn disabled<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.disabled = names.into_iter().map(Into::into).collect();
        self
    }

    pub(crate) fn to_text(&self) -> Result<String, ToolError> {
        if *self == Self::default() {
            return Ok(String::new());
        }
        serde_json::to_string(self).map_err(|error| ToolError::new(error.to_string()))
    }
}
