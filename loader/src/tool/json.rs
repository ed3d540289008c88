//! A description as JSON, for people and programs that look at a plugin.

use serde_json::{Map, Value, json};

use super::description::{Description, JsonText, MaxResultSize, Timeout};

impl Description {
    /// Every field, under the name that a plugin writes it with; unsaid is `null`. Keys that are not known here
    /// stand as they came.
    pub fn to_json(&self) -> Value {
        let Value::Object(mut object) = json!({
            "name": self.name,
            "toolset": self.toolset,
            "title": self.title,
            "description": self.description,
            "emoji": self.emoji,
            "schema": value(&self.schema),
            "output_schema": self.output_schema.as_ref().map(value),
            "requires_env": self.requires_env,
            "is_async": self.is_async,
            "check": self.check,
            "check_id": self.check_id,
            "dynamic": self.dynamic,
            "read_only": self.read_only,
            "destructive": self.destructive,
            "idempotent": self.idempotent,
            "open_world": self.open_world,
            "parallel_safe": self.parallel_safe,
            "parallel_key": self.parallel_key,
            "max_concurrent": self.max_concurrent,
            "timeout": self.timeout.as_ref().map(timeout),
            "max_result_size_chars": self.max_result_size_chars.map(max_result_size),
            "override": self.overrides,
        }) else {
            return Value::Null;
        };
        let more: Map<String, Value> =
            self.extra.iter().map(|(key, text)| (key.clone(), value(text))).collect();
        object.extend(more);
        Value::Object(object)
    }
}

/// JSON that is too deep for a value stands as a string.
fn value(text: &JsonText) -> Value {
    serde_json::from_str(text.get()).unwrap_or_else(|_| Value::String(text.get().to_owned()))
}

fn timeout(timeout: &Timeout) -> Value {
    match timeout {
        Timeout::None => json!("none"),
        Timeout::Seconds(seconds) => json!(seconds),
        Timeout::Argument(argument) => json!({ "arg": argument }),
    }
}

fn max_result_size(size: MaxResultSize) -> Value {
    match size {
        MaxResultSize::Chars(chars) => json!(chars),
        MaxResultSize::Unlimited => json!("unlimited"),
    }
}
