//! The text of arguments as a JSON object.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::answer::{ErrorType, Failure};

/// The text of an object: what was given, or `{}` for nothing at all.
///
/// Whether the text is well-formed is for whoever reads it to find out; that it can only be an object is seen
/// from its first character.
#[inline]
pub(crate) fn object_text(args: &str) -> Result<&str, Failure> {
    match args.trim_ascii() {
        "" | "null" | "None" => Ok("{}"),
        text if text.starts_with('{') => Ok(text),
        text => Err(not_an_object(text)),
    }
}

/// The same, parsed, if it has not more than `limit` bytes.
pub(crate) fn object(args: &str, limit: usize) -> Result<(&str, Value), Failure> {
    if args.len() > limit {
        let message = format!("the arguments have {} bytes; at most {limit} are taken", args.len());
        return Err(Failure::new(ErrorType::TooLarge, message));
    }
    let text = object_text(args)?;
    match serde_json::from_str(text) {
        Ok(Unambiguous(value)) => Ok((text, value)),
        Err(e) => Err(malformed(&e)),
    }
}

#[cold]
fn not_an_object(text: &str) -> Failure {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let message = format!("the arguments must be a JSON object, got {}", kind(&value));
            Failure::new(ErrorType::InvalidArguments, message)
        }
        Err(e) => malformed(&e),
    }
}

/// The parser's words end with line and column.
fn malformed(e: &serde_json::Error) -> Failure {
    Failure::new(ErrorType::InvalidArguments, format!("the arguments are not JSON: {e}"))
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value in which no object has a key twice. Of two, one parser takes the first and another the last: what was
/// checked, or approved, must be what the tool reads.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue).map(Unambiguous)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let Unambiguous(value) = entries.next_value()?;
            if object.contains_key(&key) {
                let shown: String = key.chars().take(60).collect();
                return Err(A::Error::custom(format_args!("the key {shown:?} is there twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 16 << 20;

    fn fault(args: &str) -> String {
        object(args, LIMIT).expect_err("should be refused").message
    }

    #[test]
    fn nothing_at_all_is_an_empty_object() {
        for nothing in ["", "  \n", "null", "None", " null "] {
            assert_eq!(object(nothing, LIMIT).unwrap(), ("{}", Value::Object(Map::new())));
        }
    }

    #[test]
    fn malformed_text_is_an_error_with_its_position() {
        assert!(fault(r#"{"a":1,}"#).ends_with("at line 1 column 8"), "{}", fault(r#"{"a":1,}"#));
        assert!(fault("{\n\"a\": tru}").contains("line 2 column"));
        assert!(fault("oops").contains("line 1 column"));
    }

    #[test]
    fn what_is_not_an_object_is_an_error_that_says_what_it_is() {
        assert_eq!(fault("[1]"), "the arguments must be a JSON object, got an array");
        assert_eq!(fault("\"x\""), "the arguments must be a JSON object, got a string");
        assert_eq!(fault("true"), "the arguments must be a JSON object, got a boolean");
    }

    #[test]
    fn a_key_that_is_there_twice_is_refused_at_any_depth() {
        assert!(fault(r#"{"a":1,"a":2}"#).contains(r#"the key "a" is there twice"#));
        assert!(fault(r#"{"x":[{"b":1,"b":1}]}"#).contains(r#"the key "b" is there twice"#));
    }

    #[test]
    fn arguments_of_50_mb_or_10_000_levels_are_refused() {
        let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(50_000_000));
        assert_eq!(object(&large, LIMIT).unwrap_err().error_type, ErrorType::TooLarge);
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert!(fault(&deep).contains("recursion limit exceeded"));
        assert!(object(&"[".repeat(10_000_000), LIMIT).is_err());
    }
}
