//! What a model is shown: the tools of a session, as a provider's request wants them.
//!
//! One file a provider. A tool that cannot be shown to one is left out for that one, with the reason; a request never
//! fails for it.

mod mcp;
mod openai;
mod schema;
mod text;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use crate::session::Session;
use crate::tool::{Description, is_valid_name};
use schema::Unusable;

/// Whose form definitions are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// Chat Completions of OpenAI, and of the servers that speak it (llama.cpp, Groq, Fireworks).
    OpenAi,
    /// The Model Context Protocol: the `tools` of a `tools/list` answer.
    Mcp,
}

impl Provider {
    /// All of them.
    pub const ALL: &'static [Provider] = &[Provider::OpenAi, Provider::Mcp];

    /// The name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::Mcp => "mcp",
        }
    }

    fn definition(self, tool: &Description) -> Result<Definition, Unusable> {
        match self {
            Provider::OpenAi => openai::definition(tool),
            Provider::Mcp => mcp::definition(tool),
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text names no provider that definitions can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownProvider;

impl fmt::Display for UnknownProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = Provider::ALL.iter().map(|provider| format!("`{provider}`")).collect();
        write!(f, "not a provider, which is one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownProvider {}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Self, UnknownProvider> {
        Provider::ALL.iter().copied().find(|provider| provider.as_str() == text).ok_or(UnknownProvider)
    }
}

/// The tools of a session in a provider's form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definitions {
    /// What goes into the request's `tools`: a JSON array, sorted by name.
    pub json: String,
    /// How many tools are in it.
    pub count: usize,
    /// The tools that are not, and why.
    pub dropped: Vec<Dropped>,
    /// The tools that are in it otherwise than they came.
    pub rewritten: Vec<Rewritten>,
}

/// A tool that a provider would not take.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Its name.
    pub tool: String,
    /// What is wrong, with the spot in its schema.
    pub reason: String,
}

/// A tool that a provider takes in another form only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rewritten {
    /// Its name.
    pub tool: String,
    /// What was changed, with the spot in its schema; at most about a hundred.
    pub changes: Vec<String>,
}

impl Definitions {
    /// About how many tokens a model reads them as: an estimate, one for four characters. What a model really counts
    /// depends on its tokenizer and on how its provider shows tools to it.
    pub fn estimated_tokens(&self) -> usize {
        self.json.chars().count().div_ceil(4)
    }
}

/// One tool in a provider's form.
struct Definition {
    json: String,
    changes: Vec<String>,
}

impl Session {
    /// The session's tools that can be used now, as `provider` wants them. The same tools always give the same text.
    ///
    /// What cannot be shown is left out, with a warning.
    ///
    /// ```
    /// use toolrack::{Batch, Description, Output, Provider, Registry, Selection, Source};
    ///
    /// let registry = Registry::new();
    /// let ping = Description::new("ping", "net", "Answers", "{}")?;
    /// registry.publish(Batch::new(Source::builtin("app")).tool(ping, |_, _| Ok(Output::text("pong"))))?;
    ///
    /// let definitions = registry.session(&Selection::all()).definitions(Provider::Mcp);
    /// assert_eq!(
    ///     definitions.json,
    ///     r#"[{"name":"ping","description":"Answers","inputSchema":{"type":"object","properties":{}}}]"#
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn definitions(&self, provider: Provider) -> Definitions {
        list(provider, self.available_tools().into_iter().map(|entry| &entry.description))
    }
}

fn list<'a>(provider: Provider, tools: impl Iterator<Item = &'a Description>) -> Definitions {
    let mut tools: Vec<&Description> = tools.collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let mut seen = HashSet::new();
    let mut parts = Vec::with_capacity(tools.len());
    let (mut dropped, mut rewritten) = (Vec::new(), Vec::new());
    for tool in tools {
        let named = if !is_valid_name(&tool.name) {
            Err("no provider takes its name".to_owned())
        } else if !seen.insert(tool.name.as_str()) {
            Err("another tool has its name".to_owned())
        } else {
            Ok(())
        };
        match named.and_then(|()| provider.definition(tool).map_err(|fault| fault.to_string())) {
            Ok(definition) => {
                parts.push(definition.json);
                if !definition.changes.is_empty() {
                    rewritten.push(Rewritten { tool: tool.name.clone(), changes: definition.changes });
                }
            }
            Err(reason) => {
                let name = tool.name.escape_debug();
                log::warn!("tool `{name}` is left out of the definitions for {provider}: {reason}");
                dropped.push(Dropped { tool: tool.name.clone(), reason });
            }
        }
    }
    Definitions { count: parts.len(), json: format!("[{}]", parts.join(",")), dropped, rewritten }
}

fn to_json(definition: &impl serde::Serialize) -> Result<String, Unusable> {
    serde_json::to_string(definition)
        .map_err(|e| Unusable { spot: String::new(), reason: format!("cannot be written as JSON: {e}") })
}

#[cfg(test)]
mod tests;
