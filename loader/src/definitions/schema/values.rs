//! Keywords whose value is none that they may have.
//!
//! Anthropic holds a schema against JSON Schema's own, and refuses the request if it does not fit.

use serde_json::Value;

use super::notes::Notes;
use super::pointer::Pointer;
use super::{Plain, Schema, walk};

/// Mends what older drafts said otherwise, and takes out what no draft would understand.
pub(super) fn mend(plain: &mut Plain) {
    let mut changes = Vec::new();
    let mut root_notes = Vec::new();
    walk::each(&mut plain.schema, &mut Pointer::default(), &mut |schema, at| {
        let mut notes = Notes::default();
        let mut changed = exclusive(schema);
        let wrong: Vec<String> =
            schema.iter().filter(|(key, value)| !may_be(key, value)).map(|(key, _)| key.clone()).collect();
        for key in wrong {
            changed = true;
            if let Some(value) = schema.remove(&key) {
                notes.condition(&key, value);
            }
        }
        if changed {
            let spot = at.to_string();
            let what = "a keyword with a value that it may not have is mended";
            changes.push(if spot.is_empty() { what.to_owned() } else { format!("`{spot}`: {what}") });
        }
        if at.len() == 0 {
            root_notes.extend(notes.sentences());
        } else {
            notes.describe(schema);
        }
    });
    plain.notes.extend(root_notes);
    plain.changes.extend(changes);
}

/// Draft 4 said beside a bound whether it is exclusive.
fn exclusive(schema: &mut Schema) -> bool {
    let mut changed = false;
    for (key, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        let Some(Value::Bool(is_exclusive)) = schema.get(key) else { continue };
        let is_exclusive = *is_exclusive;
        schema.remove(key);
        changed = true;
        if is_exclusive && let Some(bound) = schema.remove(bound) {
            schema.insert(key.to_owned(), bound);
        }
    }
    changed
}

fn may_be(key: &str, value: &Value) -> bool {
    match key {
        "title" | "description" | "format" | "contentEncoding" | "contentMediaType" | "pattern" => {
            value.is_string()
        }
        "deprecated" | "readOnly" | "writeOnly" | "uniqueItems" => value.is_boolean(),
        "examples" => value.is_array(),
        "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|of| of > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.as_f64().is_some_and(|count| count >= 0.0 && count.fract() == 0.0)
        }
        _ => true,
    }
}
