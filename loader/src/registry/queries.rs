//! What one can ask of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Registry, Snapshot};
use crate::availability::{Availability, AvailabilityPass};
use crate::source::SourceKind;
use crate::tool::{JsonText, MaxResultSize, ToolEntry};
use crate::toolsets::{Members, Named, Toolset};

/// How many characters of a result reach a model, unless the tool says less.
pub const DEFAULT_MAX_RESULT_CHARS: u64 = 100_000;
/// The same for a tool of an MCP server.
pub const MCP_MAX_RESULT_CHARS: u64 = 50_000;
/// The picture of a tool that has none.
pub const DEFAULT_EMOJI: &str = "⚡";

/// What the tools of a toolset need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirements {
    /// The tools, sorted by name.
    pub tools: Vec<String>,
    /// Environment variables that any of them needs, sorted; `A|B` means either.
    pub env: Vec<String>,
    /// Those that have a check, sorted by name.
    pub checked: Vec<String>,
}

impl Snapshot {
    /// The JSON Schema of a tool's arguments.
    pub fn schema(&self, tool: &str) -> Option<&JsonText> {
        self.get(tool).map(|entry| &entry.description.schema)
    }

    /// The toolset that a tool is registered under.
    pub fn toolset_of(&self, tool: &str) -> Option<&str> {
        self.get(tool).map(|entry| entry.toolset())
    }

    /// A tool's picture; ⚡ if it has none, or is not there.
    pub fn emoji(&self, tool: &str) -> &str {
        let own = self.get(tool).and_then(|entry| entry.description.emoji.as_deref());
        own.filter(|emoji| !emoji.is_empty()).unwrap_or(DEFAULT_EMOJI)
    }

    /// How large a result of the tool may be.
    pub fn max_result_size(&self, tool: &str) -> Option<MaxResultSize> {
        self.get(tool).map(|entry| entry.max_result_size())
    }

    /// Every tool's name, and the toolset that it is registered under.
    pub fn tool_toolsets(&self) -> BTreeMap<&str, &str> {
        self.tools().iter().map(|entry| (entry.name(), entry.toolset())).collect()
    }

    /// The names of the toolsets, sorted: those that are defined, and those that tools are registered under.
    pub fn toolsets(&self) -> Vec<&str> {
        let defined = self.toolset_table().defined().map(|(name, _)| name);
        let all: BTreeSet<&str> = defined.chain(self.registered().keys().map(String::as_str)).collect();
        all.into_iter().collect()
    }

    /// The definition of a toolset, if it has one.
    pub fn toolset(&self, name: &str) -> Option<&Toolset> {
        self.toolset_table().definition(name)
    }

    /// The aliases, sorted, and what each stands for.
    pub fn toolset_aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        self.toolset_table().aliases()
    }

    /// The tools that a toolset, an alias, `all` or `*` stands for, sorted by name; nothing if it stands for nothing.
    pub fn tools_in(&self, toolset: &str) -> Option<Vec<&Arc<ToolEntry>>> {
        let members = Members::of(self, Named::of(self, toolset)?);
        Some(members.present.into_iter().map(|at| self.at(at)).collect())
    }

    /// What the tools of each toolset need, sorted by toolset.
    pub fn requirements(&self) -> BTreeMap<&str, Requirements> {
        self.toolsets().into_iter().map(|toolset| (toolset, self.requirements_of(toolset))).collect()
    }

    fn requirements_of(&self, toolset: &str) -> Requirements {
        let tools = self.tools_in(toolset).unwrap_or_default();
        let env: BTreeSet<&String> = tools.iter().flat_map(|entry| &entry.description.requires_env).collect();
        let checked = tools.iter().filter(|entry| entry.has_check());
        Requirements {
            env: env.into_iter().cloned().collect(),
            checked: checked.map(|entry| entry.name().to_owned()).collect(),
            tools: tools.iter().map(|entry| entry.name().to_owned()).collect(),
        }
    }
}

impl ToolEntry {
    /// How large a result may be: what the tool says, but at most the default.
    pub fn max_result_size(&self) -> MaxResultSize {
        let default = match self.source.id.kind {
            SourceKind::Mcp => MCP_MAX_RESULT_CHARS,
            SourceKind::Builtin | SourceKind::Plugin => DEFAULT_MAX_RESULT_CHARS,
        };
        match self.description.max_result_size_chars {
            Some(MaxResultSize::Unlimited) => MaxResultSize::Unlimited,
            Some(MaxResultSize::Chars(own)) => MaxResultSize::Chars(own.min(default)),
            None => MaxResultSize::Chars(default),
        }
    }

    /// Whether it has a check, its own or one that it shares.
    pub fn has_check(&self) -> bool {
        self.gate.check.is_some()
    }
}

/// Whether tools can be used.
impl Registry {
    /// Asks whether each of these tools can be used now: their environment, and their checks where no answer holds
    /// any more. Checks run side by side, each once, and a slow one is given up after 5 s; no lock is held meanwhile.
    ///
    /// What is shown to a model and what is shown to people both come from here.
    pub fn availability<'a>(&self, tools: impl IntoIterator<Item = &'a Arc<ToolEntry>>) -> AvailabilityPass {
        self.0.monitor.pass(tools.into_iter().map(|entry| &**entry))
    }

    /// What is known of a tool's availability. Never asks a check, and never waits.
    pub fn known_availability(&self, tool: &ToolEntry) -> Availability {
        self.0.monitor.view(tool)
    }

    /// A number that changes whenever a tool is found to be available that was not, or the other way round.
    pub fn availability_epoch(&self) -> u64 {
        self.0.monitor.epoch()
    }

    /// Drops every answer of a check: the next one to ask asks anew.
    pub fn invalidate_availability(&self) {
        self.0.monitor.invalidate();
    }

    /// What time it is for the table.
    pub fn now(&self) -> std::time::Instant {
        self.0.monitor.clock().now()
    }

    /// Whether one of the toolset's tools can be used now; nothing if there is no such toolset.
    pub fn toolset_available(&self, toolset: &str) -> Option<bool> {
        let snapshot = self.snapshot();
        let tools = snapshot.tools_in(toolset)?;
        Some(self.availability(tools).verdicts.iter().any(Availability::is_available))
    }

    /// For every toolset, whether one of its tools can be used now.
    pub fn toolset_availability(&self) -> BTreeMap<String, bool> {
        let snapshot = self.snapshot();
        let pass = self.availability(snapshot.tools());
        let available = |at: usize| pass.verdicts[at].is_available();
        let toolsets = snapshot.toolsets().into_iter();
        toolsets
            .map(|toolset| {
                let members = Members::of(&snapshot, Named::Toolset(toolset));
                (toolset.to_owned(), members.present.into_iter().any(available))
            })
            .collect()
    }
}
