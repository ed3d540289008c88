//! Results, as a conversation takes them.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::calls::ToolCall;
use super::profile::Provider;
use super::{anthropic, gemini, mcp, openai, responses};
use crate::answer::{Answer, OutputKind};

impl Provider {
    /// The results of a turn's calls, in the order of the calls, as they are added to the conversation: the text of
    /// a JSON array of messages ([`OpenAi`](Provider::OpenAi), [`Anthropic`](Provider::Anthropic)), items
    /// ([`Responses`](Provider::Responses)), contents ([`Gemini`](Provider::Gemini)) or `tools/call` results
    /// ([`Mcp`](Provider::Mcp)).
    ///
    /// MCP's content blocks are translated. Images stand in the result where the provider takes them there, else
    /// in a message after all results; what it does not take at all is named in words.
    ///
    /// ```
    /// use toolrack::{Call, Provider, Registry, ToolCall};
    ///
    /// let call = ToolCall::new("c1", "pin", "{}");
    /// let answer = Registry::new().call_inline(&call.name, &call.arguments, &Call::new());
    /// let messages = Provider::OpenAi.render_results([(&call, &answer)]);
    /// assert!(messages.starts_with(r#"[{"content":"{\"error\":\"Unknown tool"#), "{messages}");
    /// ```
    pub fn render_results<'a>(self, results: impl IntoIterator<Item = (&'a ToolCall, &'a Answer)>) -> String {
        let results = results.into_iter();
        let added = match self {
            Provider::OpenAi => openai::results(results),
            Provider::Responses => responses::results(results),
            Provider::Anthropic => anthropic::results(results),
            Provider::Gemini => gemini::results(results),
            Provider::Mcp => mcp::results(results),
        };
        Value::Array(added).to_string()
    }
}

/// A result, part by part.
pub(super) struct Parts(Vec<Part>);

pub(super) enum Part {
    Text(String),
    /// Base64, and what it is of.
    Media {
        mime: String,
        data: String,
    },
}

impl Parts {
    pub(super) fn of(answer: &Answer) -> Self {
        let whole = || vec![Part::Text(answer.as_str().to_owned())];
        let parts = match answer.kind {
            OutputKind::Text | OutputKind::Json => whole(),
            OutputKind::Blocks => match serde_json::from_str::<Vec<&RawValue>>(answer.as_str()) {
                Ok(blocks) => blocks.into_iter().map(|block| part(block.get())).collect(),
                Err(_) => whole(),
            },
        };
        Parts(parts)
    }

    /// Without media of other types than these: they are named.
    pub(super) fn with_images(self, types: &[&str]) -> Self {
        let named = |part| match part {
            Part::Media { mime, data } if !types.contains(&mime.as_str()) => {
                Part::Text(format!("[{mime}, about {} bytes, is not shown here]", data.len() / 4 * 3))
            }
            part => part,
        };
        Parts(self.0.into_iter().map(named).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Part> {
        self.0.iter()
    }

    pub(super) fn images(&self) -> impl Iterator<Item = &Part> {
        self.0.iter().filter(|part| matches!(part, Part::Media { .. }))
    }

    /// All its texts.
    pub(super) fn text(&self) -> String {
        let texts: Vec<&str> = self.0.iter().map(Part::as_text).filter(|text| !text.is_empty()).collect();
        texts.join("\n\n")
    }
}

impl Part {
    pub(super) fn as_text(&self) -> &str {
        match self {
            Part::Text(text) => text,
            Part::Media { .. } => "",
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Part::Text(text) if text.trim().is_empty())
    }

    pub(super) fn data_url(&self) -> Option<String> {
        match self {
            Part::Text(_) => None,
            Part::Media { mime, data } => Some(format!("data:{mime};base64,{data}")),
        }
    }
}

/// A content block of MCP.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    r#type: String,
    text: Option<String>,
    data: Option<String>,
    #[serde(alias = "mime_type")]
    mime_type: Option<String>,
    resource: Option<Resource>,
    uri: Option<String>,
    name: Option<String>,
    description: Option<String>,
    /// OpenAI's own block for an image.
    #[serde(rename = "image_url")]
    image_url: Option<ImageUrl>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    uri: Option<String>,
    #[serde(alias = "mime_type")]
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
}

#[derive(Deserialize)]
struct ImageUrl {
    url: String,
}

fn part(block: &str) -> Part {
    let Ok(block) = serde_json::from_str::<Block>(block) else { return Part::Text(block.to_owned()) };
    let mime = block.mime_type;
    match (block.r#type.as_str(), block.text, block.data) {
        ("text", Some(text), _) => Part::Text(text),
        ("image", _, Some(data)) => {
            Part::Media { mime: mime.unwrap_or_else(|| "image/png".to_owned()), data }
        }
        ("audio", _, Some(data)) => {
            Part::Media { mime: mime.unwrap_or_else(|| "audio/wav".to_owned()), data }
        }
        ("image_url", ..) => image_url(block.image_url.map(|image| image.url).unwrap_or_default()),
        ("resource", ..) => match block.resource {
            Some(resource) => self::resource(resource),
            None => Part::Text("[a resource without content]".to_owned()),
        },
        ("resource_link", ..) => {
            let mut text = format!(
                "[{}]({})",
                block.name.as_deref().unwrap_or("resource"),
                block.uri.as_deref().unwrap_or("?")
            );
            if let Some(description) = block.description {
                text.push_str(": ");
                text.push_str(&description);
            }
            Part::Text(text)
        }
        (kind, Some(text), _) => Part::Text(format!("[{kind}] {text}")),
        (kind, ..) => Part::Text(format!("[a block of type `{kind}` is not shown here]")),
    }
}

fn resource(resource: Resource) -> Part {
    let uri = resource.uri.unwrap_or_default();
    match (resource.text, resource.blob, resource.mime_type) {
        (Some(text), ..) if uri.is_empty() => Part::Text(text),
        (Some(text), ..) => Part::Text(format!("{uri}:\n{text}")),
        (None, Some(data), Some(mime)) if mime.starts_with("image/") => Part::Media { mime, data },
        (None, blob, mime) => {
            let mime = mime.unwrap_or_else(|| "data".to_owned());
            let bytes = blob.map_or(0, |blob| blob.len() / 4 * 3);
            Part::Text(format!("[{uri}: {mime}, about {bytes} bytes, is not shown here]"))
        }
    }
}

fn image_url(url: String) -> Part {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match data {
        Some((mime, data)) => Part::Media { mime: mime.to_owned(), data: data.to_owned() },
        None => Part::Text(format!("[image]({url})")),
    }
}

#[cfg(test)]
mod tests;
