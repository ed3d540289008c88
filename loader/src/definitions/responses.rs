//! OpenAI's Responses: `{type:"function",name,description,parameters,strict}`, `function_call`,
//! `function_call_output`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::literal::{Literal, text_of};
use super::calls::{AnswerError, ToolCall};
use super::openai::MAX_DESCRIPTION_CHARS;
use super::profile::{Profile, Strictness};
use super::results::{Part, Parts};
use super::schema::Unusable;
use super::shape::Shape;
use super::{Definition, to_json};
use crate::answer::Answer;
use crate::tool::Description;

#[derive(Serialize)]
struct Tool<'a> {
    r#type: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'a str,
    parameters: Map<String, Value>,
    /// Always said: left out it means that the schema is to be made strict.
    strict: bool,
}

pub(super) fn definition(tool: &Description, profile: &Profile) -> Result<Definition, Unusable> {
    let mut shape = Shape::openai(tool, profile)?;
    shape.limit_description(MAX_DESCRIPTION_CHARS);
    let json = to_json(&Tool {
        r#type: "function",
        name: &tool.name,
        description: &shape.description,
        parameters: shape.parameters,
        strict: shape.strictness == Strictness::Strict,
    })?;
    Ok(Definition { json, changes: shape.changes, guide: shape.guide })
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<Vec<Item<'a>>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    call_id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

impl Item<'_> {
    fn is_call(&self) -> bool {
        self.r#type.as_deref() == Some("function_call")
    }

    fn call(self) -> Result<ToolCall, AnswerError> {
        let arguments = text_of(self.arguments)?;
        Ok(ToolCall::new(self.call_id.unwrap_or_default(), self.name.unwrap_or_default(), arguments))
    }
}

/// The calls in a response, or in its list of items.
pub(super) fn calls(answer: &str) -> Result<Vec<ToolCall>, AnswerError> {
    let items: Vec<Item<'_>> = if answer.trim_start().starts_with('[') {
        serde_json::from_str(answer)?
    } else {
        let response: Response<'_> = serde_json::from_str(answer)?;
        if let Some(error) = response.error.filter(|error| error.get() != "null") {
            return Err(AnswerError::Provider(error.get().to_owned()));
        }
        response.output.unwrap_or_default()
    };
    items.into_iter().filter(Item::is_call).map(Item::call).collect()
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    output_index: Option<u64>,
    #[serde(borrow)]
    item: Option<Item<'a>>,
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

/// A streamed response.
#[derive(Debug, Default)]
pub(super) struct Stream {
    begun: Vec<Begun>,
    /// The calls that were returned already.
    done: Vec<String>,
}

#[derive(Debug)]
struct Begun {
    index: u64,
    id: String,
    name: String,
    arguments: Literal,
}

impl Stream {
    pub(super) fn event(&mut self, event: &str) -> Result<Vec<ToolCall>, AnswerError> {
        let read: Event<'_> = serde_json::from_str(event)?;
        let index = read.output_index.unwrap_or(0);
        match read.r#type.as_deref() {
            Some("response.output_item.added") => {
                if let Some(item) = read.item.filter(Item::is_call) {
                    let mut arguments = Literal::default();
                    if let Some(head) = item.arguments {
                        arguments.push(head)?;
                    }
                    let (id, name) = (item.call_id.unwrap_or_default(), item.name.unwrap_or_default());
                    self.begun.push(Begun { index, id, name, arguments });
                }
            }
            Some("response.function_call_arguments.delta") => {
                let call = self.begun.iter_mut().rfind(|call| call.index == index);
                if let (Some(call), Some(delta)) = (call, read.delta) {
                    call.arguments.push(delta)?;
                }
            }
            Some("response.output_item.done") => {
                let Some(item) = read.item.filter(Item::is_call) else { return Ok(Vec::new()) };
                let begun = self.begun.iter().rposition(|call| call.index == index);
                let pieces = begun.map(|at| self.begun.remove(at).arguments).unwrap_or_default();
                let mut call = item.call()?;
                if call.arguments.is_empty() && !pieces.is_empty() {
                    call.arguments = pieces.text();
                }
                self.done.push(call.id.clone());
                return Ok(vec![call]);
            }
            Some("response.completed") => return self.end(read.response),
            Some("response.failed" | "error") => return Err(AnswerError::Provider(event.to_owned())),
            Some(_) => {}
            // A server that does not stream.
            None => return calls(event),
        }
        Ok(Vec::new())
    }

    pub(super) fn begun(&self) -> Vec<String> {
        self.begun.iter().map(|call| call.name.clone()).collect()
    }

    /// What was not returned one by one.
    fn end(&mut self, response: Option<&RawValue>) -> Result<Vec<ToolCall>, AnswerError> {
        let mut left = response.map(|response| calls(response.get())).transpose()?.unwrap_or_default();
        let begun = std::mem::take(&mut self.begun).into_iter();
        let begun: Vec<ToolCall> =
            begun.map(|call| ToolCall::new(call.id, call.name, call.arguments.text())).collect();
        left.retain(|call| !self.done.contains(&call.id));
        let untold: Vec<ToolCall> =
            begun.into_iter().filter(|call| left.iter().all(|known| known.id != call.id)).collect();
        left.extend(untold);
        Ok(left)
    }
}

/// A `function_call_output` each, images in it.
pub(super) fn results<'a>(results: impl Iterator<Item = (&'a ToolCall, &'a Answer)>) -> Vec<Value> {
    let output = |answer: &Answer| {
        let parts = Parts::of(answer).with_images(&["image/png", "image/jpeg", "image/gif", "image/webp"]);
        if parts.images().next().is_none() {
            return Value::String(parts.text());
        }
        let part = |part: &Part| match part.data_url() {
            Some(url) => json!({ "type": "input_image", "image_url": url }),
            None => json!({ "type": "input_text", "text": part.as_text() }),
        };
        parts.iter().map(part).collect()
    };
    results
        .map(|(call, answer)| {
            json!({ "type": "function_call_output", "call_id": call.id, "output": output(answer) })
        })
        .collect()
}
