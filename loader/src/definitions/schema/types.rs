//! One schema, one type.

use serde_json::{Value, json};

use super::keywords::{OF_ARRAYS, OF_OBJECTS, TYPES, bears_on, is_annotation, is_of, types_of};
use super::notes::Notes;
use super::{NULLABLE, Nulls, Place, Rewriter, Rewritten, Schema};

impl Rewriter<'_> {
    /// Gives a schema that speaks of properties or items the type that it means.
    pub(super) fn infer_type(&mut self, schema: &mut Schema) {
        if schema.contains_key("type") || schema.contains_key("enum") || schema.contains_key("const") {
            return;
        }
        let speaks_of = |keys: &[&str]| keys.iter().any(|key| schema.contains_key(*key));
        let kind = match (speaks_of(OF_OBJECTS), speaks_of(OF_ARRAYS)) {
            (true, false) => "object",
            (false, true) => "array",
            _ => return,
        };
        schema.insert("type".to_owned(), kind.into());
        self.change("a missing `type` is added");
    }

    /// Makes a list of types one type, or one variant for each.
    pub(super) fn one_type(&mut self, schema: &mut Schema, place: Place, notes: &mut Notes) -> Rewritten<()> {
        let Some(kind) = schema.get("type") else { return Ok(()) };
        let mut types: Vec<String> = types_of(kind).into_iter().map(str::to_owned).collect();
        types.sort();
        types.dedup();
        let unknown = types.iter().find(|kind| !TYPES.contains(&kind.as_str())).cloned();
        if let Some(unknown) = unknown {
            return self
                .at(["type"], |this| Err(this.fault(format!("`{unknown}` is no type of JSON Schema"))));
        }
        if types.is_empty() {
            return self.at(["type"], |this| Err(this.fault("a type of JSON Schema is expected")));
        }
        if kind.is_string() {
            return Ok(());
        }
        self.change("a list of types is collapsed");
        if types.iter().any(|kind| kind == "number") {
            types.retain(|kind| kind != "integer");
        }
        if types.len() > 1 && types.iter().any(|kind| kind == "null") {
            let values = schema.get("enum").and_then(Value::as_array);
            let only = schema.get("const");
            if only.is_some_and(Value::is_null) || values.is_some_and(|all| all.iter().all(Value::is_null)) {
                schema.insert("type".to_owned(), json!("null"));
                return Ok(());
            }
            let fits = only.is_none() && values.is_none_or(|all| all.iter().any(Value::is_null));
            types.retain(|kind| kind != "null");
            schema.insert("type".to_owned(), json!(types));
            if fits {
                self.collapse_null(schema, place, notes);
            } else if schema.get("default").is_some_and(Value::is_null) {
                schema.remove("default");
            }
        }
        self.spread(schema, types);
        Ok(())
    }

    /// Says that `null` fits too, where that is not the same as leaving it out.
    pub(super) fn collapse_null(&mut self, schema: &mut Schema, place: Place, notes: &mut Notes) {
        if let Some(Value::Array(values)) = schema.get_mut("enum")
            && values.iter().any(|value| !value.is_null())
        {
            values.retain(|value| !value.is_null());
        }
        if schema.get("default").is_some_and(Value::is_null) {
            schema.remove("default");
        }
        self.tell_null(schema, place, notes);
        self.change("`null` is no longer a variant");
    }

    /// Says that `null` fits, as a mark or in words.
    pub(super) fn tell_null(&self, schema: &mut Schema, place: Place, notes: &mut Notes) {
        match self.nulls {
            Nulls::Mark => _ = schema.insert(NULLABLE.to_owned(), json!(true)),
            Nulls::Collapse if place == Place::Optional => {}
            Nulls::Collapse => notes.say("May be null.".to_owned()),
        }
    }

    fn spread(&mut self, schema: &mut Schema, types: Vec<String>) {
        if let [one] = types.as_slice() {
            schema.insert("type".to_owned(), one.as_str().into());
            return;
        }
        let names: Vec<&str> = types.iter().map(String::as_str).collect();
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| is_of(value, &names));
            schema.remove("type");
            return;
        }
        if schema.contains_key("const") {
            schema.remove("type");
            return;
        }
        if schema.contains_key("anyOf") || schema.contains_key("oneOf") {
            // The variants are given the types when they are rewritten.
            schema.insert("type".to_owned(), json!(types));
            return;
        }
        schema.remove("type");
        let (annotations, rules): (Schema, Schema) =
            std::mem::take(schema).into_iter().partition(|(key, _)| is_annotation(key));
        let variants = types.iter().map(|kind| {
            let own = rules.iter().filter(|(key, _)| bears_on(key, kind));
            let mut variant: Schema = own.map(|(key, value)| (key.clone(), value.clone())).collect();
            variant.insert("type".to_owned(), kind.as_str().into());
            Value::Object(variant)
        });
        *schema = annotations;
        schema.insert("anyOf".to_owned(), variants.collect());
    }

    /// Drops values that the type excludes. False if no value is left.
    pub(super) fn values(&mut self, schema: &mut Schema) -> Rewritten<bool> {
        let types: Vec<String> =
            schema.get("type").map(types_of).unwrap_or_default().into_iter().map(str::to_owned).collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        let fits = |value: &Value| types.is_empty() || is_of(value, &types);
        match schema.get_mut("enum") {
            None => {}
            Some(Value::Array(values)) => {
                values.retain(fits);
                if values.is_empty() {
                    return Ok(false);
                }
            }
            Some(_) => return self.at(["enum"], |this| Err(this.fault("a list of values is expected"))),
        }
        if schema.get("default").is_some_and(|default| default.is_null() && !fits(default)) {
            schema.remove("default");
        }
        Ok(schema.get("const").is_none_or(fits))
    }
}
