//! What some servers that speak OpenAI's form do not take either.

use serde_json::{Value, json};

use super::notes::Notes;
use super::pointer::Pointer;
use super::{Plain, Schema, walk};
use crate::definitions::profile::Quirks;

/// Rewrites a plain schema for a server with these quirks; what goes is told in words.
pub(in crate::definitions) fn apply(plain: &mut Plain, quirks: Quirks) {
    if quirks == Quirks::default() {
        return;
    }
    let mut changes = Vec::new();
    let mut root_notes = Vec::new();
    walk::each(&mut plain.schema, &mut Pointer::default(), &mut |schema, at| {
        let mut notes = Notes::default();
        let mut change = |what: &str| {
            let spot = at.to_string();
            changes.push(if spot.is_empty() { what.to_owned() } else { format!("`{spot}`: {what}") });
        };
        if quirks.no_pattern_or_format {
            if let Some(pattern) = schema.remove("pattern") {
                notes.condition("pattern", pattern);
                change("`pattern` is told in words");
            }
            if let Some(format) = schema.remove("format") {
                notes.say(format!("Format: {}.", format.as_str().unwrap_or("unknown")));
                change("`format` is told in words");
            }
        }
        if quirks.no_slash_in_enum && without_slashes(schema, &mut notes) {
            change("values with `/` are told in words");
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

fn without_slashes(schema: &mut Schema, notes: &mut Notes) -> bool {
    let has_slash = |value: &Value| value.as_str().is_some_and(|text| text.contains('/'));
    let Some(key) = ["enum", "const"].into_iter().find(|key| match schema.get(*key) {
        Some(Value::Array(values)) => values.iter().any(has_slash),
        Some(value) => has_slash(value),
        None => false,
    }) else {
        return false;
    };
    if let Some(values) = schema.remove(key) {
        let listed = if key == "enum" { values.as_array().cloned() } else { None };
        let all_strings = listed.as_ref().is_none_or(|values| values.iter().all(Value::is_string));
        if all_strings && !schema.contains_key("type") {
            schema.insert("type".to_owned(), json!("string"));
        }
        notes.condition(key, values);
    }
    true
}
