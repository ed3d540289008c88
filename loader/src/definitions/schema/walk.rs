//! Every schema in a schema of the plain subset.

use serde_json::Value;

use super::Schema;
use super::pointer::Pointer;

/// Calls `act` for each schema, the inner ones first, with where it stands.
pub(super) fn each(schema: &mut Schema, at: &mut Pointer, act: &mut impl FnMut(&mut Schema, &Pointer)) {
    let before = at.len();
    let mut child = |segments: [&str; 2], value: &mut Value, at: &mut Pointer| {
        if let Value::Object(map) = value {
            at.push(segments[0]);
            if !segments[1].is_empty() {
                at.push(segments[1]);
            }
            each(map, at, act);
            at.truncate(before);
        }
    };
    for key in ["properties", "$defs"] {
        if let Some(Value::Object(children)) = schema.get_mut(key) {
            for (name, value) in children.iter_mut() {
                child([key, name], value, at);
            }
        }
    }
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        for (index, value) in variants.iter_mut().enumerate() {
            child(["anyOf", &index.to_string()], value, at);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(value) = schema.get_mut(key) {
            child([key, ""], value, at);
        }
    }
    act(schema, at);
}
