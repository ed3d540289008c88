//! The manifest: what a plugin says of itself before any of its code runs.

use std::collections::BTreeSet;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::verdict::Finding;
use crate::Code;

/// What a plugin says of itself. Keys that this host does not know are kept in `more`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The plugin's name: the crate's, without `toolrack_`, unless given.
    pub name: String,
    /// The plugin's version.
    #[serde(default)]
    pub version: String,
    /// Who wrote it.
    #[serde(default, deserialize_with = "one_or_several")]
    pub authors: Vec<String>,
    /// What it is for.
    #[serde(default)]
    pub description: Option<String>,
    /// Its licence.
    #[serde(default)]
    pub license: Option<String>,
    /// Its home page.
    #[serde(default)]
    pub homepage: Option<String>,
    /// Where its source is.
    #[serde(default)]
    pub repository: Option<String>,
    /// Its tools.
    pub tools: Vec<ManifestTool>,
    /// All other keys.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// What a manifest says of one tool. The schema is not in it: it only exists at run time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ManifestTool {
    /// The tool's name.
    pub name: String,
    /// The toolset; the plugin's name if there is none.
    #[serde(default)]
    pub toolset: Option<String>,
    /// What it does.
    #[serde(default)]
    pub description: Option<String>,
    /// Flags, and all other keys.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// Authors as a list, or as Cargo hands them to a build: one text with colons between them.
fn one_or_several<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Authors {
        None(()),
        One(String),
        Several(Vec<String>),
    }
    Ok(match Authors::deserialize(deserializer)? {
        Authors::None(()) => Vec::new(),
        Authors::One(text) => {
            text.split(':').filter(|author| !author.is_empty()).map(str::to_owned).collect()
        }
        Authors::Several(list) => list,
    })
}

impl Manifest {
    /// Reads a manifest's text.
    ///
    /// # Errors
    /// `T4008`, with the place, if it is not JSON, lacks a key, or names something that can not be a name.
    pub(super) fn parse(text: &[u8]) -> Result<Self, Finding> {
        let invalid = |reason: String| {
            Finding::new(Code::T4008, reason, "build the plugin again with the current `toolrack-plugin`")
        };
        let manifest: Manifest = serde_json::from_slice(text).map_err(|error| {
            let mut finding = invalid("the manifest does not parse".to_owned());
            finding.detail = Some(error.to_string());
            finding
        })?;
        if !is_plugin_name(&manifest.name) {
            return Err(invalid(format!(
                "the manifest's `name`, {:?}, can not name a plugin",
                manifest.name
            )));
        }
        let mut names = BTreeSet::new();
        for tool in &manifest.tools {
            if !crate::is_valid_name(&tool.name) {
                return Err(invalid(format!(
                    "the manifest lists {:?}, which can not name a tool: a letter, then letters, digits and `_`, 64 at most",
                    tool.name
                )));
            }
            if !names.insert(tool.name.as_str()) {
                return Err(invalid(format!("the manifest lists the tool `{}` twice", tool.name)));
            }
        }
        Ok(manifest)
    }
}

/// A plugin's name is a key of the configuration and part of paths.
fn is_plugin_name(name: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_kept_and_authors_may_be_written_as_cargo_does() {
        let text = br#"{"name":"demo","version":"1.0","authors":"A <a@b>:C","tools":[{"name":"echo","async":true}],"x":1}"#;
        let manifest = Manifest::parse(text).unwrap();
        assert_eq!(manifest.authors, ["A <a@b>", "C"]);
        assert_eq!(manifest.more["x"], 1);
        assert_eq!(manifest.tools[0].more["async"], true);
    }

    #[test]
    fn a_manifest_that_can_not_be_used_says_why() {
        for (text, why) in [
            (&b"{"[..], "does not parse"),
            (b"\xff", "does not parse"),
            (b"[]", "does not parse"),
            (br#"{"name":"x"}"#, "does not parse"),
            (br#"{"name":"","tools":[]}"#, "can not name a plugin"),
            (br#"{"name":"../x","tools":[]}"#, "can not name a plugin"),
            (br#"{"name":"x","tools":[{"name":"a b"}]}"#, "can not name a tool"),
            (br#"{"name":"x","tools":[{"name":"a"},{"name":"a"}]}"#, "twice"),
        ] {
            let finding = Manifest::parse(text).unwrap_err();
            assert_eq!(finding.code, Code::T4008);
            assert!(finding.reason.contains(why), "{}", finding.reason);
        }
    }
}
