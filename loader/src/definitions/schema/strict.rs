//! Schemas as OpenAI's strict mode takes them.
//!
//! Every property is required, one that may be left out takes `null`, no other keys are allowed, and every schema
//! says its type. A schema that lets through what cannot be said so has no strict form.

use serde_json::{Value, json};

use super::keywords::{is_annotation, type_of};
use super::notes::Notes;
use super::pointer::Pointer;
use super::{NULLABLE, Schema, Unusable};

/// What OpenAI documents as the most that a strict schema may have.
const MAX_PROPERTIES: usize = 5_000;
const MAX_LEVELS: usize = 10;
const MAX_VALUES: usize = 1_000;
const MAX_CHARS: usize = 120_000;
/// Of a list with more than [`LONG_LIST`] values, their texts may have so many characters.
const MAX_LIST_CHARS: usize = 15_000;
const LONG_LIST: usize = 250;

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The strict form of a plain schema whose nulls are marked, and what its root lost, in sentences.
///
/// # Errors
/// If it has none; the reason names the spot.
pub(in crate::definitions) fn strict(plain: &Schema) -> Result<(Schema, Vec<String>), Unusable> {
    let mut strict = Strict { path: Pointer::default(), levels: 0, properties: 0, values: 0, chars: 0 };
    let mut notes = Notes::default();
    let mut root = strict.object(plain, &mut notes)?;
    annotations(plain, &mut root, &mut notes);
    root.insert("type".to_owned(), json!("object"));
    if let Some(Value::Object(definitions)) = plain.get("$defs") {
        let mut written = Schema::new();
        for (name, schema) in definitions {
            strict.chars += name.chars().count();
            written.insert(name.clone(), strict.child(["$defs", name], schema, Null::AsMarked)?);
        }
        root.insert("$defs".to_owned(), written.into());
    }
    if strict.properties > MAX_PROPERTIES || strict.values > MAX_VALUES || strict.chars > MAX_CHARS {
        return Err(strict.fault("more properties, values or names than are allowed"));
    }
    Ok((root, notes.sentences()))
}

/// Whether `null` fits.
#[derive(Clone, Copy, PartialEq)]
enum Null {
    AsMarked,
    Fits,
}

struct Strict {
    path: Pointer,
    levels: usize,
    properties: usize,
    values: usize,
    chars: usize,
}

impl Strict {
    fn child(&mut self, segments: [&str; 2], schema: &Value, null: Null) -> Result<Value, Unusable> {
        let before = self.path.len();
        for segment in segments.into_iter().filter(|segment| !segment.is_empty()) {
            self.path.push(segment);
        }
        let Value::Object(schema) = schema else { return Err(self.fault("any value fits")) };
        let written = self.schema(schema)?;
        self.path.truncate(before);
        let nullable = null == Null::Fits || schema.contains_key(NULLABLE);
        Ok(Value::Object(if nullable { or_null(written) } else { written }))
    }

    fn schema(&mut self, schema: &Schema) -> Result<Schema, Unusable> {
        if let Some(reference) = schema.get("$ref") {
            return Ok(Schema::from_iter([("$ref".to_owned(), reference.clone())]));
        }
        let mut notes = Notes::default();
        let mut written = if let Some(Value::Array(variants)) = schema.get("anyOf") {
            let mut union = Vec::new();
            for (index, variant) in variants.iter().enumerate() {
                union.push(self.child(["anyOf", &index.to_string()], variant, Null::AsMarked)?);
            }
            Schema::from_iter([("anyOf".to_owned(), union.into())])
        } else if let Some(only) = schema.get("const") {
            notes.bounds(schema);
            self.listed(std::slice::from_ref(only), schema)?
        } else if let Some(Value::Array(values)) = schema.get("enum") {
            notes.bounds(schema);
            self.listed(values, schema)?
        } else {
            self.typed(schema, &mut notes)?
        };
        annotations(schema, &mut written, &mut notes);
        notes.describe(&mut written);
        Ok(written)
    }

    fn typed(&mut self, schema: &Schema, notes: &mut Notes) -> Result<Schema, Unusable> {
        let Some(kind) = schema.get("type").and_then(Value::as_str) else {
            return Err(self.fault("any value fits"));
        };
        let mut written = match kind {
            "object" => {
                let is_free =
                    schema.get("properties").and_then(Value::as_object).is_none_or(Schema::is_empty)
                        && schema.get("additionalProperties") != Some(&json!(false));
                if is_free {
                    return Err(self.fault("any keys fit"));
                }
                self.object(schema, notes)?
            }
            "array" => {
                let items = schema.get("items").cloned().unwrap_or_else(|| json!({}));
                let items = self.child(["items", ""], &items, Null::AsMarked)?;
                Schema::from_iter([("items".to_owned(), items)])
            }
            _ => Schema::new(),
        };
        written.insert("type".to_owned(), kind.into());
        for (key, value) in schema {
            if is_kept(key, value) {
                written.insert(key.clone(), value.clone());
            } else if !is_annotation(key)
                && !matches!(
                    key.as_str(),
                    "type" | "properties" | "required" | "additionalProperties" | "items"
                )
            {
                notes.condition(key, value.clone());
            }
        }
        Ok(written)
    }

