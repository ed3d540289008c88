//! Schemas as Gemini's `parameters` takes them: a part of OpenAPI's.

use serde_json::{Value, json};

use super::keywords::type_of;
use super::merge::joined;
use super::notes::Notes;
use super::pointer::Pointer;
use super::size::size;
use super::{NULLABLE, Schema};

/// Rewrites a plain schema whose nulls are marked. Returns it, what its root lost in sentences, and what was
/// changed.
pub(in crate::definitions) fn subset(plain: &Schema) -> (Schema, Vec<String>, Vec<String>) {
    let mut subset = Subset {
        definitions: plain.get("$defs").and_then(Value::as_object),
        inside: 0,
        budget: (64 << 10) + 4 * plain.values().map(size).sum::<usize>(),
        path: Pointer::default(),
        changes: Vec::new(),
    };
    let mut notes = Notes::default();
    let mut root = subset.typed(plain, "object", &mut notes);
    for key in ["title", "description"] {
        root.extend(
            plain.get(key).filter(|text| text.is_string()).map(|text| (key.to_owned(), text.clone())),
        );
    }
    (root, notes.sentences(), subset.changes)
}

struct Subset<'a> {
    definitions: Option<&'a Schema>,
    /// How many `$ref`s lead to the present schema.
    inside: usize,
    /// How many bytes of definitions may still be written out.
    budget: usize,
    path: Pointer,
    changes: Vec<String>,
}

impl Subset<'_> {
    fn child(&mut self, segments: [&str; 2], schema: &Value) -> Value {
        let before = self.path.len();
        for segment in segments.into_iter().filter(|segment| !segment.is_empty()) {
            self.path.push(segment);
        }
        let written = match schema {
            Value::Object(schema) => self.schema(schema),
            _ => anything(),
        };
        self.path.truncate(before);
        Value::Object(written)
    }

    fn schema(&mut self, schema: &Schema) -> Schema {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            return self.reference(name.trim_start_matches("#/$defs/"));
        }
        let mut notes = Notes::default();
        let mut written = if let Some(Value::Array(variants)) = schema.get("anyOf") {
            self.union(variants)
        } else if let Some(only) = schema.get("const") {
            notes.bounds(schema);
            self.listed(std::slice::from_ref(only), schema, &mut notes)
        } else if let Some(Value::Array(values)) = schema.get("enum") {
            notes.bounds(schema);
            self.listed(values, schema, &mut notes)
        } else if let Some(kind) = schema.get("type").and_then(Value::as_str) {
            self.typed(schema, kind, &mut notes)
        } else {
            anything()
        };
        let mut around = Schema::new();
        for key in ["title", "description"] {
            around.extend(
                schema.get(key).filter(|text| text.is_string()).map(|text| (key.to_owned(), text.clone())),
            );
        }
        notes.describe(&mut around);
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            around.insert("default".to_owned(), default.clone());
        }
        let example = schema.get("example").or_else(|| schema.get("examples")?.as_array()?.first());
        around.extend(example.map(|example| ("example".to_owned(), example.clone())));
        if schema.contains_key(NULLABLE) {
            around.insert("nullable".to_owned(), json!(true));
        }
        surround(&mut written, around);
        written
    }

    /// A definition is written out once; where it comes again, inside itself, a free object stands for it.
    fn reference(&mut self, name: &str) -> Schema {
        let target = self.definitions.and_then(|all| all.get(name));
        if self.inside == 0
            && let Some(Value::Object(target)) = target
            && let Some(left) = self.budget.checked_sub(size_of(target))
        {
            self.budget = left;
            self.inside += 1;
            let written = self.schema(target);
            self.inside -= 1;
            return written;
        }
        self.change("a recursion ends in a free object");
        let described = format!("Has the form of `{name}` again.");
        Schema::from_iter([
            ("type".to_owned(), json!("object")),
            ("description".to_owned(), described.into()),
        ])
    }

    fn union(&mut self, variants: &[Value]) -> Schema {
        let mut written = Vec::new();
        for (index, variant) in variants.iter().enumerate() {
            written.push(self.child(["anyOf", &index.to_string()], variant));
        }
        match (written.len(), written.pop()) {
            (1, Some(Value::Object(only))) => only,
            (_, last) => {
                // A union in a union is one union: it has nothing beside it.
                let all = written.into_iter().chain(last).flat_map(|variant| match variant {
                    Value::Object(mut map) if map.contains_key("anyOf") => match map.remove("anyOf") {
                        Some(Value::Array(inner)) => inner,
                        _ => Vec::new(),
                    },
                    other => vec![other],
                });
                Schema::from_iter([("anyOf".to_owned(), all.collect())])
            }
        }
    }

    /// A list of texts stays; other values are told in words, beside their types.
    fn listed(&mut self, values: &[Value], schema: &Schema, notes: &mut Notes) -> Schema {
        let texts: Vec<Value> = values.iter().filter(|value| value.is_string()).cloned().collect();
        let text =
            Schema::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), json!(texts))]);
        if texts.len() == values.len() {
            return text;
        }
        self.change("values that are no texts are told in words");
        let mut kinds: Vec<&str> = Vec::new();
        for value in values.iter().filter(|value| !value.is_string()) {
            let kind = match type_of(value) {
                "integer" if schema.get("type") == Some(&json!("number")) => "number",
                kind => kind,
            };
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        notes.condition("enum", values.to_vec().into());
        let mut nullable = false;
        let mut variants: Vec<Value> = Vec::new();
        for kind in kinds {
            if kind == "null" {
                nullable = true;
            } else {
                let bare = Schema::from_iter([("type".to_owned(), json!(kind))]);
                variants.push(self.typed(&bare, kind, &mut Notes::default()).into());
            }
        }
        if !texts.is_empty() {
            variants.insert(0, text.into());
        }
        let mut written = match (variants.len(), variants.pop()) {
            (0, _) | (_, None) => Schema::from_iter([("type".to_owned(), json!("null"))]),
            (1, Some(Value::Object(only))) => only,
            (_, last) => {
                let all: Vec<Value> = variants.into_iter().chain(last).collect();
                Schema::from_iter([("anyOf".to_owned(), all.into())])
            }
        };
        if nullable && written.get("type") != Some(&json!("null")) {
            surround(&mut written, Schema::from_iter([("nullable".to_owned(), json!(true))]));
        }
        written
    }

    fn typed(&mut self, schema: &Schema, kind: &str, notes: &mut Notes) -> Schema {
        let mut written = Schema::from_iter([("type".to_owned(), json!(kind))]);
        for (key, value) in schema {
            match key.as_str() {
                "properties" => {
                    let mut properties = Schema::new();
                    for (name, property) in value.as_object().into_iter().flatten() {
                        properties.insert(name.clone(), self.child(["properties", name], property));
                    }
                    // An empty list is refused; without one it is a free object.
                    if !properties.is_empty() {
                        written.insert(key.clone(), properties.into());
                    }
                }
                "items" => _ = written.insert(key.clone(), self.child(["items", ""], value)),
                "required" | "minimum" | "maximum" | "pattern" => {
                    _ = written.insert(key.clone(), value.clone())
                }
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties" | "maxProperties"
                    if value.is_u64() =>
                {
                    written.insert(key.clone(), value.clone());
                }
                // It knows no other.
                "format" if value == "date-time" => _ = written.insert(key.clone(), value.clone()),
                "format" => {
                    notes.say(format!("Format: {}.", value.as_str().unwrap_or("unknown")));
                    self.change("`format` is told in words");
                }
                "additionalProperties" if *value == json!(true) || *value == json!(false) => {}
                "type" | "title" | "description" | "default" | "example" | "examples" | "$defs" => {}
                "deprecated" if *value == json!(true) => notes.say("Deprecated.".to_owned()),
                "deprecated" | "readOnly" | "writeOnly" => {}
                key if key.starts_with("x-") => {}
                key => {
                    notes.condition(key, without_marks(value.clone()));
                    self.change(&format!("`{key}` is told in words"));
                }
            }
        }
        if kind == "array" && !written.contains_key("items") {
            written.insert("items".to_owned(), anything().into());
        }
        written
    }

    fn change(&mut self, what: &str) {
        let spot = self.path.to_string();
        self.changes.push(if spot.is_empty() { what.to_owned() } else { format!("`{spot}`: {what}") });
    }
}

