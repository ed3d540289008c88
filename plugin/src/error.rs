//! How a tool fails.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};
use toolrack_abi::{ServiceError, ServiceErrorKind, ToolResult};

/// A failure of a tool, for the model and for the host's statistics.
///
/// Every error that is a [`std::error::Error`] becomes one by `?`, with its type's short name as [`kind`](Self::kind).
///
/// ```
/// use toolrack_plugin::ToolError;
///
/// fn read(path: &str) -> Result<String, ToolError> {
///     if path.is_empty() {
///         return Err(ToolError::new("the path is empty").with_kind("Usage").with("argument", "path"));
///     }
///     Ok(std::fs::read_to_string(path)?)
/// }
/// assert_eq!(read("").unwrap_err().to_string(), "Usage: the path is empty");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError(Box<Parts>);

/// Boxed: a failure is rare, and a good answer is then small on its way out.
#[derive(Clone, Debug, PartialEq)]
struct Parts {
    kind: String,
    error_type: String,
    message: String,
    extra: Map<String, Value>,
}

impl ToolError {
    /// A failure in words. Its [`error_type`](Self::error_type) is `failed`, its [`kind`](Self::kind) empty.
    pub fn new(message: impl Into<String>) -> Self {
        ToolError(Box::new(Parts {
            kind: String::new(),
            error_type: "failed".to_owned(),
            message: message.into(),
            extra: Map::new(),
        }))
    }

    /// Arguments that are understood, but not possible. Its error type is `invalid_arguments`.
    pub fn invalid_arguments(message: impl Into<String>) -> Self {
        Self::new(message).with_error_type("invalid_arguments")
    }

    /// A failure in the words of `error`, whose type's short name is the kind. A text has no kind.
    pub fn of<E: fmt::Display>(error: &E) -> Self {
        Self::new(format!("{error:#}")).with_kind(short_name(std::any::type_name::<E>()))
    }

    /// Sets the kind: a short name that stands before the message, such as `NotFound`.
    #[must_use]
    pub fn with_kind(mut self, kind: impl Into<String>) -> Self {
        self.0.kind = kind.into();
        self
    }

    /// Sets the error type: one of the host's classes, such as `failed`, `invalid_arguments`, `unavailable`, `refused`,
    /// `timeout`, `cancelled` or `too_large`.
    #[must_use]
    pub fn with_error_type(mut self, error_type: impl Into<String>) -> Self {
        self.0.error_type = error_type.into();
        self
    }

    /// Adds something for programs. `error_type` and `kind` can not be set that way.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.extra.insert(key.into(), value.into());
        self
    }

    /// The short name before the message, or an empty text.
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// The host's class of the failure.
    pub fn error_type(&self) -> &str {
        &self.0.error_type
    }

    /// The failure in words.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What was added for programs.
    pub fn extra(&self) -> &Map<String, Value> {
        &self.0.extra
    }

    /// What crosses the boundary.
    pub(crate) fn into_result(self) -> ToolResult {
        let body = self.to_string();
        let parts = *self.0;
        let mut meta = parts.extra;
        meta.insert("error_type".to_owned(), Value::String(parts.error_type));
        if !parts.kind.is_empty() {
            meta.insert("kind".to_owned(), Value::String(parts.kind));
        }
        ToolResult::error(body, Value::Object(meta).to_string())
    }

    /// What came back across the boundary.
    pub(crate) fn from_result(result: &ToolResult) -> Self {
        let mut extra: Map<String, Value> = result
            .meta
            .as_ref()
            .into_option()
            .and_then(|meta| serde_json::from_str(meta.as_str()).ok())
            .unwrap_or_default();
        let mut take = |key: &str| match extra.remove(key) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (kind, error_type) = (take("kind"), take("error_type"));
        let body = result.body.as_str();
        let prefix = format!("{kind}: ");
        let message = if kind.is_empty() { body } else { body.strip_prefix(&prefix).unwrap_or(body) };
        ToolError(Box::new(Parts {
            message: message.to_owned(),
            error_type: if error_type.is_empty() { "failed".to_owned() } else { error_type },
            kind,
            extra,
        }))
    }

    /// A value that can not be written as JSON.
    pub(crate) fn unwritable(error: &serde_json::Error) -> Self {
        Self::new(format!("the result can not be written as JSON: {error}"))
            .with_error_type("tool_result_contract")
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.kind.is_empty() {
            write!(f, "{}: ", self.0.kind)?;
        }
        f.write_str(&self.0.message)
    }
}

/// With the causes, as far as the text does not name them already.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            let more = error.to_string();
            if !text.contains(&more) {
                text = format!("{text}: {more}");
            }
            cause = error.source();
        }
        ToolError::new(text).with_kind(short_name(std::any::type_name::<E>()))
    }
}

/// Not `std::error::Error`: that would forbid the conversion from every error. This is how it is serialised.
impl Serialize for ToolError {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A service that did not answer.
pub(crate) fn service_error(error: ServiceError) -> ToolError {
    let error_type = match error.kind {
        ServiceErrorKind::ENDED | ServiceErrorKind::UNSUPPORTED => "unavailable",
        ServiceErrorKind::REFUSED => "refused",
        _ => "failed",
    };
    let mut told = ToolError::new(error.message).with_error_type(error_type);
    told.0.extra = serde_json::from_str(error.meta.as_str()).unwrap_or_default();
    told
}

/// `std::io::error::Error` is `Error`; texts have no name; a box is called what is in it.
fn short_name(full: &str) -> &str {
    let mut name = full.split('<').next().unwrap_or(full);
    let inner = full.strip_prefix("alloc::boxed::Box<").and_then(|rest| rest.strip_suffix('>'));
    if let Some(inner) = inner {
        let inner = inner.strip_prefix("dyn ").unwrap_or(inner);
        name = inner.split([' ', '<']).next().unwrap_or(inner);
    }
    match name.rsplit("::").next().unwrap_or(name) {
        "&str" | "String" | "str" | "Cow" | "&alloc" => "",
        short => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_a_types_last_name() {
        assert_eq!(short_name("std::io::error::Error"), "Error");
        assert_eq!(short_name(std::any::type_name::<Box<dyn std::error::Error + Send + Sync>>()), "Error");
        assert_eq!(short_name(std::any::type_name::<String>()), "");
        assert_eq!(short_name(std::any::type_name::<&'static str>()), "");
        assert_eq!(short_name("my::Wrapped<a::B>"), "Wrapped");
    }

    #[test]
    fn an_error_survives_the_way_there_and_back() {
        let error =
            ToolError::new("gone").with_kind("NotFound").with_error_type("unavailable").with("retry", 3);
        let result = error.clone().into_result();
        assert!(result.is_error);
        assert_eq!(result.body.as_str(), "NotFound: gone");
        assert_eq!(ToolError::from_result(&result), error);
    }
}
