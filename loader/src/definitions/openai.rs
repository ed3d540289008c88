//! OpenAI's Chat Completions: `{type:"function",function:{name,description,parameters}}`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::schema::{Unusable, plain};
use super::text::{split_at_chars, visible};
use super::{Definition, to_json};
use crate::tool::Description;

/// A longer `function.description` fails the whole request.
const MAX_DESCRIPTION_CHARS: usize = 1024;

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Map<String, Value>,
}

pub(super) fn definition(tool: &Description) -> Result<Definition, Unusable> {
    let plain = plain(tool.schema.get())?;
    let mut parameters = plain.schema;
    let mut changes = plain.changes;
    let mut told = visible(&tool.description).trim().to_owned();
    if !plain.notes.is_empty() {
        if !told.is_empty() {
            told.push_str("\n\n");
        }
        told.push_str(&plain.notes.join(" "));
    }
    let (description, rest) = split_at_chars(&told, MAX_DESCRIPTION_CHARS);
    if !rest.is_empty() {
        // There is no such limit on the schema's own description.
        let rest = match parameters.get("description").and_then(Value::as_str) {
            Some(own) => format!("{rest}\n\n{own}"),
            None => rest.to_owned(),
        };
        parameters.insert("description".to_owned(), rest.into());
        changes.push(format!(
            "the description goes on in the schema's: at most {MAX_DESCRIPTION_CHARS} characters are allowed"
        ));
    }
    let function = Function { name: &tool.name, description, parameters };
    Ok(Definition { json: to_json(&Tool { r#type: "function", function })?, changes })
}
