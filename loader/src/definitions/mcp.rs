//! The Model Context Protocol: `{name,title,description,inputSchema,outputSchema,annotations}`, `tools/call` and its
//! result.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::literal::text_of;
use super::calls::{AnswerError, ToolCall};
use super::schema::{Unusable, vetted};
use super::text::visible;
use super::{Definition, to_json};
use crate::answer::{Answer, OutputKind};
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
    Ok(Definition { json: to_json(&definition)?, changes, guide: None })
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

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Params<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The call in a `tools/call` request, or in its parameters; those of a list of requests.
pub(super) fn calls(message: &str) -> Result<Vec<ToolCall>, AnswerError> {
    if message.trim_start().starts_with('[') {
        let all: Vec<&RawValue> = serde_json::from_str(message)?;
        let calls: Vec<Vec<ToolCall>> =
            all.into_iter().map(|one| calls(one.get())).collect::<Result<_, _>>()?;
        return Ok(calls.concat());
    }
    let request: Request<'_> = serde_json::from_str(message)?;
    let params = match (request.method.as_deref(), request.params) {
        (Some("tools/call"), Some(params)) => params.get(),
        (None, None) if request.name.is_some() => message,
        _ => return Ok(Vec::new()),
    };
    let params: Params<'_> = serde_json::from_str(params)?;
    let arguments = params.arguments.map(RawValue::get).filter(|arguments| *arguments != "null");
    Ok(vec![ToolCall::new(text_of(request.id)?, params.name.unwrap_or_default(), arguments.unwrap_or("{}"))])
}

/// A `tools/call` result each.
pub(super) fn results<'a>(results: impl Iterator<Item = (&'a ToolCall, &'a Answer)>) -> Vec<Value> {
    results.map(|(_, answer)| result(answer)).collect()
}

fn result(answer: &Answer) -> Value {
    let blocks = match answer.kind {
        OutputKind::Blocks => serde_json::from_str::<Vec<Value>>(answer.as_str()).ok(),
        OutputKind::Text | OutputKind::Json => None,
    };
    let content = blocks.unwrap_or_else(|| vec![json!({ "type": "text", "text": answer.as_str() })]);
    let mut result = Map::from_iter([("content".to_owned(), Value::Array(content))]);
    let object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    if let Some(structured) = answer.structured.as_deref().and_then(object) {
        result.insert("structuredContent".to_owned(), structured.into());
    }
    if answer.is_error() {
        result.insert("isError".to_owned(), json!(true));
    }
    Value::Object(result)
}
