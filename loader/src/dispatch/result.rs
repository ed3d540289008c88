//! Results in the forms that handlers are used to.

use serde_json::{Map, Value, json};

use crate::answer::{ErrorType, Failure, Outcome, Output, OutputKind};
use crate::source::SourceKind;
use crate::tool::ToolEntry;

/// The outcome, with two forms understood: `{"_multimodal":true,"content":[…]}` are content blocks, and a built-in's
/// JSON object with an `error` that says something is an error.
pub(super) fn read(tool: &ToolEntry, outcome: Outcome) -> Outcome {
    let output = outcome?;
    if output.kind == OutputKind::Blocks || !output.body.trim_start().starts_with('{') {
        return Ok(output);
    }
    if is_multimodal(&output.body) {
        return blocks(output);
    }
    if tool.source.id.kind == SourceKind::Builtin
        && output.body.contains("\"error\"")
        && let Some(failure) = bare_error(&output.body)
    {
        return Err(failure);
    }
    Ok(output)
}

/// Whether the mark is the first key: everybody who writes it writes it there.
fn is_multimodal(body: &str) -> bool {
    let inside = body.trim_start().strip_prefix('{').unwrap_or_default();
    inside.trim_start().starts_with("\"_multimodal\"")
}

fn blocks(output: Output) -> Outcome {
    let mut object: Map<String, Value> = match serde_json::from_str(&output.body) {
        Ok(object) => object,
        Err(_) => return Ok(output),
    };
    if object.get("_multimodal") != Some(&Value::Bool(true)) {
        return Ok(output);
    }
    let Some(Value::Array(content)) = object.remove("content") else {
        return Err(contract("`content` of a multimodal result must be an array"));
    };
    let blocks: Result<Vec<Value>, Failure> =
        content.into_iter().enumerate().map(|(at, part)| block(at, part)).collect();
    let body = Value::Array(blocks?).to_string();
    Ok(Output { kind: OutputKind::Blocks, body: body.into(), ..output })
}

/// A block as MCP has it. Parts as chat APIs write them are understood, too.
fn block(at: usize, part: Value) -> Result<Value, Failure> {
    match part.get("type").and_then(Value::as_str) {
        Some("text" | "image" | "audio" | "resource" | "resource_link") => Ok(part),
        Some("image_url") => {
            let url =
                part.pointer("/image_url/url").or_else(|| part.get("image_url")).and_then(Value::as_str);
            let data =
                url.and_then(|url| url.strip_prefix("data:")).and_then(|rest| rest.split_once(";base64,"));
            match (data, url) {
                (Some((mime, data)), _) => Ok(json!({"type": "image", "data": data, "mimeType": mime})),
                (None, Some(url)) => Ok(json!({"type": "resource_link", "uri": url, "name": "image"})),
                (None, None) => Err(contract(&format!("`content[{at}]` has no `image_url.url`"))),
            }
        }
        _ if part.is_string() => Ok(json!({"type": "text", "text": part})),
        _ => Err(contract(&format!("`content[{at}]` is of no known type"))),
    }
}

fn contract(message: &str) -> Failure {
    Failure::new(ErrorType::ToolResultContract, message)
}

/// What a handler says that gives back `{"error":TEXT}` where it should fail.
fn bare_error(body: &str) -> Option<Failure> {
    let mut object: Map<String, Value> = serde_json::from_str(body).ok()?;
    let error = object.remove("error").filter(is_truthy)?;
    let message = match error {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let named = object.get("error_type").and_then(Value::as_str).and_then(ErrorType::from_name);
    if named.is_some() {
        object.remove("error_type");
    }
    let mut failure = Failure::new(named.unwrap_or(ErrorType::Failed), message);
    failure.extra = object;
    Some(failure)
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(said) => *said,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
    }
}
