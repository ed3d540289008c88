//! The Model Context Protocol: `{name,title,description,inputSchema,outputSchema,annotations}`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::schema::{Unusable, vetted};
use super::text::visible;
use super::{Definition, to_json};
use crate::tool::{Description, JsonText};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: Cow<'a, str>,
    input_schema: JsonText,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<JsonText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Annotations<'a>>,
}

/// What was said; a client has defaults of its own for what was not.
#[derive(Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

pub(super) fn definition(tool: &Description) -> Result<Definition, Unusable> {
    let mut changes = Vec::new();
    let input_schema = raw(with_type_and_properties(vetted(tool.schema.get())?)?)?;
    let output_schema = match tool.output_schema.as_deref().map(output_schema).transpose() {
        Ok(schema) => schema,
        Err(fault) => {
            // The tool can be called without it, and a client that cannot read it would refuse the whole list.
            log::debug!("tool `{}`: its output schema is left out: {fault}", tool.name);
            changes.push(format!("the output schema is left out: {fault}"));
            None
        }
    };
    let title = tool.title.as_deref().map(visible);
    let annotations = Annotations {
        title: title.clone(),
        read_only_hint: tool.read_only,
        destructive_hint: tool.destructive,
        idempotent_hint: tool.idempotent,
        open_world_hint: tool.open_world,
    };
    let definition = Tool {
        name: &tool.name,
        title,
        description: visible(&tool.description),
        input_schema,
        output_schema,
        annotations: (annotations != Annotations::default()).then_some(annotations),
    };
    Ok(Definition { json: to_json(&definition)?, changes })
}

/// The schema, with what every client looks for at its root: they name no constraint that was not there.
fn with_type_and_properties(schema: String) -> Result<String, Unusable> {
    let keys = root(&schema)?;
    let mut missing = String::new();
    for (key, member) in [("type", r#""type":"object""#), ("properties", r#""properties":{}"#)] {
        if !keys.contains_key(key) {
            missing.push_str(member);
            missing.push(',');
        }
    }
    if keys.is_empty() {
        missing.pop();
    }
    Ok(schema.replacen('{', &format!("{{{missing}"), 1))
}

fn output_schema(schema: &RawValue) -> Result<JsonText, Unusable> {
    let schema = vetted(schema.get())?;
    if root(&schema)?.get("type").is_none_or(|kind| kind.get() != r#""object""#) {
        let reason = "results are described as objects only".to_owned();
        return Err(Unusable { spot: "/type".to_owned(), reason });
    }
    raw(schema)
}

fn root(schema: &str) -> Result<BTreeMap<String, &RawValue>, Unusable> {
    serde_json::from_str(schema).map_err(|e| Unusable {
        spot: String::new(),
        reason: format!("the schema is not a JSON object: {e}"),
    })
}

fn raw(schema: String) -> Result<JsonText, Unusable> {
    RawValue::from_string(schema)
        .map_err(|e| Unusable { spot: String::new(), reason: format!("the schema is not JSON: {e}") })
}
