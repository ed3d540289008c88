//! What a model is shown, what it calls, and what it is answered: the tools of a session as a provider's request
//! wants them, and back.
//!
//! One file a provider, both directions. A tool that cannot be shown to one is left out for that one, with the
//! reason; a request never fails for it.

mod anthropic;
mod calls;
mod gemini;
mod index;
mod mcp;
mod memo;
mod openai;
mod profile;
mod responses;
mod results;
mod schema;
mod shape;
mod shown;
mod text;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

pub use calls::{AnswerError, CallStream, ToolCall};
pub(crate) use memo::Memo;
pub use profile::{Profile, Provider, UnknownProvider};

use calls::Guides;
use calls::back::Guide;

use crate::session::Session;
use crate::tool::{Description, is_valid_name};
use schema::Unusable;

/// The tools of a session in a provider's form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Definitions {
    /// Whose form they are in.
    pub provider: Provider,
    /// What goes into the request's `tools`: a JSON array, sorted by name.
    pub json: String,
    /// How many tools are in it.
    pub count: usize,
    /// The tools that are not, and why.
    pub dropped: Vec<Dropped>,
    /// The tools that are in it otherwise than they came.
    pub rewritten: Vec<Rewritten>,
    /// The way back from calls of its tools.
    guides: Arc<Guides>,
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
    /// Only if calls have to be changed back.
    guide: Option<Guide>,
}

impl Session {
    /// The session's tools that can be used now, as `profile` wants them: a [`Provider`], or a [`Profile`] with what is asked for beside
    /// it. The same tools always give the same text, and as long as nothing has changed the same object; tools that
    /// change over time are asked each time.
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
    pub fn definitions(&self, profile: impl Into<Profile>) -> Arc<Definitions> {
        let profile = profile.into();
        let tools = self.available_tools();
        self.memo().get_or_write(profile, &tools, |shown| {
            let current: Vec<Cow<'_, Description>> =
                shown.iter().map(|(entry, overrides)| entry.description_with(overrides)).collect();
            list(&profile, current.iter().map(Cow::as_ref))
        })
    }
}

fn list<'a>(profile: &Profile, tools: impl Iterator<Item = &'a Description>) -> Definitions {
    let mut tools: Vec<&Description> = tools.collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let mut present: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut definitions = written(profile, &tools, &present);
    if !definitions.dropped.is_empty() && tools.iter().any(|tool| shown::has_hints(tool)) {
        // No hint speaks of a tool that is not shown.
        let dropped: HashSet<String> =
            definitions.dropped.iter().map(|dropped| dropped.tool.clone()).collect();
        present.retain(|name| !dropped.contains(*name));
        definitions = written(profile, &tools, &present);
    }
    for Dropped { tool, reason } in &definitions.dropped {
        let (name, provider) = (tool.escape_debug(), profile.provider());
        log::warn!("tool `{name}` is left out of the definitions for {provider}: {reason}");
    }
    definitions
}

fn written(profile: &Profile, tools: &[&Description], present: &BTreeSet<&str>) -> Definitions {
    let mut seen = HashSet::new();
    let mut parts = Vec::with_capacity(tools.len());
    let (mut dropped, mut rewritten, mut guides) = (Vec::new(), Vec::new(), Guides::new());
    for tool in tools {
        let named = if !is_valid_name(&tool.name) {
            Err("no provider takes its name".to_owned())
        } else if !seen.insert(tool.name.as_str()) {
            Err("another tool has its name".to_owned())
        } else {
            Ok(())
        };
        let hinted = shown::with_hints(tool, present);
        match named.and_then(|()| definition(profile, &hinted).map_err(|fault| fault.to_string())) {
            Ok(definition) => {
                parts.push(definition.json);
                if !definition.changes.is_empty() {
                    rewritten.push(Rewritten { tool: tool.name.clone(), changes: definition.changes });
                }
                guides.insert(tool.name.clone(), definition.guide);
            }
            Err(reason) => dropped.push(Dropped { tool: tool.name.clone(), reason }),
        }
    }
    let all = parts.join(",");
    let json = match profile.provider() {
        Provider::Gemini => gemini::list(&all),
        _ => format!("[{all}]"),
    };
    let provider = profile.provider();
    Definitions { provider, json, count: parts.len(), dropped, rewritten, guides: Arc::new(guides) }
}

fn definition(profile: &Profile, tool: &Description) -> Result<Definition, Unusable> {
    match profile.provider() {
        Provider::OpenAi => openai::definition(tool, profile),
        Provider::Responses => responses::definition(tool, profile),
        Provider::Anthropic => anthropic::definition(tool, profile),
        Provider::Gemini => gemini::definition(tool, profile),
        Provider::Mcp => mcp::definition(tool),
    }
}

fn to_json(definition: &impl serde::Serialize) -> Result<String, Unusable> {
    serde_json::to_string(definition)
        .map_err(|e| Unusable { spot: String::new(), reason: format!("cannot be written as JSON: {e}") })
}

#[cfg(test)]
mod tests;
