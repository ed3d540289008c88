//! A schema without `$ref`, `allOf` and unions of one.

use serde_json::{Value, json};

use super::keywords::{is_annotation, types_of};
use super::merge::both;
use super::notes::Notes;
use super::refs::Target;
use super::{Mode, Rewriter, Rewritten, Schema, without_definitions};

/// What is done with a recursive `$ref` that has nothing to merge with beside it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Alone {
    MayStay,
    WriteOut,
}

pub(super) enum Flat {
    /// No value fits.
    Nothing,
    /// A `$ref` into `$defs` that stays.
    Reference { name: String, annotations: Schema, nullable: bool },
    /// Keywords that hold together. `nullable`: `null` fitted too, beside them.
    Schema { schema: Schema, nullable: bool },
}

impl<'a> Rewriter<'a> {
    /// Merges whatever holds together into one schema.
    pub(super) fn flatten(&mut self, mut schema: Schema, alone: Alone, notes: &mut Notes) -> Rewritten<Flat> {
        let mut nullable = false;
        loop {
            if let Some(reference) = schema.remove("$ref") {
                let Some(target) = reference.as_str().and_then(|text| self.refs.target(text)) else {
                    notes.say(format!("Refers to {reference}, which its schema does not hold."));
                    self.change("a `$ref` that leads nowhere is gone");
                    continue;
                };
                let is_alone = schema.keys().all(|key| is_annotation(key)) && alone == Alone::MayStay;
                let recursive = self.refs.is_recursive(&target);
                if is_alone && (recursive || self.mode == Mode::Keep) {
                    return Ok(Flat::Reference { name: self.name(target), annotations: schema, nullable });
                }
                if recursive && self.active.contains(&target.id) {
                    notes.say(format!("It also has the form of `{}`.", target.name));
                    continue;
                }
                match self.write_out(schema, &target, recursive, notes)? {
                    Some(merged) => schema = merged,
                    None => return Ok(Flat::Nothing),
                }
            } else if let Some(parts) = self.list(&mut schema, "allOf")? {
                match self.all_of(schema, parts, notes)? {
                    Some(merged) => schema = merged,
                    None => return Ok(Flat::Nothing),
                }
            } else if let Some(only) = self.union_of_one(&mut schema, &mut nullable)? {
                match only {
                    Value::Bool(false) => return Ok(Flat::Nothing),
                    only => schema.insert("allOf".to_owned(), json!([only])),
                };
            } else {
                return Ok(Flat::Schema { schema, nullable });
            }
        }
    }

    fn write_out(
        &mut self,
        schema: Schema,
        target: &Target<'a>,
        recursive: bool,
        notes: &mut Notes,
    ) -> Rewritten<Option<Schema>> {
        self.charge(target.schema)?;
        self.change("a `$ref` is written out");
        if recursive {
            self.active.push(target.id);
        }
        let inner = match target.schema {
            Value::Object(map) => without_definitions(map),
            Value::Bool(true) => Schema::new(),
            Value::Bool(false) => return Ok(None),
            Value::String(text) => self.repaired(text.clone()),
            _ => return Err(self.fault(format!("the `$ref` leads to `{}`, which is no schema", target.name))),
        };
        Ok(merged(schema, inner, notes))
    }

    fn all_of(
        &mut self,
        mut schema: Schema,
        mut parts: Vec<Value>,
        notes: &mut Notes,
    ) -> Rewritten<Option<Schema>> {
        self.change("`allOf` is merged");
        // What has no company stays as it is: it may be a `$ref` that may stay.
        if let (true, [Value::Object(_)]) = (schema.keys().all(|key| is_annotation(key)), parts.as_slice())
            && let Some(Value::Object(part)) = parts.pop()
        {
            return Ok(merged(schema, without_definitions(&part), notes));
        }
        for (index, part) in parts.into_iter().enumerate() {
            let part = match part {
                Value::Object(map) => without_definitions(&map),
                Value::Bool(true) => continue,
                Value::Bool(false) => return Ok(None),
                Value::String(text) => self.repaired(text),
                _ => {
                    return self
                        .at(["allOf", &index.to_string()], |this| Err(this.fault("a schema is expected")));
                }
            };
            let flat =
                self.at(["allOf", &index.to_string()], |this| this.flatten(part, Alone::WriteOut, notes))?;
            let Flat::Schema { schema: part, .. } = flat else { return Ok(None) };
            match merged(schema, part, notes) {
                Some(both) => schema = both,
                None => return Ok(None),
            }
        }
        Ok(Some(schema))
    }

    /// Takes `null` out of the schema's unions. If one variant is left of one, takes it out; `false` if none is.
    fn union_of_one(&mut self, schema: &mut Schema, nullable: &mut bool) -> Rewritten<Option<Value>> {
        for key in ["anyOf", "oneOf"] {
            let Some(variants) = self.list(schema, key)? else { continue };
            let possible: Vec<Value> =
                variants.into_iter().filter(|variant| *variant != json!(false)).collect();
            let (nulls, mut others): (Vec<Value>, Vec<Value>) = possible.into_iter().partition(is_null);
            if others.is_empty() {
                return Ok(Some(if nulls.is_empty() { json!(false) } else { json!({ "type": "null" }) }));
            }
            if !nulls.is_empty() && schema.get("type").is_none_or(|kind| types_of(kind).contains(&"null")) {
                *nullable = true;
            }
            match others.len() {
                1 => return Ok(others.pop()),
                _ => schema.insert(key.to_owned(), others.into()),
            };
        }
        Ok(None)
    }

    /// Takes a list of schemas out.
    pub(super) fn list(&mut self, schema: &mut Schema, key: &str) -> Rewritten<Option<Vec<Value>>> {
        match schema.remove(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => self.at([key], |this| Err(this.fault("a list of schemas is expected"))),
        }
    }

    /// The name that a schema has in `$defs`, given at first use.
    fn name(&mut self, target: Target<'a>) -> String {
        if let Some(name) = self.names.get(&target.id) {
            return name.clone();
        }
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let wanted: String = target.name.chars().take(48).map(legal).collect();
        let mut name = wanted.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.names.insert(target.id, name.clone());
        self.pending.push((name.clone(), target));
        name
    }
}

/// Both schemas as one, what cannot be said noted.
pub(super) fn merged(outer: Schema, inner: Schema, notes: &mut Notes) -> Option<Schema> {
    let mut left = Schema::new();
    let merged = both(outer, inner, &mut left);
    left.remove("format");
    notes.conditions(left);
    merged
}

/// Whether nothing but `null` fits, as far as is plain to see.
pub(super) fn is_null(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return *schema == json!("null") };
    let only = |value: &Value| value.is_null() || *value == json!([null]);
    map.get("type").is_some_and(|kind| *kind == json!("null") || *kind == json!(["null"]))
        || map.get("const").is_some_and(Value::is_null)
        || map.get("enum").is_some_and(only)
}
