//! What a tool answers.

use serde::Serialize;
use serde_json::{Map, Value};
use toolrack_abi::abi_stable::std_types::{ROption, RString};
use toolrack_abi::{ResultKind, ToolResult};

use crate::{Blocks, ToolError};

/// The answer of a tool, as [`Tool`](crate::Tool) gives it. A function under `#[tool]` need not know it: whatever
/// it returns is turned into one. It may return one to say more.
///
/// ```
/// use toolrack_plugin::{Output, ToolError, json};
///
/// fn page() -> Result<Output, ToolError> {
///     Output::text("line 1\nline 2").with_structured(&json!({"lines": 2}))
/// }
/// assert_eq!(page().unwrap().body(), "line 1\nline 2");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    kind: Kind,
    body: String,
    /// Rare, so that the common answer is small on its way out.
    more: Option<Box<More>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Text,
    /// The body is also what programs get.
    Json,
    /// As it came from another tool, or content blocks.
    Other(ResultKind),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct More {
    structured: Option<String>,
    meta: Map<String, Value>,
}

impl Output {
    /// A text as it is.
    #[inline]
    pub fn text(text: impl Into<String>) -> Self {
        Output { kind: Kind::Text, body: text.into(), more: None }
    }

    /// A value as JSON, which programs get as it is.
    ///
    /// # Errors
    /// If the value can not be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, ToolError> {
        Ok(Output { kind: Kind::Json, body: written(value)?, more: None })
    }

    /// Content blocks.
    ///
    /// # Errors
    /// If a raw block can not be written as JSON.
    pub fn blocks(blocks: &Blocks) -> Result<Self, ToolError> {
        Ok(Output { kind: Kind::Other(ResultKind::BLOCKS), body: written(blocks)?, more: None })
    }

    /// Adds the same as a JSON value, for programs.
    ///
    /// # Errors
    /// If the value can not be written as JSON.
    pub fn with_structured<T: Serialize + ?Sized>(mut self, value: &T) -> Result<Self, ToolError> {
        self.more.get_or_insert_default().structured = Some(written(value)?);
        Ok(self)
    }

    /// Adds something beside the answer, for the host's application and not for the model.
    #[must_use]
    pub fn with_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.more.get_or_insert_default().meta.insert(key.into(), value.into());
        self
    }

    /// The text for the model.
    pub fn body(&self) -> &str {
        &self.body
    }

    pub(crate) fn from_result(result: ToolResult) -> Self {
        let structured = result.structured.into_option().map(RString::into_string);
        let meta = result.meta.into_option().and_then(|meta| serde_json::from_str(meta.as_str()).ok());
        let more = More { structured, meta: meta.unwrap_or_default() };
        Output {
            kind: Kind::Other(result.kind),
            body: result.body.into_string(),
            more: (more != More::default()).then(|| Box::new(more)),
        }
    }

    #[inline]
    pub(crate) fn into_result(self) -> ToolResult {
        match self {
            Output { kind: Kind::Text, body, more: None } => ToolResult::text(body),
            other => other.into_any_result(),
        }
    }

    fn into_any_result(self) -> ToolResult {
        let more = self.more.map(|more| *more).unwrap_or_default();
        let mut result = ToolResult::text(self.body);
        let mut structured = more.structured;
        match self.kind {
            Kind::Text => {}
            Kind::Json => {
                result.kind = ResultKind::JSON;
                structured.get_or_insert_with(|| result.body.to_string());
            }
            Kind::Other(kind) => result.kind = kind,
        }
        result.structured = structured.map(RString::from).into();
        if !more.meta.is_empty() {
            result.meta = ROption::RSome(RString::from(Value::Object(more.meta).to_string()));
        }
        result
    }
}

fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, ToolError> {
    serde_json::to_string(value).map_err(|error| ToolError::unwritable(&error))
}
