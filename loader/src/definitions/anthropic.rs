//! Anthropic's Messages: `{name,description,input_schema}`, `tool_use`, `tool_result`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::back::Guide;
use super::calls::literal::Literal;
use super::calls::{AnswerError, ToolCall};
use super::profile::Profile;
use super::results::{Part, Parts};
use super::schema::{Nulls, Unusable, keys};
use super::shape::{Shape, plain};
use super::{Definition, to_json};
use crate::answer::Answer;
use crate::tool::Description;

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    input_schema: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    input_examples: Vec<Value>,
}

pub(super) fn definition(tool: &Description, profile: &Profile) -> Result<Definition, Unusable> {
    let mut plain = plain(tool, profile, Nulls::Collapse)?;
    let names = keys::rename(&mut plain);
    let mut shape = Shape::of(tool, plain);
    let guide = Guide::renamed(&shape.parameters, names);
    let input_schema = Value::Object(std::mem::take(&mut shape.parameters));
    let input_examples = examples(tool, &input_schema, &guide, &mut shape.changes);
    let json =
        to_json(&Tool { name: &tool.name, description: &shape.description, input_schema, input_examples })?;
    Ok(Definition { json, changes: shape.changes, guide: guide.has_names().then_some(guide) })
}

/// The tool's examples with the keys that the model is shown. One that does not fit fails the whole request.
fn examples(tool: &Description, shown: &Value, guide: &Guide, changes: &mut Vec<String>) -> Vec<Value> {
    let Some(text) = tool.extra.get("examples") else { return Vec::new() };
    let Ok(all) = serde_json::from_str::<Vec<Value>>(text.get()) else {
        changes.push("the examples are left out: they are no list".to_owned());
        return Vec::new();
    };
    let own = serde_json::from_str(tool.schema.get()).ok();
    let (Some(own), Ok(shown)) =
        (own.and_then(|own: Value| jsonschema::validator_for(&own).ok()), jsonschema::validator_for(shown))
    else {
        changes.push("the examples are left out: the schema cannot check them".to_owned());
        return Vec::new();
    };
    let mut kept = Vec::new();
    for (index, example) in all.into_iter().enumerate() {
        let fits_own = example.is_object() && own.is_valid(&example);
        let example = guide.forward(example);
        if fits_own && shown.is_valid(&example) {
            kept.push(example);
        } else {
            changes.push(format!("example {index} is left out: it does not fit the schema"));
        }
    }
    kept
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
}

impl Block<'_> {
    fn is_call(&self) -> bool {
        self.r#type.as_deref() == Some("tool_use")
    }

    fn call(self) -> ToolCall {
        let input = self.input.map(RawValue::get).unwrap_or_default();
        ToolCall::new(self.id.unwrap_or_default(), self.name.unwrap_or_default(), input)
    }
}

/// The calls in a message, or in its list of blocks.
pub(super) fn calls(answer: &str) -> Result<Vec<ToolCall>, AnswerError> {
    let blocks: Vec<Block<'_>> = if answer.trim_start().starts_with('[') {
        serde_json::from_str(answer)?
    } else {
        let message: Message<'_> = serde_json::from_str(answer)?;
        if let Some(error) = message.error.filter(|_| message.r#type.as_deref() == Some("error")) {
            return Err(AnswerError::Provider(error.get().to_owned()));
        }
        match message.content {
            Some(content) if content.get().starts_with('[') => serde_json::from_str(content.get())?,
            _ => Vec::new(),
        }
    };
    Ok(blocks.into_iter().filter(Block::is_call).map(Block::call).collect())
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    index: Option<u64>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    partial_json: Option<&'a RawValue>,
}

/// A streamed message.
#[derive(Debug, Default)]
pub(super) struct Stream {
    begun: Vec<Begun>,
}

#[derive(Debug)]
struct Begun {
    index: u64,
    call: ToolCall,
    pieces: Literal,
}

impl Stream {
    pub(super) fn event(&mut self, event: &str) -> Result<Vec<ToolCall>, AnswerError> {
        let read: Event<'_> = serde_json::from_str(event)?;
        let index = read.index.unwrap_or(0);
        let at = self.begun.iter().rposition(|call| call.index == index);
        match read.r#type.as_deref() {
            Some("content_block_start") => {
                if let Some(block) = read.content_block.filter(Block::is_call) {
                    self.begun.push(Begun { index, call: block.call(), pieces: Literal::default() });
                }
            }
            Some("content_block_delta") => {
                let piece = read.delta.and_then(|delta| delta.partial_json);
                if let (Some(at), Some(piece)) = (at, piece) {
                    self.begun[at].pieces.push(piece)?;
                }
            }
            Some("content_block_stop") => {
                if let Some(at) = at {
                    let Begun { mut call, pieces, .. } = self.begun.remove(at);
                    if !pieces.is_empty() {
                        call.arguments = pieces.text();
                    }
                    return Ok(vec![call]);
                }
            }
            // The last also stands for a server that does not stream.
            Some("error" | "message") | None => return calls(event),
            Some(_) => {}
        }
        Ok(Vec::new())
    }

    pub(super) fn begun(&self) -> Vec<String> {
        self.begun.iter().map(|begun| begun.call.name.clone()).collect()
    }
}

/// One message of the user with a `tool_result` each, images in it.
pub(super) fn results<'a>(results: impl Iterator<Item = (&'a ToolCall, &'a Answer)>) -> Vec<Value> {
    let block = |(call, answer): (&ToolCall, &Answer)| {
        let parts = Parts::of(answer).with_images(&["image/png", "image/jpeg", "image/gif", "image/webp"]);
        let mut block = Map::new();
        block.insert("type".to_owned(), json!("tool_result"));
        block.insert("tool_use_id".to_owned(), json!(call.id));
        if answer.is_error() {
            block.insert("is_error".to_owned(), json!(true));
        }
        // An empty text is refused; a block without content is not.
        let part = |part: &Part| match part {
            Part::Media { mime, data } => {
                json!({ "type": "image", "source": { "type": "base64", "media_type": mime, "data": data } })
            }
            Part::Text(text) => json!({ "type": "text", "text": text }),
        };
        let content: Vec<Value> = parts.iter().filter(|part| !part.is_empty()).map(part).collect();
        if !content.is_empty() {
            block.insert("content".to_owned(), content.into());
        }
        Value::Object(block)
    };
    let blocks: Vec<Value> = results.map(block).collect();
    if blocks.is_empty() { Vec::new() } else { vec![json!({ "role": "user", "content": blocks })] }
}
