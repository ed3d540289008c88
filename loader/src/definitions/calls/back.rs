//! From the arguments that a model wrote to those that the tool takes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::definitions::schema::{NULLABLE, Schema};

/// What was changed in a tool's schema that a call has to be changed back for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::definitions) struct Guide {
    schema: Value,
    /// The own key of each that was renamed.
    names: BTreeMap<String, String>,
    absent: Absent,
}

/// How a model leaves a property out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::definitions) enum Absent {
    LeftOut,
    /// It has to give `null`.
    Null,
}

/// Says nothing.
static ANYTHING: Value = Value::Null;
/// Deeper values stay as they are.
const MAX_DEPTH: usize = 128;
/// More are needed only for a schema made to need them.
const MAX_STEPS: usize = 4_000_000;
/// How many `$ref`s and unions in a row are followed.
const MAX_HOPS: usize = 16;

impl Guide {
    /// For a plain schema whose keys were renamed.
    pub(in crate::definitions) fn renamed(schema: &Schema, names: BTreeMap<String, String>) -> Self {
        Guide { schema: schema.clone().into(), names, absent: Absent::LeftOut }
    }

    /// For a plain schema, nulls marked, that was shown in its strict form.
    pub(in crate::definitions) fn strict(schema: Schema) -> Self {
        Guide { schema: schema.into(), names: BTreeMap::new(), absent: Absent::Null }
    }

    /// The arguments as the tool takes them, with every number's digits and every key's place; nothing if they are
    /// no JSON object.
    pub(in crate::definitions) fn back(&self, arguments: &str) -> Option<String> {
        let arguments: &RawValue = serde_json::from_str(arguments).ok()?;
        let mut out = String::with_capacity(arguments.get().len());
        self.walk().write(arguments.get(), &self.schema, 0, &mut out)?;
        Some(out)
    }

    /// Arguments with the keys that the model is shown.
    pub(in crate::definitions) fn forward(&self, arguments: Value) -> Value {
        self.walk().shown(arguments, &self.schema, 0)
    }

    pub(in crate::definitions) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    fn walk(&self) -> Walk<'_> {
        Walk { guide: self, steps: Cell::new(MAX_STEPS) }
    }
}

/// One way through a value along the schema.
struct Walk<'g> {
    guide: &'g Guide,
    /// How many schemas may still be held against values, to choose among variants.
    steps: Cell<usize>,
}

