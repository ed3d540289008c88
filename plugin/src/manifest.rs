//! The manifest: JSON written at compile time, so that a host reads it from the file without running anything.

use crate::meta::{PluginMeta, ToolMeta};

/// The length of the manifest in bytes.
#[doc(hidden)]
pub const fn length(plugin: &PluginMeta) -> usize {
    // Told at once: to write so much would take the compiler minutes.
    let mut raw = 0;
    let mut at = 0;
    while at < plugin.tools.len() {
        raw += plugin.tools[at].description.len();
        at += 1;
    }
    assert!(raw <= toolrack_abi::MAX_MANIFEST, "the manifest of a plugin is at most 1 MiB");
    let mut out = Writer::<0>::new();
    out.plugin(plugin);
    assert!(out.at <= toolrack_abi::MAX_MANIFEST, "the manifest of a plugin is at most 1 MiB");
    out.at
}

/// The manifest's text. `N` is its [`length`].
#[doc(hidden)]
pub const fn write<const N: usize>(plugin: &PluginMeta) -> [u8; N] {
    let mut out = Writer::<N>::new();
    out.plugin(plugin);
    out.bytes
}

/// Refuses, at compile time, a plugin that no host could name.
#[doc(hidden)]
pub const fn check_plugin(plugin: &PluginMeta) {
    assert!(
        is_name(plugin.name, true),
        "the plugin's name must be a letter, then at most 63 letters, digits, `_` or `-`: give it as `name = \"...\"`"
    );
    assert!(!plugin.tools.is_empty(), "a plugin has at least one tool");
}

/// Refuses, at compile time, a tool that no host could register.
#[doc(hidden)]
pub const fn check_tool(tool: &ToolMeta) {
    assert!(
        is_name(tool.name, false),
        "the tool's name must be a letter, then at most 63 letters, digits or underscores"
    );
    assert!(!is_blank(tool.description), "the tool has no description");
}

/// Refuses, at compile time, a tool whose name an earlier one of the plugin has.
#[doc(hidden)]
pub const fn check_unique(tools: &[ToolMeta], index: usize) {
    let mut earlier = 0;
    while earlier < index {
        assert!(
            !equal(tools[earlier].name.as_bytes(), tools[index].name.as_bytes()),
            "an earlier tool of this plugin has the same name"
        );
        earlier += 1;
    }
}

const fn is_name(name: &str, dash: bool) -> bool {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes.len() > 64 || !bytes[0].is_ascii_alphabetic() {
        return false;
    }
    let mut at = 1;
    while at < bytes.len() {
        let byte = bytes[at];
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || (dash && byte == b'-')) {
            return false;
        }
        at += 1;
    }
    true
}

