//! Objects: `properties`, and what bears on them.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::merge::distinct;
use super::notes::Notes;
use super::{Place, Rewriter, Rewritten, Schema};

impl Rewriter<'_> {
    /// Says `additionalProperties` for `unevaluatedProperties`: by now the schema has no parts any more.
    pub(super) fn close(&mut self, schema: &mut Schema, notes: &mut Notes) {
        let Some(unevaluated) = schema.remove("unevaluatedProperties") else { return };
        if schema.contains_key("additionalProperties") {
            return;
        }
        if unevaluated.is_boolean() {
            schema.insert("additionalProperties".to_owned(), unevaluated);
        } else {
            notes.condition("unevaluatedProperties", unevaluated);
        }
    }

    /// Rewrites an object's keywords.
    pub(super) fn object(&mut self, schema: &mut Schema, notes: &mut Notes) -> Rewritten<()> {
        let properties = match schema.remove("properties") {
            Some(Value::Object(properties)) => properties,
            Some(_) => return self.at(["properties"], |this| Err(this.fault("a JSON object is expected"))),
            None => {
                self.change("missing `properties` are added");
                Schema::new()
            }
        };
        let mut required = match schema.remove("required") {
            Some(Value::Array(names)) => names.into_iter().filter(Value::is_string).collect(),
            _ => Vec::new(),
        };
        let says_so = |property: &Value| property.get("required") == Some(&json!(true));
        let by_draft_3 = properties.iter().filter(|(_, property)| says_so(property));
        required.extend(by_draft_3.map(|(key, _)| Value::from(key.as_str())));
        let required = distinct(required);
        let needed: HashSet<&str> = required.iter().filter_map(Value::as_str).collect();

        let closed = schema.get("additionalProperties") == Some(&json!(false));
        let mut written = Schema::new();
        let mut forbidden = Vec::new();
        for (key, property) in properties {
            let place = if needed.contains(key.as_str()) { Place::Elsewhere } else { Place::Optional };
            match self.at(["properties", &key], |this| this.schema(property, place))? {
                Some(property) => _ = written.insert(key, property),
                None => forbidden.push(key),
            }
        }
        if !closed && !forbidden.is_empty() {
            notes.say(format!("Must not be given: {}.", named(&forbidden)));
        }
        self.prune_required(schema, &required, &written, closed, notes);
        schema.insert("properties".to_owned(), written.into());
        self.other_keys(schema, notes)
    }

    fn prune_required(
        &mut self,
        schema: &mut Schema,
        required: &[Value],
        properties: &Schema,
        closed: bool,
        notes: &mut Notes,
    ) {
        let exists = |name: &&Value| name.as_str().is_some_and(|name| properties.contains_key(name));
        let (kept, missing): (Vec<&Value>, Vec<&Value>) = required.iter().partition(exists);
        if !missing.is_empty() {
            self.change("`required` names only what exists");
            if !closed {
                let missing: Vec<String> =
                    missing.iter().filter_map(|name| name.as_str()).map(str::to_owned).collect();
                notes.say(format!("Also required: {}.", named(&missing)));
            }
        }
        if !kept.is_empty() {
            schema.insert("required".to_owned(), json!(kept));
        }
    }

    /// `additionalProperties` and `patternProperties`: the latter is told in words.
    fn other_keys(&mut self, schema: &mut Schema, notes: &mut Notes) -> Rewritten<()> {
        if let Some(patterns) = schema.remove("patternProperties")
            && patterns.as_object().is_some_and(|patterns| !patterns.is_empty())
        {
            self.change("`patternProperties` are told in words");
            // Closed but for these keys; it must not forbid them.
            if schema.get("additionalProperties").is_some_and(|others| *others != json!(true)) {
                schema.remove("additionalProperties");
                if let Some((_, only)) =
                    patterns.as_object().filter(|all| all.len() == 1).and_then(|all| all.iter().next())
                {
                    schema.insert("additionalProperties".to_owned(), only.clone());
                }
            }
            notes.condition("patternProperties", patterns);
        }
        match schema.remove("additionalProperties") {
            None => {}
            Some(Value::Bool(others)) => _ = schema.insert("additionalProperties".to_owned(), others.into()),
            Some(others) => {
                let others =
                    self.at(["additionalProperties"], |this| this.schema(others, Place::Elsewhere))?;
                schema.insert("additionalProperties".to_owned(), others.unwrap_or(json!(false)));
            }
        }
        Ok(())
    }
}

/// A few names, and how many there are more.
fn named(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push(format!("{} more", names.len() - SHOWN));
    }
    text.join(", ")
}