impl<'g> Walk<'g> {
    fn write(&self, raw: &str, schema: &'g Value, depth: usize, out: &mut String) -> Option<()> {
        let schema = self.meant(schema, || serde_json::from_str(raw).ok());
        match (raw.as_bytes().first(), schema) {
            (Some(b'{'), Some(schema)) if depth < MAX_DEPTH => {
                let Entries(entries) = serde_json::from_str(raw).ok()?;
                out.push('{');
                let mut first = true;
                for (key, value) in entries {
                    let property = property(schema, &key);
                    if property.is_some_and(|it| value.get() == "null" && self.is_left_out(schema, &key, it))
                    {
                        continue;
                    }
                    if !std::mem::take(&mut first) {
                        out.push(',');
                    }
                    let own = self.guide.names.get(&key).filter(|_| property.is_some());
                    out.push_str(&serde_json::to_string(own.unwrap_or(&key)).ok()?);
                    out.push(':');
                    let others = schema.get("additionalProperties");
                    self.write(value.get(), property.or(others).unwrap_or(&ANYTHING), depth + 1, out)?;
                }
                out.push('}');
            }
            (Some(b'['), Some(schema)) if depth < MAX_DEPTH => {
                let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
                let of_items = schema.get("items").unwrap_or(&ANYTHING);
                out.push('[');
                for (index, item) in items.into_iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    self.write(item.get(), of_items, depth + 1, out)?;
                }
                out.push(']');
            }
            _ => out.push_str(raw),
        }
        Some(())
    }

    fn shown(&self, value: Value, schema: &'g Value, depth: usize) -> Value {
        let Some(schema) = self.meant(schema, || Some(value.clone())).filter(|_| depth < MAX_DEPTH) else {
            return value;
        };
        match value {
            Value::Object(map) => map
                .into_iter()
                .map(|(key, value)| {
                    let renamed = self
                        .guide
                        .names
                        .iter()
                        .find(|(new, own)| **own == key && property(schema, new).is_some());
                    let key = renamed.map_or(key, |(new, _)| new.clone());
                    let inner = property(schema, &key).or_else(|| schema.get("additionalProperties"));
                    let value = self.shown(value, inner.unwrap_or(&ANYTHING), depth + 1);
                    (key, value)
                })
                .collect(),
            Value::Array(items) => {
                let of_items = schema.get("items").unwrap_or(&ANYTHING);
                items.into_iter().map(|item| self.shown(item, of_items, depth + 1)).collect()
            }
            other => other,
        }
    }

    /// The schema itself, without `$ref`s and unions around it; of a union the variant that the value fits.
    fn meant(&self, schema: &'g Value, value: impl FnOnce() -> Option<Value>) -> Option<&'g Value> {
        let mut value = Some(value);
        let mut known = None;
        let mut schema = self.target(schema)?;
        for _ in 0..MAX_HOPS {
            let Some(Value::Array(variants)) = schema.get("anyOf") else { return Some(schema) };
            if let Some(value) = value.take() {
                known = value();
            }
            let value = known.as_ref()?;
            let fitting = variants.iter().find(|variant| self.fits(value, variant, 0));
            // Of a value that fits none, the tool's own keys are still to be found.
            let similar = || variants.iter().find(|variant| self.is_container(variant, value));
            schema = self.target(fitting.or_else(similar)?)?;
        }
        None
    }

    fn target(&self, mut schema: &'g Value) -> Option<&'g Value> {
        for _ in 0..MAX_HOPS {
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
            schema = self.guide.schema.pointer(reference.strip_prefix('#')?)?;
        }
        None
    }

    fn is_container(&self, schema: &'g Value, value: &Value) -> bool {
        let kind = self.target(schema).and_then(|schema| schema.get("type")).and_then(Value::as_str);
        matches!((kind, value), (Some("object"), Value::Object(_)) | (Some("array"), Value::Array(_)))
    }

    fn is_left_out(&self, schema: &Value, key: &str, property: &'g Value) -> bool {
        self.guide.absent == Absent::Null
            && !is_required(schema, key)
            && !self.fits(&Value::Null, property, 0)
    }

    /// Whether a value fits a plain schema, as far as its keys and types say.
    fn fits(&self, value: &Value, schema: &'g Value, depth: usize) -> bool {
        let Some(schema) = self.target(schema).filter(|_| depth < MAX_DEPTH) else { return true };
        let Some(left) = self.steps.get().checked_sub(1) else { return true };
        self.steps.set(left);
        if value.is_null() && schema.get(NULLABLE).is_some() {
            return true;
        }
        if let Some(Value::Array(variants)) = schema.get("anyOf") {
            return variants.iter().any(|variant| self.fits(value, variant, depth + 1));
        }
        if schema.get("const").is_some_and(|only| only != value)
            || matches!(schema.get("enum"), Some(Value::Array(values)) if !values.contains(value))
        {
            return false;
        }
        match (schema.get("type").and_then(Value::as_str), value) {
            (None, _) => true,
            (Some("object"), Value::Object(map)) => self.object_fits(map, schema, depth),
            (Some("array"), Value::Array(items)) => {
                let of_items = schema.get("items").unwrap_or(&ANYTHING);
                items.iter().all(|item| self.fits(item, of_items, depth + 1))
            }
            (Some("integer"), Value::Number(number)) => {
                !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            (Some("number"), Value::Number(_))
            | (Some("string"), Value::String(_))
            | (Some("boolean"), Value::Bool(_))
            | (Some("null"), Value::Null) => true,
            _ => false,
        }
    }

    fn object_fits(&self, map: &Schema, schema: &'g Value, depth: usize) -> bool {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let is_closed = self.guide.absent == Absent::Null
            || schema.get("additionalProperties") == Some(&Value::Bool(false));
        required.filter_map(Value::as_str).all(|key| map.contains_key(key))
            && map.iter().all(|(key, value)| match property(schema, key) {
                Some(property) => {
                    let left_out =
                        self.guide.absent == Absent::Null && value.is_null() && !is_required(schema, key);
                    left_out || self.fits(value, property, depth + 1)
                }
                None => !is_closed,
            })
    }
}

fn property<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(key)
}

fn is_required(schema: &Value, key: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == key))
}

/// An object's members, in their order.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push((key, value));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Members)
    }
}
