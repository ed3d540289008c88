//! Gemini: `[{functionDeclarations:[{name,description,parametersJsonSchema}]}]`, `functionCall`,
//! `functionResponse`.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::{AnswerError, ToolCall};
use super::profile::{GeminiSchema, Profile};
use super::results::{Part, Parts};
use super::schema::{Nulls, Schema, Unusable, subset};
use super::shape::{Shape, plain};
use super::{Definition, to_json};
use crate::answer::{Answer, OutputKind};
use crate::tool::Description;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Declaration<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Schema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<Schema>,
}

pub(super) fn definition(tool: &Description, profile: &Profile) -> Result<Definition, Unusable> {
    let mut shape = match profile.gemini {
        GeminiSchema::JsonSchema => Shape::plain(tool, profile)?,
        GeminiSchema::Subset => {
            let mut plain = plain(tool, profile, Nulls::Mark)?;
            let (parameters, lost, changes) = subset::subset(&plain.schema);
            plain.schema = parameters;
            plain.notes.extend(lost);
            plain.changes.extend(changes);
            Shape::of(tool, plain)
        }
    };
    let schema = std::mem::take(&mut shape.parameters);
    let mut declaration = Declaration {
        name: &tool.name,
        description: &shape.description,
        parameters: None,
        parameters_json_schema: None,
    };
    match profile.gemini {
        GeminiSchema::JsonSchema => declaration.parameters_json_schema = Some(schema),
        // A function without parameters has no `parameters`: an object without properties is refused.
        GeminiSchema::Subset if !schema.contains_key("properties") => {}
        GeminiSchema::Subset => declaration.parameters = Some(schema),
    }
    Ok(Definition { json: to_json(&declaration)?, changes: shape.changes, guide: None })
}

/// All declarations are one of the request's `tools`.
pub(super) fn list(declarations: &str) -> String {
    if declarations.is_empty() {
        return "[]".to_owned();
    }
    format!(r#"[{{"functionDeclarations":[{declarations}]}}]"#)
}

#[derive(Deserialize)]
struct Generated<'a> {
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    parts: Option<Vec<Given<'a>>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Option<Vec<Given<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given<'a> {
    #[serde(borrow, alias = "function_call")]
    function_call: Option<Call<'a>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
}

/// The calls in a response, in one part of a streamed one, or in its content. Gemini sends each call whole.
pub(super) fn calls(answer: &str) -> Result<Vec<ToolCall>, AnswerError> {
    if answer.trim_start().starts_with('[') {
        // What a stream sends that was not asked for events.
        let all: Vec<&RawValue> = serde_json::from_str(answer)?;
        let calls: Vec<Vec<ToolCall>> =
            all.into_iter().map(|one| calls(one.get())).collect::<Result<_, _>>()?;
        return Ok(calls.concat());
    }
    let generated: Generated<'_> = serde_json::from_str(answer)?;
    if let Some(error) = generated.error.filter(|error| error.get() != "null") {
        return Err(AnswerError::Provider(error.get().to_owned()));
    }
    let first = generated.candidates.into_iter().flatten().next();
    let parts = first.and_then(|candidate| candidate.content).and_then(|content| content.parts);
    let calls = parts.or(generated.parts).into_iter().flatten().filter_map(|part| part.function_call);
    Ok(calls
        .map(|call| {
            let args = call.args.map(RawValue::get).filter(|args| *args != "null").unwrap_or("{}");
            ToolCall::new(call.id.unwrap_or_default(), call.name.unwrap_or_default(), args)
        })
        .collect())
}

/// One content with a `functionResponse` each; what it shows comes in a content after, which every model takes.
pub(super) fn results<'a>(results: impl Iterator<Item = (&'a ToolCall, &'a Answer)>) -> Vec<Value> {
    let mut responses = Vec::new();
    let mut shown = Vec::new();
    for (call, answer) in results {
        let parts = Parts::of(answer).with_images(&[
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
            "audio/wav",
            "audio/mp3",
            "audio/mpeg",
            "audio/aac",
            "audio/ogg",
            "audio/flac",
        ]);
        let mut media = parts.images().peekable();
        let mut text = parts.text();
        if media.peek().is_some() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str("(What it shows comes after.)");
            shown.push(json!({ "text": format!("What `{}` shows:", call.name) }));
        }
        shown.extend(media.filter_map(|part| match part {
            Part::Media { mime, data } => Some(json!({ "inlineData": { "mimeType": mime, "data": data } })),
            Part::Text(_) => None,
        }));
        let mut response = Map::new();
        if !call.id.is_empty() {
            response.insert("id".to_owned(), json!(call.id));
        }
        response.insert("name".to_owned(), json!(call.name));
        response.insert("response".to_owned(), object(answer, text));
        responses.push(json!({ "functionResponse": response }));
    }
    let mut contents = Vec::new();
    for parts in [responses, shown] {
        if !parts.is_empty() {
            contents.push(json!({ "role": "user", "parts": parts }));
        }
    }
    contents
}

/// A response is an object: `output` or `error` in it.
fn object(answer: &Answer, text: String) -> Value {
    let value = match answer.kind {
        OutputKind::Json => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        OutputKind::Text | OutputKind::Blocks => Value::String(text),
    };
    match value {
        Value::Object(error) if answer.is_error() && error.contains_key("error") => error.into(),
        value if answer.is_error() => json!({ "error": value }),
        value => json!({ "output": value }),
    }
}
