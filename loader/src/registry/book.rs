//! All claims, and how they become a table.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::Whole;
use super::batch::{Batch, Published};
use super::claim::{Claim, Claimed, rank};
use super::snapshot::{Hidden, Snapshot};
use crate::Code;
use crate::diagnosis::Diagnosis;
use crate::source::{Source, SourceId, SourceKind};
use crate::tool::ToolEntry;

/// What only a writer sees.
#[derive(Default)]
pub(super) struct Book {
    generation: u64,
    /// Every name's claims, the visible one first.
    claims: BTreeMap<Arc<str>, Vec<Claim>>,
    /// Plugins that the operator spoke of, and whether they may override.
    override_policy: HashMap<String, bool>,
    /// Tools that a failed file would have brought.
    missing: BTreeMap<PathBuf, (Vec<String>, Arc<Diagnosis>)>,
    /// What went since the last swap; dropped outside the lock.
    removed: Vec<Claim>,
}

impl Book {
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn take_removed(&mut self) -> Vec<Claim> {
        std::mem::take(&mut self.removed)
    }

    /// The batch is lent: whoever owns it drops what is not claimed, outside the lock.
    pub(super) fn publish(&mut self, batch: &Batch, whole: Whole) -> Result<Published, Diagnosis> {
        check(batch)?;
        let source = batch.source.clone();
        let names: HashSet<&str> = batch.entries.iter().map(|entry| entry.name()).collect();
        let stale = |entry: &ToolEntry| {
            entry.source.id == source.id && (whole == Whole::Replace || names.contains(entry.name()))
        };
        let before: BTreeMap<Arc<str>, Arc<Source>> = self
            .claims
            .iter()
            .filter(|(name, _)| names.contains(&***name))
            .map(|(name, claims)| (name.clone(), claims[0].entry.source.clone()))
            .collect();
        self.remove_where(stale);
        let mut outcomes = Vec::new();
        for entry in &batch.entries {
            outcomes.push((entry.name().to_owned(), self.claim(entry, &before)));
        }
        if let Some(path) = &source.path {
            self.missing.remove(path);
        }
        self.generation += 1;
        Ok(Published { generation: self.generation, outcomes })
    }

    fn claim(&mut self, entry: &Arc<ToolEntry>, before: &BTreeMap<Arc<str>, Arc<Source>>) -> Claimed {
        let source = &entry.source;
        let overrides = entry.description.overrides;
        if overrides && !self.may_override(source) {
            log::error!(
                "T6012 tool `{}`: {source} asks to override and may not; `plugins.{}.allow_tool_override = true` allows it",
                entry.name(),
                source.id.name
            );
            return Claimed::PermissionDenied;
        }
        let claim = Claim { rank: rank(source, overrides), entry: entry.clone() };
        let claims = self.claims.entry(entry.name().into()).or_default();
        let at = claims.partition_point(|other| other.rank < claim.rank);
        claims.insert(at, claim);
        let winner = &claims[0].entry.source;
        if at > 0 {
            log::error!("T6005 tool `{}`: {source} is hidden by {winner}", entry.name());
            return Claimed::Conflict { winner: winner.clone() };
        }
        let hides = before.get(entry.name()).filter(|owner| owner.id != source.id).cloned();
        if let Some(hidden) = &hides {
            log::info!("tool `{}`: {source} stands before {hidden}", entry.name());
        }
        Claimed::Visible { hides }
    }

    fn may_override(&self, source: &Source) -> bool {
        match source.id.kind {
            SourceKind::Builtin => true,
            SourceKind::Plugin => self.override_policy.get(&*source.id.name).copied().unwrap_or(false),
            SourceKind::Mcp => false,
        }
    }

    pub(super) fn withdraw(&mut self, source: &SourceId) {
        self.remove_where(|entry| entry.source.id == *source);
        self.generation += 1;
    }

    pub(super) fn deregister(&mut self, source: &SourceId, name: &str) -> Result<(), Arc<Source>> {
        let Some(claims) = self.claims.get(name) else { return Ok(()) };
        if claims.iter().all(|claim| claim.entry.source.id != *source) {
            return Err(claims[0].entry.source.clone());
        }
        self.remove_where(|entry| entry.source.id == *source && entry.name() == name);
        self.generation += 1;
        Ok(())
    }

    pub(super) fn set_override_policy(&mut self, plugin: &str, allow: bool) {
        self.override_policy.insert(plugin.to_owned(), allow);
        if !allow {
            // An override that is no longer allowed claims nothing, as if it had never been.
            self.remove_where(|entry| {
                entry.description.overrides
                    && entry.source.id.kind == SourceKind::Plugin
                    && *entry.source.id.name == *plugin
            });
        }
        self.generation += 1;
    }

    pub(super) fn note_missing(&mut self, tools: &[String], diagnosis: &Diagnosis) {
        self.missing.insert(diagnosis.path.clone(), (tools.to_vec(), Arc::new(diagnosis.clone())));
        self.generation += 1;
    }

    fn remove_where(&mut self, mut gone: impl FnMut(&ToolEntry) -> bool) {
        let removed = &mut self.removed;
        self.claims.retain(|_, claims| {
            removed.extend(claims.extract_if(.., |claim| gone(&claim.entry)));
            !claims.is_empty()
        });
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut visible = Vec::with_capacity(self.claims.len());
        let mut hidden = Vec::new();
        for claims in self.claims.values() {
            let (first, others) = claims.split_first().expect("a name without claims is removed");
            visible.push(first.entry.clone());
            hidden.extend(
                others
                    .iter()
                    .map(|claim| Hidden { entry: claim.entry.clone(), by: first.entry.source.clone() }),
            );
        }
        let missing = self
            .missing
            .values()
            .flat_map(|(tools, diagnosis)| tools.iter().map(|tool| (tool.clone(), diagnosis.clone())))
            .collect();
        Snapshot::new(self.generation, visible, hidden, missing)
    }
}

/// Refuses a batch of which one tool is not valid.
fn check(batch: &Batch) -> Result<(), Diagnosis> {
    let invalid = |entry: &ToolEntry, fault: &str| {
        let path = batch.source.path.clone().unwrap_or_else(|| PathBuf::from(&*batch.source.id.name));
        Diagnosis::new(Code::T6006, path, format!("tool `{}`: {fault}", entry.name()))
            .help("none of the tools that come with it is registered; mend that one")
    };
    let mut seen = HashSet::new();
    for entry in &batch.entries {
        if !seen.insert(entry.name()) {
            return Err(invalid(entry, "the name is there twice"));
        }
        if batch.source.id.kind == SourceKind::Mcp {
            continue;
        }
        if entry.name().starts_with("mcp__") {
            return Err(invalid(entry, "names that begin `mcp__` belong to MCP servers"));
        }
        if entry.toolset().starts_with("mcp-") {
            return Err(invalid(entry, "toolsets that begin `mcp-` belong to MCP servers"));
        }
        if matches!(entry.name(), "tool_search" | "tool_describe" | "tool_call") {
            return Err(invalid(entry, "the name belongs to the search over the table itself"));
        }
    }
    Ok(())
}
