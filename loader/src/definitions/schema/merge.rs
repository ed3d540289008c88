//! Two schemas that both hold, as one.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::keywords::{is_annotation, types_of};
use super::size::size;

/// The schema of what fits both `outer` and `inner`. Children that stand in both become an `allOf`, for whoever
/// walks on. What cannot be said in one schema goes to `left`. Nothing, if nothing fits both.
pub(super) fn both(
    mut outer: Map<String, Value>,
    mut inner: Map<String, Value>,
    left: &mut Map<String, Value>,
) -> Option<Map<String, Value>> {
    object_keywords(&mut outer, &mut inner);
    for (key, theirs) in inner {
        let Some(ours) = outer.remove(&key) else {
            outer.insert(key, theirs);
            continue;
        };
        let merged = if ours == theirs { ours } else { keyword(&key, ours, theirs, left)? };
        outer.insert(key, merged);
    }
    Some(outer)
}

/// One keyword that both have, with different values.
fn keyword(key: &str, ours: Value, theirs: Value, left: &mut Map<String, Value>) -> Option<Value> {
    Some(match key {
        "description" => match (&ours, &theirs) {
            (Value::String(a), Value::String(b)) => joined(a, b).into(),
            _ => ours,
        },
        "type" => {
            let common = common_types(&types_of(&ours), &types_of(&theirs));
            match common.as_slice() {
                [] => return None,
                [one] => (*one).into(),
                more => json!(more),
            }
        }
        "enum" => match (&ours, &theirs) {
            (Value::Array(a), Value::Array(b)) => {
                let theirs: HashSet<String> = b.iter().map(Value::to_string).collect();
                let common: Vec<Value> =
                    a.iter().filter(|value| theirs.contains(&value.to_string())).cloned().collect();
                if common.is_empty() {
                    return None;
                }
                common.into()
            }
            _ => ours,
        },
        "const" => return None,
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            if number(&ours) >= number(&theirs) { ours } else { theirs }
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            if number(&ours) <= number(&theirs) { ours } else { theirs }
        }
        "uniqueItems" => json!(ours == json!(true) || theirs == json!(true)),
        "allOf" => match (ours, theirs) {
            (Value::Array(mut a), Value::Array(b)) => {
                a.extend(b);
                a.into()
            }
            (ours, _) => ours,
        },
        "items" if !ours.is_array() && !theirs.is_array() => json!({ "allOf": [ours, theirs] }),
        key if is_annotation(key) => ours,
        _ => {
            left.insert(key.to_owned(), theirs);
            ours
        }
    })
}

/// Merges `properties`, `required` and `additionalProperties`, which bear on each other, out of `inner` into
/// `outer`.
fn object_keywords(outer: &mut Map<String, Value>, inner: &mut Map<String, Value>) {
    /// A larger schema for all other keys is not repeated at each key of the other side.
    const SMALL: usize = 512;
    // What `patternProperties` lets through is not closed to the other one's keys.
    let others = |schema: &Map<String, Value>| {
        let others = schema.get("additionalProperties").filter(|others| size(others) <= SMALL);
        others.filter(|_| !schema.contains_key("patternProperties")).cloned()
    };
    let (ours_else, theirs_else) = (others(outer), others(inner));
    if let (Some(Value::Object(a)), Some(Value::Object(b))) =
        (outer.get("properties"), inner.get("properties"))
    {
        let mut merged = Map::new();
        for (key, ours) in a {
            let theirs = b.get(key).or(theirs_else.as_ref());
            merged.extend(narrowed(ours, theirs).map(|schema| (key.clone(), schema)));
        }
        for (key, theirs) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
            merged.extend(narrowed(theirs, ours_else.as_ref()).map(|schema| (key.clone(), schema)));
        }
        outer.insert("properties".to_owned(), merged.into());
        inner.remove("properties");
    } else {
        for (own, rest) in [(&mut *outer, theirs_else.as_ref()), (&mut *inner, ours_else.as_ref())] {
            if let (Some(Value::Object(properties)), Some(rest)) = (own.get_mut("properties"), rest) {
                *properties = std::mem::take(properties)
                    .into_iter()
                    .filter_map(|(key, schema)| Some((key, narrowed(&schema, Some(rest))?)))
                    .collect();
            }
        }
    }
    if let (Some(Value::Array(a)), Some(Value::Array(b))) = (outer.get_mut("required"), inner.get("required"))
    {
        a.extend(b.iter().cloned());
        *a = distinct(std::mem::take(a));
        inner.remove("required");
    }
    if let (Some(a), Some(b)) = (outer.get("additionalProperties"), inner.get("additionalProperties")) {
        let merged = narrowed(a, Some(b)).unwrap_or(Value::Bool(false));
        outer.insert("additionalProperties".to_owned(), merged);
        inner.remove("additionalProperties");
    }
}

/// Both schemas in one; nothing if one of them is `false`.
fn narrowed(schema: &Value, by: Option<&Value>) -> Option<Value> {
    match (schema, by) {
        (Value::Bool(false), _) | (_, Some(Value::Bool(false))) => None,
        (schema, None | Some(Value::Bool(true))) => Some(schema.clone()),
        (Value::Bool(true), Some(by)) => Some(by.clone()),
        (schema, Some(by)) if schema == by || by.as_object().is_some_and(Map::is_empty) => {
            Some(schema.clone())
        }
        (schema, Some(by)) if schema.as_object().is_some_and(Map::is_empty) => Some(by.clone()),
        (schema, Some(by)) => Some(json!({ "allOf": [schema, by] })),
    }
}

/// Types that both lists allow: an integer is a number.
pub(super) fn common_types<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<&'a str> {
    let has =
        |list: &[&str], kind: &str| list.contains(&kind) || (kind == "integer" && list.contains(&"number"));
    let mut common: Vec<&str> = a.iter().copied().filter(|kind| has(b, kind)).collect();
    common.extend(b.iter().copied().filter(|kind| has(a, kind) && !a.contains(kind)));
    common.dedup();
    common
}

/// Each value once, in the order of their first.
pub(super) fn distinct(values: Vec<Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.into_iter().filter(|value| seen.insert(value.to_string())).collect()
}

/// Two descriptions, the outer first; one if the other says nothing new.
pub(super) fn joined(outer: &str, inner: &str) -> String {
    if outer.contains(inner) {
        outer.to_owned()
    } else if inner.contains(outer) {
        inner.to_owned()
    } else {
        format!("{}\n{}", outer.trim_end(), inner.trim_start())
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_default()
}
