//! Whether one value can fit two variants.

use std::collections::HashSet;

use serde_json::Value;

use crate::definitions::schema::keywords::types_of;
use crate::definitions::schema::merge::common_types;

/// Whether every value fits one of the rewritten variants at most, as far as is plain to see.
pub(super) fn all(variants: &[Value]) -> bool {
    /// Of more, nobody compares each with each.
    const MAX_COMPARED: usize = 200;
    variants.len() <= MAX_COMPARED
        && variants.iter().enumerate().all(|(i, a)| variants[i + 1..].iter().all(|b| apart(a, b)))
}

fn apart(a: &Value, b: &Value) -> bool {
    if let (Some(a), Some(b)) = (literals(a), literals(b)) {
        return a.is_disjoint(&b);
    }
    let types = |schema: &'_ Value| schema.get("type").map(types_of).unwrap_or_default().join(" ");
    let (ours, theirs) = (types(a), types(b));
    if !ours.is_empty() && !theirs.is_empty() && common_types(&[&ours], &[&theirs]).is_empty() {
        return true;
    }
    ours == "object" && theirs == "object" && (tells(a, b) || tells(b, a))
}

/// Whether a key that `a` requires keeps its values out of `b`.
fn tells(a: &Value, b: &Value) -> bool {
    let required =
        a.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let closed = b.get("additionalProperties") == Some(&Value::Bool(false));
    let property =
        |schema: &'_ Value, key: &str| schema.get("properties").and_then(|all| all.get(key)).cloned();
    required.into_iter().any(|key| match (property(a, key), property(b, key)) {
        (Some(ours), Some(theirs)) => match (literals(&ours), literals(&theirs)) {
            (Some(ours), Some(theirs)) => ours.is_disjoint(&theirs),
            _ => false,
        },
        (_, None) => closed,
        _ => false,
    })
}

/// The only values that fit, as text, if the schema lists them.
fn literals(schema: &Value) -> Option<HashSet<String>> {
    if let Some(only) = schema.get("const") {
        return Some(HashSet::from([only.to_string()]));
    }
    Some(schema.get("enum")?.as_array()?.iter().map(Value::to_string).collect())
}
