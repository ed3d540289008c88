//! What a schema lost, in words.

use serde_json::{Map, Value};

use super::keywords::{OF_NUMBERS, OF_STRINGS};
use super::merge::joined;

/// What is to be said of one schema.
#[derive(Default)]
pub(super) struct Notes {
    said: Vec<String>,
    /// Keywords that are told as they are.
    conditions: Map<String, Value>,
}

impl Notes {
    pub(super) fn say(&mut self, sentence: String) {
        if !self.said.contains(&sentence) {
            self.said.push(sentence);
        }
    }

    /// A keyword that no longer stands in the schema.
    pub(super) fn condition(&mut self, key: &str, value: Value) {
        self.conditions.entry(key).or_insert(value);
    }

    /// What a schema says of its scalars beside the list of their values.
    pub(super) fn bounds(&mut self, schema: &Map<String, Value>) {
        for key in OF_STRINGS.iter().chain(OF_NUMBERS) {
            if let Some(bound) = schema.get(*key) {
                self.condition(key, bound.clone());
            }
        }
    }

    pub(super) fn conditions(&mut self, conditions: Map<String, Value>) {
        for (key, value) in conditions {
            self.condition(&key, value);
        }
    }

    /// All of it, a sentence each.
    pub(super) fn sentences(self) -> Vec<String> {
        /// Longer conditions are named, not told: a model would not work them out.
        const MAX_CHARS: usize = 400;
        let mut sentences = self.said;
        if !self.conditions.is_empty() {
            let names: Vec<String> = self.conditions.keys().map(|key| format!("`{key}`")).collect();
            let text = Value::Object(self.conditions).to_string();
            sentences.push(if text.chars().count() <= MAX_CHARS {
                format!("It must also fit this JSON Schema: {text}")
            } else {
                format!("Further conditions ({}) are checked when it is called.", names.join(", "))
            });
        }
        sentences
    }

    /// Adds all of it to the schema's `description`.
    pub(super) fn describe(&mut self, schema: &mut Map<String, Value>) {
        let sentences = std::mem::take(self).sentences();
        if sentences.is_empty() {
            return;
        }
        let said = sentences.join(" ");
        let text = match schema.get("description").and_then(Value::as_str) {
            Some(before) if !before.trim().is_empty() => joined(before, &said),
            _ => said,
        };
        schema.insert("description".to_owned(), text.into());
    }
}
