//! Calls, as a model asks for them.

pub(super) mod back;
mod frames;
pub(super) mod literal;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use back::Guide;
use frames::Frames;

use super::profile::Provider;
use super::{Definitions, anthropic, gemini, mcp, openai, responses};

/// A call that a model asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The provider's id of the call; empty if it gave none.
    pub id: String,
    /// The tool's name, as the model wrote it.
    pub name: String,
    /// The arguments, as the text that [`call_inline`](crate::Session::call_inline) takes: a JSON object, if the
    /// model wrote one.
    pub arguments: String,
}

impl ToolCall {
    /// A call.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// Why calls could not be read from a provider's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// It is not what the provider sends; the text says where.
    Unreadable(String),
    /// The provider sent an error instead; its own JSON.
    Provider(String),
    /// The stream ended in the middle. The names of the calls that had begun; none of them is to be made.
    Cut(Vec<String>),
    /// One event, or one call, is larger than anything that could be called.
    TooLarge,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Unreadable(why) => write!(f, "the provider's answer cannot be read: {why}"),
            AnswerError::Provider(error) => write!(f, "the provider answered with an error: {error}"),
            AnswerError::Cut(names) if names.is_empty() => f.write_str("the provider's answer was cut off"),
            AnswerError::Cut(names) => {
                let names: Vec<String> =
                    names.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
                write!(f, "the provider's answer was cut off in the call of {}", names.join(", "))
            }
            AnswerError::TooLarge => {
                write!(f, "the provider's answer has a part of more than {MAX_BYTES} bytes")
            }
        }
    }
}

impl std::error::Error for AnswerError {}

/// How large an event, or a call's arguments, may be.
pub(super) const MAX_BYTES: usize = 64 << 20;

impl From<serde_json::Error> for AnswerError {
    fn from(error: serde_json::Error) -> Self {
        AnswerError::Unreadable(error.to_string())
    }
}

/// The tools that were shown, and for those that were shown otherwise than they are, how to get from the arguments
/// that a model wrote to those that the tool takes.
pub(super) type Guides = BTreeMap<String, Option<Guide>>;

impl Definitions {
    /// The calls in a provider's complete answer: the JSON text of its response's body, or of the message or the
    /// list of items in it. Keys that were renamed for the provider have their own names again, and the `null`s
    /// that only its strict mode wanted are gone.
    ///
    /// Of several choices the first counts. Arguments that are no JSON are handed on as they are: dispatch answers
    /// them with what is wrong.
    ///
    /// ```
    /// use toolrack::{Provider, Registry, Selection};
    ///
    /// let definitions = Registry::new().session(&Selection::all()).definitions(Provider::Anthropic);
    /// let answer = r#"{"content":[{"type":"tool_use","id":"t1","name":"ping","input":{"n":1}}]}"#;
    /// let calls = definitions.parse_calls(answer)?;
    /// assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("ping", r#"{"n":1}"#));
    /// # Ok::<(), toolrack::AnswerError>(())
    /// ```
    ///
    /// # Errors
    /// If it is no answer of this provider, or an error of it.
    pub fn parse_calls(&self, answer: &str) -> Result<Vec<ToolCall>, AnswerError> {
        let calls = match self.provider {
            Provider::OpenAi => openai::calls(answer),
            Provider::Responses => responses::calls(answer),
            Provider::Anthropic => anthropic::calls(answer),
            Provider::Gemini => gemini::calls(answer),
            Provider::Mcp => mcp::calls(answer),
        }?;
        Ok(calls.into_iter().map(|call| restored(&self.guides, call)).collect())
    }

    /// Reads the calls out of a streamed answer.
    pub fn stream(&self) -> CallStream {
        let reader = match self.provider {
            Provider::OpenAi => Reader::OpenAi(openai::Stream::default()),
            Provider::Responses => Reader::Responses(responses::Stream::default()),
            Provider::Anthropic => Reader::Anthropic(anthropic::Stream::default()),
            Provider::Gemini => Reader::Gemini,
            Provider::Mcp => Reader::Mcp,
        };
        CallStream { guides: self.guides.clone(), frames: Frames::default(), reader, ready: Vec::new() }
    }
}

fn restored(guides: &Guides, mut call: ToolCall) -> ToolCall {
    if let Some(arguments) = guide(guides, &call.name).and_then(|guide| guide.back(&call.arguments)) {
        call.arguments = arguments;
    }
    call
}

