//! Arguments as text.

use std::borrow::Cow;

use crate::answer::{ErrorType, Failure};

/// The text of an object: what was given, or `{}` for nothing at all.
///
/// Whether the text is well-formed is for whoever reads it to find out; that it can only be an object is seen
/// from its first character.
#[inline]
pub(super) fn object_text(args: &str) -> Result<Cow<'_, str>, Failure> {
    let trimmed = args.trim_ascii();
    match trimmed {
        "" | "null" | "None" => Ok(Cow::Borrowed("{}")),
        text if text.starts_with('{') => Ok(Cow::Borrowed(text)),
        text => Err(not_an_object(text)),
    }
}

#[cold]
fn not_an_object(text: &str) -> Failure {
    let message = match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => format!("the arguments must be a JSON object, got {}", kind(&value)),
        Err(e) => format!("the arguments are not JSON: {e}"),
    };
    Failure::new(ErrorType::InvalidArguments, message)
}

fn kind(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "a boolean",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a string",
        serde_json::Value::Array(_) => "an array",
        serde_json::Value::Object(_) => "an object",
    }
}