/// Adds keywords to a schema. A union has nothing beside it: they go into its variants.
fn surround(schema: &mut Schema, around: Schema) {
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        for variant in variants.iter_mut().filter_map(Value::as_object_mut) {
            let mut around = around.clone();
            // What one variant takes another may not.
            around.remove("default");
            around.remove("example");
            surround(variant, around);
        }
        return;
    }
    for (key, value) in around {
        match (key.as_str(), schema.get("description").and_then(Value::as_str), value.as_str()) {
            ("description", Some(inner), Some(outer)) => {
                let both = joined(outer, inner);
                schema.insert(key, both.into());
            }
            ("title", ..) if schema.contains_key("title") => {}
            _ => _ = schema.insert(key, value),
        }
    }
}

/// Any value: every schema says its type here.
fn anything() -> Schema {
    let scalars =
        json!([{ "type": "string" }, { "type": "number" }, { "type": "boolean" }, { "type": "object" }]);
    let mut all = scalars.as_array().cloned().unwrap_or_default();
    all.push(json!({ "type": "array", "items": { "anyOf": scalars } }));
    for variant in all.iter_mut().filter_map(Value::as_object_mut) {
        variant.insert("nullable".to_owned(), json!(true));
    }
    Schema::from_iter([("anyOf".to_owned(), all.into())])
}

fn size_of(schema: &Schema) -> usize {
    schema.iter().map(|(key, value)| key.len() + size(value)).sum()
}

/// Without what stands for `null` between two rewritings.
fn without_marks(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.remove(NULLABLE);
            for child in map.values_mut() {
                *child = without_marks(child.take());
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|child| *child = without_marks(child.take())),
        _ => {}
    }
    value
}