/// The guide of the tool that dispatch takes the name for: exact, else without `functions.`, else whatever its case
/// and its dashes, if that is one tool.
fn guide<'g>(guides: &'g Guides, name: &str) -> Option<&'g Guide> {
    let bare = name.strip_prefix("functions.").unwrap_or(name);
    if let Some(known) = guides.get(name).or_else(|| guides.get(bare)) {
        return known.as_ref();
    }
    let folded = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    let wanted = folded(bare);
    let mut same = guides.iter().filter(|(known, _)| folded(known) == wanted);
    match (same.next(), same.next()) {
        (Some((_, known)), None) => known.as_ref(),
        _ => None,
    }
}

/// A streamed answer, read as it comes: server-sent events, or JSON objects one after the other.
///
/// ```
/// use toolrack::{Provider, Registry, Selection};
///
/// let definitions = Registry::new().session(&Selection::all()).definitions(Provider::Gemini);
/// let mut stream = definitions.stream();
/// let body = r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"ping","args":{}}}]}}]}"#;
/// let (head, tail) = body.as_bytes().split_at(40);
/// assert!(stream.feed(head)?.is_empty());
/// stream.feed(tail)?;
/// assert_eq!(stream.finish()?[0].name, "ping");
/// # Ok::<(), toolrack::AnswerError>(())
/// ```
#[derive(Debug)]
pub struct CallStream {
    guides: Arc<Guides>,
    frames: Frames,
    reader: Reader,
    ready: Vec<ToolCall>,
}

#[derive(Debug)]
enum Reader {
    OpenAi(openai::Stream),
    Responses(responses::Stream),
    Anthropic(anthropic::Stream),
    Gemini,
    Mcp,
}

impl CallStream {
    /// Takes the next bytes of the response's body, cut anywhere, and returns the calls that are complete now.
    ///
    /// # Errors
    /// If an event cannot be read, or is an error of the provider. Calls that were complete before it are returned
    /// the next time.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<ToolCall>, AnswerError> {
        let mut events = Vec::new();
        let fed = self.frames.push(bytes, &mut events);
        for event in events {
            self.read(&event)?;
        }
        fed?;
        Ok(std::mem::take(&mut self.ready))
    }

    /// Takes one event whose JSON text a client library has already cut out, instead of [`feed`](Self::feed).
    ///
    /// # Errors
    /// As [`feed`](Self::feed).
    pub fn event(&mut self, json: &str) -> Result<Vec<ToolCall>, AnswerError> {
        self.read(json)?;
        Ok(std::mem::take(&mut self.ready))
    }

    /// Says that nothing more comes, and returns the calls that are complete only by that.
    ///
    /// # Errors
    /// If the stream ended in the middle of a call.
    pub fn finish(mut self) -> Result<Vec<ToolCall>, AnswerError> {
        if let Some(rest) = std::mem::take(&mut self.frames).finish() {
            if serde_json::from_str::<serde::de::IgnoredAny>(&rest).is_err() && rest != DONE {
                return Err(AnswerError::Cut(self.begun()));
            }
            self.read(&rest)?;
        }
        match self.begun() {
            begun if begun.is_empty() => Ok(self.ready),
            begun => Err(AnswerError::Cut(begun)),
        }
    }

    fn read(&mut self, event: &str) -> Result<(), AnswerError> {
        let event = event.trim();
        if event.is_empty() {
            return Ok(());
        }
        let calls = match &mut self.reader {
            Reader::OpenAi(stream) => stream.event(event)?,
            _ if event == DONE => Vec::new(),
            Reader::Responses(stream) => stream.event(event)?,
            Reader::Anthropic(stream) => stream.event(event)?,
            Reader::Gemini => gemini::calls(event)?,
            Reader::Mcp => mcp::calls(event)?,
        };
        self.ready.extend(calls.into_iter().map(|call| restored(&self.guides, call)));
        Ok(())
    }

    fn begun(&self) -> Vec<String> {
        match &self.reader {
            Reader::OpenAi(stream) => stream.begun(),
            Reader::Responses(stream) => stream.begun(),
            Reader::Anthropic(stream) => stream.begun(),
            Reader::Gemini | Reader::Mcp => Vec::new(),
        }
    }
}

/// What OpenAI sends at last.
pub(super) const DONE: &str = "[DONE]";

#[cfg(test)]
mod tests;