    fn object(&mut self, schema: &Schema, notes: &mut Notes) -> Result<Schema, Unusable> {
        if schema.get("additionalProperties").is_some_and(|others| *others != json!(false)) {
            return Err(self.fault("other keys fit"));
        }
        self.levels += 1;
        if self.levels > MAX_LEVELS {
            return Err(self.fault(format!("nested deeper than {MAX_LEVELS} levels")));
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut properties = Schema::new();
        for (key, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.properties += 1;
            self.chars += key.chars().count();
            let null = if required.contains(&key.as_str()) { Null::AsMarked } else { Null::Fits };
            properties.insert(key.clone(), self.child(["properties", key], property, null)?);
        }
        self.levels -= 1;
        for key in ["minProperties", "maxProperties"] {
            if let Some(bound) = schema.get(key) {
                notes.condition(key, bound.clone());
            }
        }
        let all: Vec<&String> = properties.keys().collect();
        Ok(Schema::from_iter([
            ("required".to_owned(), json!(all)),
            ("properties".to_owned(), properties.into()),
            ("additionalProperties".to_owned(), json!(false)),
        ]))
    }

    /// A list of values, with their type; a variant for each if they have several.
    fn listed(&mut self, values: &[Value], schema: &Schema) -> Result<Schema, Unusable> {
        self.values += values.len();
        let chars: usize = values.iter().filter_map(Value::as_str).map(|text| text.chars().count()).sum();
        self.chars += chars;
        if values.len() > LONG_LIST && chars > MAX_LIST_CHARS {
            return Err(self.fault(format!("a list of values with more than {MAX_LIST_CHARS} characters")));
        }
        let said = schema.get("type").and_then(Value::as_str);
        let mut groups: Vec<(&str, Vec<Value>)> = Vec::new();
        for value in values {
            let kind = match (type_of(value), said) {
                ("integer", Some("number")) => "number",
                ("array" | "object", _) => return Err(self.fault("a list of values that are no scalars")),
                (kind, _) => kind,
            };
            match groups.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, group)) => group.push(value.clone()),
                None => groups.push((kind, vec![value.clone()])),
            }
        }
        let mut variants: Vec<Schema> = groups
            .into_iter()
            .map(|(kind, group)| {
                let mut variant = Schema::from_iter([("type".to_owned(), json!(kind))]);
                if kind != "null" {
                    variant.insert("enum".to_owned(), group.into());
                }
                variant
            })
            .collect();
        Ok(match (variants.len(), variants.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                let all: Vec<Value> = variants.into_iter().chain(last).map(Value::Object).collect();
                Schema::from_iter([("anyOf".to_owned(), all.into())])
            }
        })
    }

    fn fault(&self, reason: impl Into<String>) -> Unusable {
        Unusable { spot: self.path.to_string(), reason: reason.into() }
    }
}

fn is_kept(key: &str, value: &Value) -> bool {
    match key {
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        // Its grammars know no look-around.
        "pattern" => value.as_str().is_some_and(|pattern| !pattern.replace("(?:", "(").contains("(?")),
        _ => matches!(
            key,
            "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minItems"
                | "maxItems"
        ),
    }
}

/// Takes over what is text for the model; the rest of what only describes becomes such a text.
fn annotations(schema: &Schema, written: &mut Schema, notes: &mut Notes) {
    for key in ["title", "description"] {
        if let Some(text) = schema.get(key).filter(|text| text.is_string()) {
            written.insert(key.to_owned(), text.clone());
        }
    }
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        notes.say(format!("Default: {default}."));
    }
    if let Some(Value::Array(examples)) = schema.get("examples").filter(|examples| **examples != json!([])) {
        let examples: Vec<String> = examples.iter().map(Value::to_string).collect();
        notes.say(format!("Examples: {}.", examples.join(", ")));
    }
    if let Some(example) = schema.get("example") {
        notes.say(format!("Example: {example}."));
    }
    if schema.get("deprecated") == Some(&json!(true)) {
        notes.say("Deprecated.".to_owned());
    }
    for key in ["contentEncoding", "contentMediaType"] {
        if let Some(value) = schema.get(key) {
            notes.condition(key, value.clone());
        }
    }
}

/// The schema, or `null`.
fn or_null(mut schema: Schema) -> Schema {
    let nothing = json!({ "type": "null" });
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        if !variants.contains(&nothing) {
            variants.push(nothing);
        }
        return schema;
    }
    if schema.get("type") == Some(&json!("null")) {
        return schema;
    }
    let mut outer = Schema::new();
    for key in ["title", "description"] {
        outer.extend(schema.remove(key).map(|text| (key.to_owned(), text)));
    }
    outer.insert("anyOf".to_owned(), json!([schema, nothing]));
    outer
}
