//! Arrays: one schema for all items.

use serde_json::{Value, json};

use super::merge::distinct;
use super::notes::Notes;
use super::{Place, Rewriter, Rewritten, Schema};

impl Rewriter<'_> {
    /// Rewrites an array's keywords. A tuple becomes a list of whatever its places take.
    pub(super) fn array(&mut self, schema: &mut Schema, notes: &mut Notes) -> Rewritten<()> {
        let additional = schema.remove("additionalItems");
        let (places, rest) = match (schema.remove("prefixItems"), schema.remove("items")) {
            (_, Some(Value::Array(places))) => (places, additional),
            (Some(Value::Array(places)), items) => (places, items),
            (_, items) => (Vec::new(), items),
        };
        if rest == Some(json!(false)) {
            let places = places.len();
            let max = schema.get("maxItems").and_then(Value::as_u64);
            if max.is_none_or(|max| max > places as u64) {
                schema.insert("maxItems".to_owned(), json!(places));
            }
        }
        let items = if places.is_empty() {
            if rest.is_none() {
                self.change("missing `items` are added");
            }
            rest.filter(|rest| *rest != json!(false)).unwrap_or_else(|| json!({}))
        } else {
            self.tuple(places, rest, notes)
        };
        let items = self.at(["items"], |this| this.schema(items, Place::Elsewhere))?;
        if items.is_none() {
            schema.insert("maxItems".to_owned(), json!(0));
        }
        schema.insert("items".to_owned(), items.unwrap_or_else(|| json!({})));
        Ok(())
    }

    fn tuple(&mut self, places: Vec<Value>, rest: Option<Value>, notes: &mut Notes) -> Value {
        self.change("a tuple becomes a list");
        let told = Value::Array(places.clone());
        let all = places.into_iter().chain(rest.filter(|rest| *rest != json!(false)));
        let mut kinds = distinct(all.collect());
        if kinds.len() == 1
            && let Some(only) = kinds.pop()
        {
            return only;
        }
        notes.condition("prefixItems", told);
        json!({ "anyOf": kinds })
    }
}
