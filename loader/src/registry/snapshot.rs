//! The table at one moment. Never changes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::Index;
use crate::diagnosis::Diagnosis;
use crate::source::Source;
use crate::tool::ToolEntry;

/// The table at one moment.
#[derive(Default)]
pub struct Snapshot {
    generation: u64,
    /// Sorted by name.
    visible: Vec<Arc<ToolEntry>>,
    index: Index,
    hidden: Vec<Hidden>,
    missing: BTreeMap<String, Arc<Diagnosis>>,
}

/// A claim that is not visible.
#[derive(Clone, Debug)]
pub struct Hidden {
    /// What was registered.
    pub entry: Arc<ToolEntry>,
    /// The source that the name stands for.
    pub by: Arc<Source>,
}

impl Snapshot {
    pub(super) fn new(
        generation: u64,
        visible: Vec<Arc<ToolEntry>>,
        hidden: Vec<Hidden>,
        missing: BTreeMap<String, Arc<Diagnosis>>,
    ) -> Self {
        let index = Index::new(visible.iter().map(|entry| entry.name()));
        Snapshot { generation, visible, index, hidden, missing }
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
    pub(super) fn at(&self, position: usize) -> &Arc<ToolEntry> {
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
}
