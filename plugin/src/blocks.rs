//! MCP content blocks.

use serde::Serialize;
use serde_json::Value;

/// A result of several parts: texts, pictures, sounds, resources, as MCP's content blocks.
///
/// ```
/// use toolrack_plugin::Blocks;
///
/// let blocks = Blocks::new().text("a red dot").image("image/png", b"...");
/// assert_eq!(blocks.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Blocks(Vec<Block>);

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        text: String,
    },
    #[serde(rename_all = "camelCase")]
    Image {
        data: String,
        mime_type: String,
    },
    #[serde(rename_all = "camelCase")]
    Audio {
        data: String,
        mime_type: String,
    },
    Resource {
        resource: Resource,
    },
    #[serde(rename_all = "camelCase")]
    ResourceLink {
        uri: String,
        name: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        mime_type: String,
    },
    #[serde(untagged)]
    Raw(Value),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    uri: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blob: Option<String>,
}

impl Blocks {
    /// No block.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.push(Block::Text { text: text.into() })
    }

    /// Adds a picture, of a type such as `image/png`.
    #[must_use]
    pub fn image(self, mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        self.push(Block::Image { data: base64(bytes.as_ref()), mime_type: mime_type.into() })
    }

    /// Adds a sound, of a type such as `audio/wav`.
    #[must_use]
    pub fn audio(self, mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        self.push(Block::Audio { data: base64(bytes.as_ref()), mime_type: mime_type.into() })
    }

    /// Adds a resource that is a text. `mime_type` may be empty.
    #[must_use]
    pub fn resource_text(
        self,
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        let resource =
            Resource { uri: uri.into(), mime_type: mime_type.into(), text: Some(text.into()), blob: None };
        self.push(Block::Resource { resource })
    }

    /// Adds a resource of bytes. `mime_type` may be empty.
    #[must_use]
    pub fn resource_bytes(
        self,
        uri: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        let blob = Some(base64(bytes.as_ref()));
        self.push(Block::Resource {
            resource: Resource { uri: uri.into(), mime_type: mime_type.into(), text: None, blob },
        })
    }

    /// Adds a link to a resource. `mime_type` may be empty.
    #[must_use]
    pub fn link(self, uri: impl Into<String>, name: impl Into<String>, mime_type: impl Into<String>) -> Self {
        self.push(Block::ResourceLink { uri: uri.into(), name: name.into(), mime_type: mime_type.into() })
    }

    /// Adds a block as it is, with keys that the other methods do not know (`annotations`, say).
    #[must_use]
    pub fn raw(self, block: Value) -> Self {
        self.push(Block::Raw(block))
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(mut self, block: Block) -> Self {
        self.0.push(block);
        self
    }
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let group = (at(0) << 16) | (at(1) << 8) | at(2);
        for digit in 0..4 {
            let value = (group >> (18 - 6 * digit)) & 63;
            out.push(if digit > chunk.len() { '=' } else { char::from(ALPHABET[value as usize]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_what_the_rfc_says() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn blocks_are_written_as_mcp_has_them() {
        let blocks = Blocks::new()
            .text("t")
            .image("image/png", b"foo")
            .audio("audio/wav", b"f")
            .resource_text("file:///a", "", "x")
            .link("file:///b", "b", "text/plain")
            .raw(serde_json::json!({"type": "later"}));
        assert_eq!(
            serde_json::to_value(&blocks).unwrap(),
            serde_json::json!([
                {"type": "text", "text": "t"},
                {"type": "image", "data": "Zm9v", "mimeType": "image/png"},
                {"type": "audio", "data": "Zg==", "mimeType": "audio/wav"},
                {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}},
                {"type": "resource_link", "uri": "file:///b", "name": "b", "mimeType": "text/plain"},
                {"type": "later"},
            ])
        );
    }
}
