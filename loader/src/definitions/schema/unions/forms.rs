//! Variants of an object, folded into one object.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value, json};

use super::Union;
use crate::definitions::schema::flatten::{Alone, Flat};
use crate::definitions::schema::keywords::types_of;
use crate::definitions::schema::merge::distinct;
use crate::definitions::schema::notes::Notes;
use crate::definitions::schema::{Rewriter, Rewritten, Schema, without_definitions};

impl Rewriter<'_> {
    /// Gives `base` the properties of all variants, requires what all of them require, and says which belong
    /// together.
    pub(super) fn fold(
        &mut self,
        base: &mut Schema,
        kind: &str,
        variants: Vec<Value>,
        notes: &mut Notes,
    ) -> Rewritten<Union> {
        self.change("variants of an object are folded into it");
        let mut forms = Vec::new();
        for (index, variant) in variants.into_iter().enumerate() {
            forms.extend(self.at([kind, &index.to_string()], |this| this.form(variant))?);
        }
        if forms.is_empty() {
            return Ok(Union::Nothing);
        }
        let said = told(kind, &forms, base);
        let closed = base.get("additionalProperties") == Some(&json!(false));
        let mut all = match base.remove("properties") {
            Some(Value::Object(all)) => all,
            None => Map::new(),
            Some(_) => return self.at(["properties"], |this| Err(this.fault("a JSON object is expected"))),
        };
        let mut offered: BTreeMap<&String, Vec<Value>> = BTreeMap::new();
        for (name, schema) in forms.iter().flat_map(properties).filter(|(_, schema)| **schema != json!(false))
        {
            offered.entry(name).or_default().push(schema.clone());
        }
        for (name, with) in offered {
            let everywhere = with.len() == forms.len();
            let theirs = either(with);
            match all.get_mut(name) {
                Some(ours) if everywhere && *ours != theirs => {
                    *ours = if is_open(ours) { theirs } else { json!({ "allOf": [ours.take(), theirs] }) };
                }
                None if !closed => _ = all.insert(name.clone(), theirs),
                _ => {}
            }
        }
        base.insert("properties".to_owned(), all.into());
        require_common(base, &forms);
        let is_closed = |form: &Schema| form.get("additionalProperties") == Some(&json!(false));
        if !base.contains_key("additionalProperties") && forms.iter().all(is_closed) {
            base.insert("additionalProperties".to_owned(), json!(false));
        }
        if let Some(said) = said {
            notes.say(said);
        }
        Ok(Union::None)
    }

    /// A variant as one flat schema, if an object can fit it.
    fn form(&mut self, variant: Value) -> Rewritten<Option<Schema>> {
        let variant = match variant {
            Value::Object(map) => without_definitions(&map),
            Value::Bool(true) => Schema::new(),
            Value::Bool(false) => return Ok(None),
            Value::String(text) => self.repaired(text),
            _ => return Err(self.fault("a schema is expected")),
        };
        let mut unsaid = Notes::default();
        let Flat::Schema { mut schema, .. } = self.flatten(variant, Alone::WriteOut, &mut unsaid)? else {
            return Ok(None);
        };
        if !schema.get("type").is_none_or(|kind| types_of(kind).contains(&"object")) {
            return Ok(None);
        }
        if schema.get("properties").is_some_and(|properties| !properties.is_object()) {
            return self.at(["properties"], |this| Err(this.fault("a JSON object is expected")));
        }
        for kind in ["anyOf", "oneOf"] {
            if let Some(variants) = self.list(&mut schema, kind)?
                && let Union::Nothing = self.fold(&mut schema, kind, variants, &mut unsaid)?
            {
                return Ok(None);
            }
        }
        Ok(Some(schema))
    }
}

/// A schema of what fits one of these: an `enum`, if each lists its values and says nothing else.
fn either(schemas: Vec<Value>) -> Value {
    let mut schemas = distinct(schemas);
    if schemas.len() == 1
        && let Some(only) = schemas.pop()
    {
        return only;
    }
    match schemas.iter().map(listed).collect::<Option<Vec<_>>>() {
        Some(lists) => json!({ "enum": distinct(lists.concat()) }),
        None => json!({ "anyOf": schemas }),
    }
}

/// The values of a schema that is nothing but their list.
fn listed(schema: &Value) -> Option<Vec<Value>> {
    let map = schema.as_object()?;
    if !map.keys().all(|key| matches!(key.as_str(), "const" | "enum" | "type")) {
        return None;
    }
    match (map.get("const"), map.get("enum")) {
        (Some(only), None) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

fn is_open(schema: &Value) -> bool {
    *schema == json!(true) || *schema == json!({})
}

fn require_common(base: &mut Schema, forms: &[Schema]) {
    let mut common: HashSet<String> =
        forms.first().into_iter().flat_map(required).map(str::to_owned).collect();
    for form in forms {
        let names: HashSet<&str> = required(form).collect();
        common.retain(|name| names.contains(name.as_str()));
    }
    let mut common: Vec<Value> = common.into_iter().map(Value::from).collect();
    common.sort_by_key(Value::to_string);
    let mut all = match base.remove("required") {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    };
    all.extend(common);
    if !all.is_empty() {
        base.insert("required".to_owned(), distinct(all).into());
    }
}

/// Which properties belong together, in a sentence; nothing if the variants do not differ in them.
fn told(kind: &str, forms: &[Schema], base: &Schema) -> Option<String> {
    const MAX_CHARS: usize = 600;
    let shared: HashSet<&str> = required(base).collect();
    let known: HashSet<&str> = properties(base).map(|(key, _)| key.as_str()).collect();
    let mut texts = Vec::new();
    let mut length = 0;
    for form in forms {
        let text = keys(form, &shared, &known);
        length += text.chars().count() + 4;
        texts.push(text);
        if length > MAX_CHARS {
            return Some(format!(
                "Its properties come in {} forms; which belong together is checked when it is called.",
                forms.len()
            ));
        }
    }
    let texts = distinct(texts.into_iter().map(Value::from).collect());
    let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
    if texts.len() < 2 {
        return None;
    }
    let count = if kind == "oneOf" { "exactly" } else { "at least" };
    Some(format!("Takes {count} one of these forms: {}.", texts.join("; or ")))
}

/// The keys of one form: those it requires, with their value if there is but one, then those it allows.
fn keys(form: &Schema, shared: &HashSet<&str>, known: &HashSet<&str>) -> String {
    let needed: BTreeSet<&str> = required(form).collect();
    let mut parts = Vec::new();
    for name in &needed {
        match property(form, name).and_then(|property| property.get("const")) {
            Some(only) => parts.push(format!("`{name}` = {only}")),
            None if !shared.contains(name) => parts.push(format!("`{name}`")),
            None => {}
        }
    }
    for (name, schema) in properties(form) {
        if !needed.contains(name.as_str()) && !known.contains(name.as_str()) && *schema != json!(false) {
            parts.push(format!("`{name}` (optional)"));
        }
    }
    if parts.is_empty() { "none of these keys".to_owned() } else { parts.join(", ") }
}

fn required(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(name).filter(|schema| **schema != json!(false))
}
