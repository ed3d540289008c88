//! `anyOf` and `oneOf`.

mod exclusive;
mod forms;

use serde_json::{Value, json};

use super::flatten::{is_null, merged};
use super::keywords::{is_annotation, types_of};
use super::merge::distinct;
use super::notes::Notes;
use super::{Place, Rewriter, Rewritten, Schema};

/// What came of a schema's union.
pub(super) enum Union {
    /// It has none, or none any more: its own keywords are still to be rewritten.
    None,
    /// No variant can fit.
    Nothing,
    /// It is rewritten, and the schema has nothing else.
    Written,
}

impl Rewriter<'_> {
    /// Rewrites a schema's union. Beside `properties`, and at the root, the variants are folded into the schema and
    /// told in words; elsewhere they stay, as `anyOf`.
    pub(super) fn unions(
        &mut self,
        schema: &mut Schema,
        place: Place,
        notes: &mut Notes,
    ) -> Rewritten<Union> {
        let (kind, variants) = match (self.list(schema, "anyOf")?, self.list(schema, "oneOf")?) {
            (None, None) => return Ok(Union::None),
            (Some(any), one) => {
                if let Some(one) = one {
                    notes.condition("oneOf", one.into());
                }
                ("anyOf", any)
            }
            (None, Some(one)) => ("oneOf", one),
        };
        let is_object = schema.get("type").is_some_and(|kind| types_of(kind) == ["object"]);
        if place == Place::Root || is_object && schema.contains_key("properties") {
            return self.fold(schema, kind, variants, notes);
        }
        let (mut annotations, rules): (Schema, Schema) =
            std::mem::take(schema).into_iter().partition(|(key, _)| is_annotation(key));
        let rules = Value::Object(rules);
        self.charge_times(super::size::size(&rules), variants.len())?;
        let mut written = Vec::new();
        for (index, variant) in variants.into_iter().enumerate() {
            let whole = if self.says_already(&variant, &rules) {
                variant
            } else {
                json!({ "allOf": [rules, variant] })
            };
            written.extend(self.at([kind, &index.to_string()], |this| this.schema(whole, Place::Elsewhere))?);
        }
        let (mut nulls, others): (Vec<Value>, Vec<Value>) = distinct(written).into_iter().partition(is_null);
        nulls.truncate(1);
        let nulls_go = !nulls.is_empty() && !others.is_empty();
        let mut written = if nulls_go || nulls.is_empty() { others } else { nulls };
        if nulls_go {
            self.collapse_null(&mut annotations, place, notes);
        }
        if kind == "oneOf" {
            self.change("`oneOf` becomes `anyOf`");
            if !exclusive::all(&written) {
                notes.say("Exactly one of these forms may fit.".to_owned());
            }
        }
        if written.is_empty() {
            return Ok(Union::Nothing);
        }
        let only = if written.len() == 1 { written.pop() } else { None };
        match only {
            None => _ = annotations.insert("anyOf".to_owned(), written.into()),
            Some(Value::Object(only)) if !only.contains_key("$ref") => {
                let Some(both) = merged(annotations, only, notes) else { return Ok(Union::Nothing) };
                annotations = both;
            }
            Some(reference) => _ = annotations.insert("anyOf".to_owned(), json!([reference])),
        }
        *schema = annotations;
        Ok(Union::Written)
    }

    /// Whether a variant has the rules that stand around the union.
    fn says_already(&self, variant: &Value, rules: &Value) -> bool {
        let Some(rules) = rules.as_object() else { return true };
        let target = variant.get("$ref").and_then(Value::as_str).and_then(|text| self.refs.target(text));
        let meant = target.map_or(variant, |target| target.schema);
        rules.iter().all(|(key, value)| key == "type" && meant.get("type") == Some(value))
    }
}