const fn is_blank(text: &str) -> bool {
    text.as_bytes().trim_ascii().is_empty()
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Writes into `bytes`, or only counts if `N` is 0.
struct Writer<const N: usize> {
    bytes: [u8; N],
    at: usize,
    /// Whether the next key of the object, or item of the list, is its first.
    first: bool,
}

impl<const N: usize> Writer<N> {
    const fn new() -> Self {
        Writer { bytes: [0; N], at: 0, first: true }
    }

    const fn plugin(&mut self, plugin: &PluginMeta) {
        self.open(b"{");
        self.text("name", plugin.name);
        self.text("version", plugin.version);
        self.list("authors", plugin.authors);
        self.text("description", plugin.description);
        self.text("license", plugin.license);
        self.text("homepage", plugin.homepage);
        self.text("repository", plugin.repository);
        self.key("tools");
        self.open(b"[");
        let mut at = 0;
        while at < plugin.tools.len() {
            self.tool(&plugin.tools[at], plugin.name);
            at += 1;
        }
        self.close(b"]");
        self.close(b"}");
    }

    const fn tool(&mut self, tool: &ToolMeta, plugin: &str) {
        self.separate();
        self.open(b"{");
        self.text("name", tool.name);
        self.text("toolset", if tool.toolset.is_empty() { plugin } else { tool.toolset });
        if tool.escaped_description.is_empty() {
            self.text("description", tool.description);
        } else {
            self.key("description");
            self.raw(b"\"");
            self.raw(tool.escaped_description.as_bytes());
            self.raw(b"\"");
        }
        self.text("title", tool.title);
        self.text("emoji", tool.emoji);
        self.flag("is_async", if tool.is_async { Some(true) } else { None });
        self.flag("dynamic", if tool.dynamic { Some(true) } else { None });
        self.flag("check", if tool.check { Some(true) } else { None });
        self.flag("override", if tool.overriding { Some(true) } else { None });
        self.flag("read_only", tool.read_only);
        self.flag("destructive", tool.destructive);
        self.flag("idempotent", tool.idempotent);
        self.flag("open_world", tool.open_world);
        self.flag("parallel_safe", tool.parallel_safe);
        self.close(b"}");
    }

    const fn open(&mut self, bracket: &[u8]) {
        self.raw(bracket);
        self.first = true;
    }

    const fn close(&mut self, bracket: &[u8]) {
        self.raw(bracket);
        self.first = false;
    }

    const fn separate(&mut self) {
        if !self.first {
            self.raw(b",");
        }
        self.first = false;
    }

    const fn key(&mut self, key: &str) {
        self.separate();
        self.quoted(key.as_bytes());
        self.raw(b":");
    }

    /// A key with a text, left out if that is empty.
    const fn text(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            self.key(key);
            self.quoted(value.as_bytes());
        }
    }

    const fn flag(&mut self, key: &str, value: Option<bool>) {
        if let Some(value) = value {
            self.key(key);
            self.raw(if value { b"true" } else { b"false" });
        }
    }

    /// A key with the list of what stands between colons, left out if that is empty.
    const fn list(&mut self, key: &str, values: &str) {
        if values.is_empty() {
            return;
        }
        self.key(key);
        self.open(b"[");
        let mut rest = values.as_bytes();
        loop {
            let mut end = 0;
            while end < rest.len() && rest[end] != b':' {
                end += 1;
            }
            let (item, more) = rest.split_at(end);
            self.separate();
            self.quoted(item);
            match more.split_first() {
                Some((_, more)) => rest = more,
                None => break,
            }
        }
        self.close(b"]");
    }

    /// A JSON string. What needs no escape is copied in runs: the compiler's interpreter is slow.
    const fn quoted(&mut self, text: &[u8]) {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        if N == 0 {
            self.at += quoted_length(text);
            return;
        }
        self.raw(b"\"");
        let mut from = 0;
        let mut at = 0;
        while at < text.len() {
            let byte = text[at];
            if byte < 0x20 || byte == b'"' || byte == b'\\' {
                self.raw(text.split_at(at).0.split_at(from).1);
                match byte {
                    b'"' => self.raw(b"\\\""),
                    b'\\' => self.raw(b"\\\\"),
                    b'\n' => self.raw(b"\\n"),
                    _ => {
                        self.raw(b"\\u00");
                        self.raw(&[HEX[(byte >> 4) as usize], HEX[(byte & 15) as usize]]);
                    }
                }
                from = at + 1;
            }
            at += 1;
        }
        self.raw(text.split_at(from).1);
        self.raw(b"\"");
    }

    const fn raw(&mut self, bytes: &[u8]) {
        if N > 0 {
            self.bytes.split_at_mut(self.at).1.split_at_mut(bytes.len()).0.copy_from_slice(bytes);
        }
        self.at += bytes.len();
    }
}

const fn quoted_length(text: &[u8]) -> usize {
    let mut length = text.len() + 2;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        if byte < 0x20 {
            length += if byte == b'\n' { 1 } else { 5 };
        } else if byte == b'"' || byte == b'\\' {
            length += 1;
        }
        at += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLUGIN: PluginMeta = PluginMeta {
        name: "demo",
        crate_name: "toolrack_demo",
        version: "1.2.3",
        authors: "A <a@example.org>:B",
        description: "",
        license: "MIT",
        homepage: "",
        repository: "",
        tools: &[
            ToolMeta::new("a", "says \"hi\"\n\\ \u{1} 👋").read_only(true),
            ToolMeta::new("b", "x").toolset("other").is_async(true).destructive(false),
        ],
    };

    #[test]
    fn the_manifest_is_the_json_it_should_be() {
        const TEXT: [u8; length(&PLUGIN)] = write(&PLUGIN);
        let value: serde_json::Value = serde_json::from_slice(&TEXT).unwrap();
        assert_eq!(
            value,
            serde_json::json!({
                "name": "demo", "version": "1.2.3", "authors": ["A <a@example.org>", "B"], "license": "MIT",
                "tools": [
                    {"name": "a", "toolset": "demo", "description": "says \"hi\"\n\\ \u{1} 👋", "read_only": true},
                    {"name": "b", "toolset": "other", "description": "x", "is_async": true, "destructive": false},
                ],
            })
        );
    }

    #[test]
    fn names_are_what_every_model_can_use() {
        for good in ["a", "A1_", "read_file"] {
            assert!(is_name(good, false), "{good}");
        }
        for bad in ["", "_a", "1a", "a-b", "a b", "ä", &"a".repeat(65)] {
            assert!(!is_name(bad, false), "{bad}");
        }
        assert!(is_name("a-b", true));
    }
}
