//! The table at one moment. Never changes.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::index::Index;
use crate::diagnosis::Diagnosis;
use crate::source::Source;
use crate::tool::ToolEntry;
use crate::toolsets::Toolsets;

/// The table at one moment.
#[derive(Default)]
pub struct Snapshot {
    generation: u64,
    /// Sorted by name.
    visible: Vec<Arc<ToolEntry>>,
    index: Index,
    hidden: Vec<Hidden>,
    missing: BTreeMap<String, Arc<Diagnosis>>,
    toolsets: Arc<Toolsets>,
    /// The places of the tools that are registered under a toolset's name. Made when it is first asked for.
    registered: OnceLock<BTreeMap<String, Vec<usize>>>,
}

/// A claim that is not visible.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// What was registered.
    pub entry: Arc<ToolEntry>,
    /// The source that the name stands for.
    pub by: Arc<Source>,
    /// How it comes to be hidden.
    pub why: HiddenBy,
}

/// How a claim comes to be hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HiddenBy {
    /// The claim before it is an override, which it may be.
    Override,
    /// Two sources want the name, and nobody decided between them (T6005).
    Conflict,
    /// Two MCP servers have the name, which is no fault.
    Collision,
}

/// What a snapshot is made of.
pub(super) struct Parts {
    pub(super) generation: u64,
    /// Sorted by name.
    pub(super) visible: Vec<Arc<ToolEntry>>,
    pub(super) hidden: Vec<Hidden>,
    pub(super) missing: BTreeMap<String, Arc<Diagnosis>>,
    pub(super) toolsets: Arc<Toolsets>,
}

impl Snapshot {
    pub(super) fn new(parts: Parts) -> Self {
        let Parts { generation, visible, hidden, missing, toolsets } = parts;
        let index = Index::new(visible.iter().map(|entry| entry.name()));
        Snapshot { generation, visible, index, hidden, missing, toolsets, registered: OnceLock::new() }
    }

    /// A table without tools.
    #[cfg(test)]
    pub(crate) fn of_toolsets(toolsets: Toolsets) -> Self {
        Snapshot { toolsets: Arc::new(toolsets), ..Snapshot::default() }
    }

    /// How many changes the table had seen.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.index.get(name).map(|at| &self.visible[at])
    }

    /// Where the tool of that name stands among [`tools`](Self::tools).
    #[inline]
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.index.get(name)
    }

    #[inline]
    pub(crate) fn at(&self, position: usize) -> &Arc<ToolEntry> {
        &self.visible[position]
    }

    /// The tools, sorted by name.
    pub fn tools(&self) -> &[Arc<ToolEntry>] {
        &self.visible
    }

    /// Claims that are not visible, sorted by name.
    pub fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// All that is registered under a name, the visible one first.
    pub fn claims_on<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Arc<ToolEntry>> {
        let first = self.hidden.partition_point(|hidden| hidden.entry.name() < name);
        let hidden = self.hidden[first..].iter().map(|hidden| &hidden.entry);
        self.get(name).into_iter().chain(hidden.take_while(move |entry| entry.name() == name))
    }

    /// The names of the tools, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.visible.iter().map(|entry| entry.name())
    }

    /// Tools that one could expect, sorted by name, and why each is not there.
    pub fn missing_tools(&self) -> impl Iterator<Item = (&str, &Diagnosis)> {
        self.missing.iter().map(|(name, diagnosis)| (name.as_str(), &**diagnosis))
    }

    /// Why a tool that one could expect is not there.
    pub fn missing(&self, name: &str) -> Option<&Diagnosis> {
        self.missing.get(name).map(|diagnosis| &**diagnosis)
    }

    pub(crate) fn toolset_table(&self) -> &Toolsets {
        &self.toolsets
    }

    /// The places of the tools that are registered under this toolset's name, if there are any.
    pub(crate) fn registered_under(&self, toolset: &str) -> Option<&[usize]> {
        self.registered().get(toolset).map(Vec::as_slice)
    }

    pub(crate) fn registered(&self) -> &BTreeMap<String, Vec<usize>> {
        self.registered.get_or_init(|| {
            let mut registered: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (at, entry) in self.visible.iter().enumerate() {
                match registered.get_mut(entry.toolset()) {
                    Some(places) => places.push(at),
                    None => drop(registered.insert(entry.toolset().to_owned(), vec![at])),
                }
            }
            registered
        })
    }
}
