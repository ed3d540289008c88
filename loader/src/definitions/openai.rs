//! OpenAI's Chat Completions: `{type:"function",function:{name,description,parameters}}`, `tool_calls`, tool
//! messages.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::literal::{Literal, text_of};
use super::calls::{AnswerError, DONE, ToolCall};
use super::profile::{Profile, Strictness};
use super::results::{Part, Parts};
use super::schema::Unusable;
use super::shape::Shape;
use super::{Definition, to_json};
use crate::answer::Answer;
use crate::tool::Description;

/// A longer `description` fails the whole request.
pub(super) const MAX_DESCRIPTION_CHARS: usize = 1024;

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
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<bool>,
}

pub(super) fn definition(tool: &Description, profile: &Profile) -> Result<Definition, Unusable> {
    let mut shape = Shape::openai(tool, profile)?;
    shape.limit_description(MAX_DESCRIPTION_CHARS);
    let function = Function {
        name: &tool.name,
        description: &shape.description,
        parameters: shape.parameters,
        strict: (shape.strictness == Strictness::Strict).then_some(true),
    };
    let json = to_json(&Tool { r#type: "function", function })?;
    Ok(Definition { json, changes: shape.changes, guide: shape.guide })
}

#[derive(Deserialize)]
struct Completion<'a> {
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    delta: Option<Message<'a>>,
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'a>>>,
}

#[derive(Deserialize)]
struct Call<'a> {
    index: Option<u64>,
    id: Option<String>,
    #[serde(borrow)]
    function: Option<CalledFunction<'a>>,
}

#[derive(Deserialize)]
struct CalledFunction<'a> {
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// The calls in a completion, or in its message.
pub(super) fn calls(answer: &str) -> Result<Vec<ToolCall>, AnswerError> {
    let completion: Completion<'_> = serde_json::from_str(answer)?;
    if let Some(error) = completion.error.filter(|error| error.get() != "null") {
        return Err(AnswerError::Provider(error.get().to_owned()));
    }
    let message = completion.choices.unwrap_or_default().into_iter().next().and_then(|choice| choice.message);
    let calls = message.and_then(|message| message.tool_calls).or(completion.tool_calls);
    calls.into_iter().flatten().map(whole).collect()
}

fn whole(call: Call<'_>) -> Result<ToolCall, AnswerError> {
    let function = call.function.unwrap_or(CalledFunction { name: None, arguments: None });
    let name = function.name.unwrap_or_default();
    Ok(ToolCall::new(call.id.unwrap_or_default(), name, text_of(function.arguments)?))
}

/// A streamed completion.
#[derive(Debug, Default)]
pub(super) struct Stream {
    begun: Vec<Begun>,
}

#[derive(Debug, Default)]
struct Begun {
    index: u64,
    id: String,
    name: String,
    arguments: Literal,
}

impl Stream {
    pub(super) fn event(&mut self, event: &str) -> Result<Vec<ToolCall>, AnswerError> {
        if event == DONE {
            return Ok(self.end());
        }
        let chunk: Completion<'_> = serde_json::from_str(event)?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            return Err(AnswerError::Provider(error.get().to_owned()));
        }
        let first = chunk.choices.into_iter().flatten().find(|choice| choice.index.unwrap_or(0) == 0);
        let Some(choice) = first else { return Ok(Vec::new()) };
        if let Some(message) = choice.message {
            // A server that does not stream.
            return message.tool_calls.into_iter().flatten().map(whole).collect();
        }
        for call in choice.delta.and_then(|delta| delta.tool_calls).into_iter().flatten() {
            self.piece(call)?;
        }
        Ok(if choice.finish_reason.is_some() { self.end() } else { Vec::new() })
    }

    pub(super) fn begun(&self) -> Vec<String> {
        self.begun.iter().map(|call| call.name.clone()).collect()
    }

    fn piece(&mut self, piece: Call<'_>) -> Result<(), AnswerError> {
        let id = piece.id.unwrap_or_default();
        let known = match piece.index {
            Some(index) => self.begun.iter().rposition(|call| call.index == index),
            None => self.begun.len().checked_sub(1),
        };
        // Some servers number every call 0, or none; then its id tells it from the one before.
        let known =
            known.filter(|at| id.is_empty() || self.begun[*at].id.is_empty() || self.begun[*at].id == id);
        let at = known.unwrap_or_else(|| {
            let index = piece.index.unwrap_or(self.begun.len() as u64);
            self.begun.push(Begun { index, ..Begun::default() });
            self.begun.len() - 1
        });
        let call = &mut self.begun[at];
        if call.id.is_empty() {
            call.id = id;
        }
        if let Some(function) = piece.function {
            if call.name.is_empty() {
                call.name = function.name.unwrap_or_default();
            }
            if let Some(arguments) = function.arguments {
                call.arguments.push(arguments)?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Vec<ToolCall> {
        let mut begun = std::mem::take(&mut self.begun);
        begun.sort_by_key(|call| call.index);
        begun.into_iter().map(|call| ToolCall::new(call.id, call.name, call.arguments.text())).collect()
    }
}

/// A tool message each, then one message of the user with the images: tool messages have none.
pub(super) fn results<'a>(results: impl Iterator<Item = (&'a ToolCall, &'a Answer)>) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut shown = Vec::new();
    for (call, answer) in results {
        let parts = Parts::of(answer).with_images(&["image/png", "image/jpeg", "image/gif", "image/webp"]);
        let mut text = parts.text();
        let images: Vec<&Part> = parts.images().collect();
        if !images.is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str("(What it shows comes in the next message.)");
            shown.push(
                json!({ "type": "text", "text": format!("What `{}` ({}) shows:", call.name, call.id) }),
            );
        }
        shown.extend(
            images
                .iter()
                .filter_map(|image| image.data_url())
                .map(|url| json!({ "type": "image_url", "image_url": { "url": url } })),
        );
        messages.push(json!({ "role": "tool", "tool_call_id": call.id, "content": text }));
    }
    if !shown.is_empty() {
        messages.push(json!({ "role": "user", "content": shown }));
    }
    messages
}
