//! What JSON Schema's keywords are, as tables.

use serde_json::Value;

/// The types of JSON Schema.
pub(super) const TYPES: &[&str] = &["string", "number", "integer", "boolean", "array", "object", "null"];

/// Keywords that say nothing of which values fit.
pub(super) fn is_annotation(key: &str) -> bool {
    matches!(
        key,
        "title"
            | "description"
            | "default"
            | "example"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "contentEncoding"
            | "contentMediaType"
    ) || key.starts_with("x-")
}

/// Keywords that only a validator needs, or that only `$ref`s need which are written out.
pub(super) const BOOKKEEPING: &[&str] = &[
    "$schema",
    "$id",
    "$comment",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$defs",
    "definitions",
    "nullable",
    "contentSchema",
];

/// Conditions that models and the servers that speak the plain shape do not know. They are told in words.
pub(super) const CONDITIONS: &[&str] = &[
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "propertyNames",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "$dynamicRef",
    "$recursiveRef",
];

/// Keywords that bear on objects only. One of them makes a schema without a type an object's.
pub(super) const OF_OBJECTS: &[&str] = &[
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "minProperties",
    "maxProperties",
];

/// Keywords that bear on arrays only.
pub(super) const OF_ARRAYS: &[&str] =
    &["items", "prefixItems", "additionalItems", "minItems", "maxItems", "uniqueItems"];

/// Keywords that bear on strings only.
pub(super) const OF_STRINGS: &[&str] = &["minLength", "maxLength", "pattern", "format"];

/// Keywords that bear on numbers only.
pub(super) const OF_NUMBERS: &[&str] =
    &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// Whether a keyword bears on values of `kind` at all.
pub(super) fn bears_on(key: &str, kind: &str) -> bool {
    let only = [
        (OF_OBJECTS, &["object"][..]),
        (OF_ARRAYS, &["array"][..]),
        (OF_STRINGS, &["string"][..]),
        (OF_NUMBERS, &["integer", "number"][..]),
    ];
    only.iter().all(|(keys, kinds)| !keys.contains(&key) || kinds.contains(&kind))
}

/// What is known of a `format`.
#[derive(PartialEq)]
pub(super) enum Format {
    /// JSON Schema's own.
    Standard,
    /// A Rust or OpenAPI number's: the type and the bounds say as much.
    Number,
    /// Anything else.
    Other,
}

pub(super) fn format(name: &str) -> Format {
    match name {
        "date-time"
        | "date"
        | "time"
        | "duration"
        | "email"
        | "idn-email"
        | "hostname"
        | "idn-hostname"
        | "ipv4"
        | "ipv6"
        | "uri"
        | "uri-reference"
        | "iri"
        | "iri-reference"
        | "uri-template"
        | "uuid"
        | "json-pointer"
        | "relative-json-pointer"
        | "regex" => Format::Standard,
        "int8" | "int16" | "int32" | "int64" | "int128" | "int" | "uint8" | "uint16" | "uint32"
        | "uint64" | "uint128" | "uint" | "float" | "double" => Format::Number,
        _ => Format::Other,
    }
}

/// The types that a `type` allows.
pub(super) fn types_of(kind: &Value) -> Vec<&str> {
    match kind {
        Value::String(one) => vec![one],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The type of a value. A number without a fraction is an integer.
pub(super) fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|n| n.fract() != 0.0) => {
            "number"
        }
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a value is of one of the types.
pub(super) fn is_of(value: &Value, types: &[&str]) -> bool {
    let kind = type_of(value);
    types.contains(&kind) || (kind == "integer" && types.contains(&"number"))
}
