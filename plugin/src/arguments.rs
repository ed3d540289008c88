//! Reads arguments, and says where and why they can not be read.

use serde::de::DeserializeOwned;

use crate::ToolError;

/// Reads the arguments of a call. A blank text is an empty object.
#[inline]
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ToolError> {
    match text.trim_ascii_start().as_bytes().first() {
        Some(b'{') => serde_json::from_str(text).map_err(|_| explain::<T>(text)),
        None => serde_json::from_str("{}").map_err(|_| explain::<T>("{}")),
        // serde would take a list for the fields in their order.
        Some(_) => {
            Err(ToolError::invalid_arguments(match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => "the arguments must be a JSON object".to_owned(),
                Err(error) => format!("the arguments are not JSON: {error}"),
            }))
        }
    }
}

/// Reads the text once more to find the fault's place. Only a failed call pays for it.
#[cold]
fn explain<T: DeserializeOwned>(text: &str) -> ToolError {
    ToolError::invalid_arguments(match fault::<T>(text) {
        Some(Fault::Syntax(error)) => format!("the arguments are not JSON: {error}"),
        Some(Fault::Data(message)) => message,
        None => "the arguments can not be read".to_owned(),
    })
}

pub(crate) enum Fault {
    /// Not JSON: serde_json's words, with line and column.
    Syntax(String),
    /// Not what it should be: the place, and serde's words.
    Data(String),
}

/// What is wrong with a text that is not a `T`.
pub(crate) fn fault<T: DeserializeOwned>(text: &str) -> Option<Fault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let error = match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Ok(_) => return reader.end().err().map(|error| Fault::Syntax(error.to_string())),
        Err(error) => error,
    };
    let path = error.path().to_string();
    let error = error.into_inner();
    if !error.is_data() {
        return Some(Fault::Syntax(error.to_string()));
    }
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let message = text.strip_suffix(&place).unwrap_or(&text);
    Some(Fault::Data(match unknown(message) {
        Some((_, None)) => at(parent(&path, message), message),
        Some((name, Some(near))) => {
            at(parent(&path, message), &format!("unknown field `{name}`, did you mean `{near}`?"))
        }
        None => at(&path, message),
    }))
}

fn at(path: &str, message: &str) -> String {
    if path.is_empty() || path == "." { message.to_owned() } else { format!("{path}: {message}") }
}

/// The path of an unknown field ends with its name, which the message says already.
fn parent<'a>(path: &'a str, message: &str) -> &'a str {
    let name = unknown_name(message).unwrap_or_default();
    match path.strip_suffix(name) {
        Some(parent) => parent.strip_suffix('.').unwrap_or(parent),
        None => path,
    }
}

fn unknown_name(message: &str) -> Option<&str> {
    message.strip_prefix("unknown field `")?.split('`').next()
}

/// The name of an unknown field, and the nearest of the known ones, from serde's message.
fn unknown(message: &str) -> Option<(&str, Option<&str>)> {
    let name = unknown_name(message)?;
    let known = message.split("expected").nth(1).unwrap_or_default();
    let near = known
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance);
    Some((name, near.map(|(_, candidate)| candidate)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Args {
        path: String,
        #[serde(default)]
        limit: u32,
        inner: Option<Inner>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Inner {
        depth: Vec<u8>,
    }

    fn message(text: &str) -> String {
        let error = parse::<Args>(text).unwrap_err();
        assert_eq!(error.error_type(), "invalid_arguments");
        error.message().to_owned()
    }

    #[test]
    fn the_place_of_a_fault_is_named() {
        assert_eq!(
            message(r#"{"path":"a","limit":"ten"}"#),
            "limit: invalid type: string \"ten\", expected u32"
        );
        assert_eq!(
            message(r#"{"path":"a","inner":{"depth":[1,300]}}"#),
            "inner.depth[1]: invalid value: integer `300`, expected u8"
        );
        assert_eq!(message("{}"), "missing field `path`");
        assert_eq!(message("  "), "missing field `path`");
    }

    #[test]
    fn an_unknown_field_comes_with_the_near_name() {
        assert_eq!(message(r#"{"pth":"a"}"#), "unknown field `pth`, did you mean `path`?");
        assert_eq!(
            message(r#"{"path":"a","inner":{"dept":1}}"#),
            "inner: unknown field `dept`, did you mean `depth`?"
        );
        assert_eq!(
            message(r#"{"colour":"a"}"#),
            "unknown field `colour`, expected one of `path`, `limit`, `inner`"
        );
    }

    #[test]
    fn what_is_no_object_is_told() {
        assert_eq!(message(r#"["a", 1, null]"#), "the arguments must be a JSON object");
        assert_eq!(message("3"), "the arguments must be a JSON object");
        assert!(
            message("nope").starts_with("the arguments are not JSON: expected ident"),
            "{}",
            message("nope")
        );
        assert!(message(r#"{"path":"#).contains("EOF while parsing"), "{}", message(r#"{"path":"#));
        assert!(message(r#"{"path":"a"} x"#).contains("trailing characters"));
    }
}
