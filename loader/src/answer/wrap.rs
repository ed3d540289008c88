//! The two wrappers that a host's handler ends with.

use serde::Serialize;
use serde_json::Value;

use super::{ErrorType, Failure, Outcome, Output};

/// What a handler gives back when it failed: a message for the model, and whatever else stands in the answer's
/// object. An extra named `error_type` names the type; without one it is `failed`.
///
/// ```
/// use serde_json::json;
///
/// let outcome = toolrack::tool_error("no such page", [("page", json!(7))]);
/// let answer = toolrack::Answer::from(outcome.unwrap_err());
/// assert_eq!(answer.as_str(), r#"{"error":"no such page","error_type":"failed","page":7}"#);
/// ```
///
/// # Errors
/// Always: that is what it is for.
pub fn tool_error<K: AsRef<str>>(
    message: impl Into<String>,
    extra: impl IntoIterator<Item = (K, Value)>,
) -> Outcome {
    let mut failure = Failure::new(ErrorType::Failed, message);
    for (key, value) in extra {
        let named = (key.as_ref() == "error_type").then(|| value.as_str().and_then(ErrorType::from_name));
        match named.flatten() {
            Some(error_type) => failure.error_type = error_type,
            None => failure = failure.with(key.as_ref(), value),
        }
    }
    Err(failure)
}

/// What a handler gives back when it did its work: `data` as JSON.
///
/// ```
/// let output = toolrack::tool_result(&serde_json::json!({"ok": true})).unwrap();
/// assert_eq!(&*output.body, r#"{"ok":true}"#);
/// ```
///
/// # Errors
/// If `data` cannot be written as JSON: `tool_result_contract`.
pub fn tool_result(data: &(impl Serialize + ?Sized)) -> Outcome {
    serde_json::to_string(data)
        .map(Output::json)
        .map_err(|e| Failure::new(ErrorType::ToolResultContract, format!("the result is no JSON: {e}")))
}
