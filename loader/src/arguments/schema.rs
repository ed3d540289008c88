//! The schema of a tool's arguments, ready for use.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use serde_json::value::RawValue;

use super::coerce::coerce_arguments;
use super::faults::faults;
use super::hazard::hazard;
use super::parse;
use crate::answer::Failure;

/// How large a schema may be to be read here, in bytes.
const MAX_BYTES: usize = 8 << 20;

/// How many steps back a pattern may take on one text. Patterns come from a schema, texts from a model.
const MAX_BACKTRACKS: usize = 100_000;

/// The stack of the thread that a schema is compiled on: as deep as parsed JSON can be, twenty times over.
const STACK: usize = 64 << 20;

/// A schema, parsed and compiled at a tool's first call.
pub(crate) struct ArgumentSchema {
    schema: Value,
    /// Nothing if arguments cannot be validated against it; they are passed on then, and the tool has to see.
    validator: Option<Validator>,
}

/// Arguments that a tool may be given.
pub(crate) struct Accepted<'a> {
    /// The text of an object: as it came, if nothing had to be changed.
    pub(crate) text: Cow<'a, str>,
    /// The same, parsed.
    pub(crate) value: Value,
}

impl ArgumentSchema {
    /// Reads the schema of the tool `tool`. What cannot be used of it is logged, once.
    pub(crate) fn compile(tool: &str, text: &str) -> Self {
        let (schema, why) = match parsed(text) {
            Ok(schema) => match compiled(&schema) {
                Ok(validator) => return ArgumentSchema { schema, validator: Some(validator) },
                Err(why) => (schema, why),
            },
            Err(why) => (Value::Bool(true), why),
        };
        log::warn!("tool `{tool}`: arguments are not validated, because its schema cannot be used: {why}");
        ArgumentSchema { schema, validator: None }
    }

    /// Parses, coerces and validates; takes not more than `limit` bytes.
    ///
    /// # Errors
    /// If the text is no JSON object, or not one that the schema takes: every fault, for a model to mend.
    pub(crate) fn accept<'a>(&self, args: &'a str, limit: usize) -> Result<Accepted<'a>, Failure> {
        let (text, mut value) = parse::object(args, limit)?;
        let Some(validator) = &self.validator else {
            let changed = coerce_arguments(&self.schema, &mut value);
            return Ok(Accepted { text: text_of(text, &value, changed), value });
        };
        // Valid arguments are never changed: nothing to do is found out first.
        if validator.is_valid(&value) {
            return Ok(Accepted { text: Cow::Borrowed(text), value });
        }
        let changed = coerce_arguments(&self.schema, &mut value);
        if changed && validator.is_valid(&value) {
            return Ok(Accepted { text: text_of(text, &value, true), value });
        }
        Err(faults(validator, &self.schema, &value))
    }
}

/// The text that says `value`, which `text` said before it was changed. What did not change keeps its own text: a
/// number keeps all of its digits.
fn text_of<'a>(text: &'a str, value: &Value, changed: bool) -> Cow<'a, str> {
    if !changed {
        return Cow::Borrowed(text);
    }
    let entries = || -> Option<String> {
        let before: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        let mut after: BTreeMap<&str, Cow<'_, RawValue>> = BTreeMap::new();
        for (key, value) in value.as_object()? {
            let same = before.get(key).filter(|raw| {
                serde_json::from_str::<Value>(raw.get()).is_ok_and(|unchanged| unchanged == *value)
            });
            let raw = match same {
                Some(raw) => Cow::Borrowed(*raw),
                None => Cow::Owned(serde_json::value::to_raw_value(value).ok()?),
            };
            after.insert(key, raw);
        }
        serde_json::to_string(&after).ok()
    };
    Cow::Owned(entries().unwrap_or_else(|| value.to_string()))
}

fn parsed(text: &str) -> Result<Value, String> {
    if text.len() > MAX_BYTES {
        return Err(format!("it has {} bytes, more than {MAX_BYTES}", text.len()));
    }
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// Never fetches anything: what a `$ref` names must stand in the schema itself.
fn compiled(schema: &Value) -> Result<Validator, String> {
    if let Some(why) = hazard(schema) {
        return Err(why);
    }
    let compile = || match build(schema) {
        Err(_) if schema.get("$schema").is_some() => {
            // A dialect that nobody knows is read as the newest.
            let mut plain = schema.clone();
            plain.as_object_mut().map(|map| map.remove("$schema"));
            build(&plain)
        }
        other => other,
    };
    let compile =
        || catch_unwind(AssertUnwindSafe(compile)).unwrap_or_else(|_| Err("it cannot be read".to_owned()));
    if is_shallow(schema, 16) {
        return compile();
    }
    // The caller's stack may be small, and a deep schema is compiled by recursion.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("schema".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, compile) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err("it cannot be read".to_owned())),
            Err(e) => Err(format!("no thread to read it on: {e}")),
        }
    })
}

fn build(schema: &Value) -> Result<Validator, String> {
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS))
        .build(schema)
        .map_err(|e| {
            let at = e.instance_path().as_str().to_owned();
            let said = crate::answer::shorten(&e.to_string(), 300);
            if at.is_empty() { said } else { format!("`{at}`: {said}") }
        })
}

/// Whether nothing in it is nested deeper than `levels`.
fn is_shallow(value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(map) => levels > 0 && map.values().all(|inner| is_shallow(inner, levels - 1)),
        Value::Array(items) => levels > 0 && items.iter().all(|inner| is_shallow(inner, levels - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests;
