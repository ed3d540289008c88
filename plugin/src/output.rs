//! What a tool answers.

use serde::Serialize;
use serde_json::{Map, Value};
use toolrack_abi::ToolResult;
use toolrack_abi::abi_stable::std_types::{ROption, RString};

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
pub struct Output(ToolResult);

impl Output {
    /// A text as it is.
    pub fn text(text: impl Into<String>) -> Self {
        Output(ToolResult::text(RString::from(text.into())))
    }

    /// A value as JSON, which programs get as it is.
    ///
    /// # Errors
    /// If the value can not be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, ToolError> {
        let text = serde_json::to_string(value).map_err(|e| ToolError::unwritable(&e))?;
        let mut result = ToolResult::json(RString::from(text));
        result.structured = ROption::RSome(result.body.clone());
        Ok(Output(result))
    }

    /// Content blocks.
    ///
    /// # Errors
    /// If a raw block can not be written as JSON.
    pub fn blocks(blocks: &Blocks) -> Result<Self, ToolError> {
        let text = serde_json::to_string(blocks).map_err(|e| ToolError::unwritable(&e))?;
        Ok(Output(ToolResult::blocks(RString::from(text))))
    }

    /// Adds the same as a JSON value, for programs.
    ///
    /// # Errors
    /// If the value can not be written as JSON.
    pub fn with_structured<T: Serialize + ?Sized>(mut self, value: &T) -> Result<Self, ToolError> {
        let text = serde_json::to_string(value).map_err(|e| ToolError::unwritable(&e))?;
        self.0.structured = ROption::RSome(RString::from(text));
        Ok(self)
    }

    /// Adds something beside the answer, for the host's application and not for the model.
    #[must_use]
    pub fn with_meta(mut self, key: &str, value: impl Into<Value>) -> Self {
        let mut meta: Map<String, Value> = match &self.0.meta {
            ROption::RSome(meta) => serde_json::from_str(meta.as_str()).unwrap_or_default(),
            ROption::RNone => Map::new(),
        };
        meta.insert(key.to_owned(), value.into());
        self.0.meta = ROption::RSome(RString::from(Value::Object(meta).to_string()));
        self
    }

    /// The text for the model.
    pub fn body(&self) -> &str {
        self.0.body.as_str()
    }

    pub(crate) fn from_result(result: ToolResult) -> Self {
        Output(result)
    }

    pub(crate) fn into_result(self) -> ToolResult {
        self.0
    }
}
