//! All claims, and how they become a table.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use super::Whole;
use super::batch::{Batch, Published};
use super::claim::{Claim, Claimed, hidden_by, rank};
use super::settings::McpCollision;
use super::snapshot::{Hidden, HiddenBy, Parts, Snapshot};
use crate::availability::{Check, Gate};
use crate::diagnosis::Diagnosis;
use crate::source::{Source, SourceId, SourceKind};
use crate::tool::ToolEntry;
use crate::toolsets::{Toolset, ToolsetRefused, Toolsets};

/// What only a writer sees.
#[derive(Default)]
pub(super) struct Book {
    generation: u64,
    /// Every name's claims, the visible one first.
    claims: BTreeMap<Arc<str>, Vec<Claim>>,
    /// Plugins that the operator spoke of, and whether they may override.
    override_policy: HashMap<String, bool>,
    mcp_collision: McpCollision,
    toolsets: Arc<Toolsets>,
    /// Tools that a failed file would have brought.
    missing: BTreeMap<PathBuf, (Vec<String>, Arc<Diagnosis>)>,
    /// What went since the last swap; dropped outside the lock.
    removed: Vec<Arc<ToolEntry>>,
}

/// What stood before a batch, of the names in it.
struct Before {
    /// The source that the name stood for.
    winner: Arc<Source>,
    /// The time of the batch's source's own claim, if it had one, and whether that was visible.
    own: Option<(u64, bool)>,
}

impl Book {
    pub(super) fn new(mcp_collision: McpCollision) -> Self {
        Book { mcp_collision, ..Book::default() }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn take_removed(&mut self) -> Vec<Arc<ToolEntry>> {
        std::mem::take(&mut self.removed)
    }

    /// Takes in a batch that is valid.
    pub(super) fn publish(&mut self, batch: Batch, whole: Whole) -> Published {
        let Batch { source, entries } = batch;
        let permitted: HashSet<String> = entries
            .iter()
            .filter(|entry| !entry.description.overrides || self.may_override(&source))
            .map(|entry| entry.name().to_owned())
            .collect();
        let before = self.before(&source, &permitted);
        let is_stale = |entry: &ToolEntry| {
            entry.source.id == source.id && (whole == Whole::Replace || permitted.contains(entry.name()))
        };
        let toolsets = self.remove_where(is_stale);
        self.generation += 1;
        let mut checks = self.checks_of(&source.id);
        share_checks(&mut checks, &entries);
        let not_admitted = self.not_admitted(&source, &entries);
        let mut outcomes = Vec::with_capacity(entries.len());
        for mut entry in entries {
            let name = entry.name().to_owned();
            entry.gate = gate(&checks, &entry);
            let outcome = if permitted.contains(&name) {
                self.claim(Arc::new(entry), before.get(name.as_str()))
            } else {
                self.removed.push(Arc::new(entry));
                denied(&name, &source)
            };
            outcomes.push((name, outcome));
        }
        self.drop_orphans(toolsets);
        if let Some(path) = &source.path {
            self.missing.remove(path);
        }
        Published { generation: self.generation, outcomes, not_admitted }
    }

    fn before(&self, source: &Source, names: &HashSet<String>) -> HashMap<Arc<str>, Before> {
        let of = |(name, claims): (&Arc<str>, &Vec<Claim>)| {
            let at = claims.iter().position(|claim| claim.entry.source.id == source.id);
            let own = at.map(|at| (claims[at].time, at == 0));
            (name.clone(), Before { winner: claims[0].entry.source.clone(), own })
        };
        names.iter().filter_map(|name| self.claims.get_key_value(name.as_str())).map(of).collect()
    }

    fn claim(&mut self, entry: Arc<ToolEntry>, before: Option<&Before>) -> Claimed {
        let source = entry.source.clone();
        let overrides = entry.description.overrides;
        let own = before.and_then(|before| before.own);
        // What is registered again keeps its turn.
        let time = own.map_or(self.generation, |(time, _)| time);
        let mut rank = rank(&source, overrides);
        if source.id.kind == SourceKind::Mcp && self.mcp_collision == McpCollision::Latest {
            rank = rank.registered_at(time);
        }
        let name: Arc<str> = entry.name().into();
        let claims = self.claims.entry(name.clone()).or_default();
        let at = claims.partition_point(|other| other.rank < rank);
        claims.insert(at, Claim { rank, time, entry });
        let (winner, claim) = (&claims[0], &claims[at]);
        if at > 0 {
            let winner_source = winner.entry.source.clone();
            return match hidden_by(winner, claim, self.mcp_collision) {
                HiddenBy::Conflict => {
                    log::error!("T6005 tool `{name}`: {source} is hidden by {winner_source}");
                    Claimed::Conflict { winner: winner_source }
                }
                HiddenBy::Override | HiddenBy::Collision => {
                    log::info!("tool `{name}`: {source} stands behind {winner_source}");
                    Claimed::Behind { winner: winner_source }
                }
            };
        }
        let hides = before.map(|before| before.winner.clone()).filter(|owner| owner.id != source.id);
        if let (Some(hidden), Some(second)) = (&hides, claims.get(1)) {
            match hidden_by(winner, second, self.mcp_collision) {
                HiddenBy::Conflict => log::error!("T6005 tool `{name}`: {hidden} is hidden by {source} now"),
                _ => log::info!("tool `{name}`: {source} stands before {hidden}"),
            }
        }
        if overrides {
            log::info!("tool `{name}`: {source} overrides it");
            return Claimed::Override { hides };
        }
        match own {
            Some((_, true)) => Claimed::Replaced,
            _ => Claimed::Visible { hides },
        }
    }

    fn may_override(&self, source: &Source) -> bool {
        match source.id.kind {
            SourceKind::Builtin => true,
            SourceKind::Plugin => self.override_policy.get(&*source.id.name).copied().unwrap_or(false),
            SourceKind::Mcp => false,
        }
    }

    /// The checks that tools of this source share, by `check_id`.
    fn checks_of(&self, source: &SourceId) -> HashMap<String, Arc<Check>> {
        let entries = self.claims.values().flatten().map(|claim| &claim.entry);
        entries
            .filter(|entry| entry.source.id == *source)
            .filter_map(|entry| Some((entry.description.check_id.clone()?, entry.gate.check.clone()?)))
            .collect()
    }

    /// Which of these tools name a closed toolset that does not list them.
    fn not_admitted(&self, source: &Source, entries: &[ToolEntry]) -> Vec<String> {
        if source.id.kind == SourceKind::Builtin {
            return Vec::new();
        }
        let shut_out = entries.iter().filter(|entry| {
            let toolset = self.toolsets.definition(entry.toolset());
            toolset.is_some_and(|toolset| {
                toolset.is_closed() && toolset.tools.iter().all(|tool| tool != entry.name())
            })
        });
        shut_out
            .map(|entry| {
                let (name, toolset) = (entry.name(), entry.toolset());
                log::warn!(
                    "tool `{name}`: {source} puts it into the toolset `{toolset}`, which is closed; \
                     `toolsets.define.{toolset}.tools` must list it"
                );
                name.to_owned()
            })
            .collect()
    }

    pub(super) fn withdraw(&mut self, source: &SourceId) {
        let toolsets = self.remove_where(|entry| entry.source.id == *source);
        self.drop_orphans(toolsets);
        self.generation += 1;
    }

    pub(super) fn deregister(&mut self, source: &SourceId, name: &str) -> Result<(), Arc<Source>> {
        let Some(claims) = self.claims.get(name) else { return Ok(()) };
        if claims.iter().all(|claim| claim.entry.source.id != *source) {
            return Err(claims[0].entry.source.clone());
        }
        let toolsets = self.remove_where(|entry| entry.source.id == *source && entry.name() == name);
        self.drop_orphans(toolsets);
        self.generation += 1;
        Ok(())
    }

    pub(super) fn set_override_policy(&mut self, plugin: &str, allow: bool) {
        self.override_policy.insert(plugin.to_owned(), allow);
        if !allow {
            // An override that is no longer allowed claims nothing, as if it had never been.
            let toolsets = self.remove_where(|entry| {
                entry.description.overrides
                    && entry.source.id.kind == SourceKind::Plugin
                    && *entry.source.id.name == *plugin
            });
            self.drop_orphans(toolsets);
        }
        self.generation += 1;
    }

    pub(super) fn define_toolset(&mut self, name: &str, toolset: Toolset) -> Result<(), ToolsetRefused> {
        Arc::make_mut(&mut self.toolsets).define(name, toolset)?;
        self.generation += 1;
        Ok(())
    }

    pub(super) fn alias(&mut self, alias: &str, toolset: &str) -> Result<Option<Arc<str>>, ToolsetRefused> {
        let before = Arc::make_mut(&mut self.toolsets).alias(alias, toolset)?;
        self.generation += 1;
        Ok(before)
    }

    pub(super) fn note_missing(&mut self, tools: &[String], diagnosis: &Diagnosis) {
        self.missing.insert(diagnosis.path.clone(), (tools.to_vec(), Arc::new(diagnosis.clone())));
        self.generation += 1;
    }

    /// Takes claims out. The toolsets that they were of.
    fn remove_where(&mut self, mut gone: impl FnMut(&ToolEntry) -> bool) -> BTreeSet<String> {
        let first = self.removed.len();
        let removed = &mut self.removed;
        self.claims.retain(|_, claims| {
            removed.extend(claims.extract_if(.., |claim| gone(&claim.entry)).map(|claim| claim.entry));
            !claims.is_empty()
        });
        self.removed[first..].iter().map(|entry| entry.toolset().to_owned()).collect()
    }

    /// With the last tool of a toolset its aliases go.
    fn drop_orphans(&mut self, mut toolsets: BTreeSet<String>) {
        if toolsets.is_empty() || !self.toolsets.has_aliases() {
            return;
        }
        for claim in self.claims.values().flatten() {
            toolsets.remove(claim.entry.toolset());
        }
        for toolset in toolsets {
            if Arc::make_mut(&mut self.toolsets).drop_aliases_of(&toolset) {
                log::info!("toolset `{toolset}` has no tools any more; its aliases are gone");
            }
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let mut visible = Vec::with_capacity(self.claims.len());
        let mut hidden = Vec::new();
        for claims in self.claims.values() {
            let (first, others) = claims.split_first().expect("a name without claims is removed");
            visible.push(first.entry.clone());
            hidden.extend(others.iter().map(|claim| Hidden {
                entry: claim.entry.clone(),
                by: first.entry.source.clone(),
                why: hidden_by(first, claim, self.mcp_collision),
            }));
        }
        let missing = self
            .missing
            .values()
            .flat_map(|(tools, diagnosis)| tools.iter().map(|tool| (tool.clone(), diagnosis.clone())))
            .collect();
        let (generation, toolsets) = (self.generation, self.toolsets.clone());
        Snapshot::new(Parts { generation, visible, hidden, missing, toolsets })
    }
}

fn denied(name: &str, source: &Source) -> Claimed {
    log::error!(
        "T6012 tool `{name}`: {source} asks to override and may not; `plugins.{}.allow_tool_override = true` allows it",
        source.id.name
    );
    Claimed::PermissionDenied
}

/// Adds the checks that tools of a batch share. One that stays from before is shared with it.
fn share_checks(checks: &mut HashMap<String, Arc<Check>>, entries: &[ToolEntry]) {
    for entry in entries.iter().filter(|entry| entry.description.check) {
        if let Some(id) = &entry.description.check_id {
            checks.entry(id.clone()).or_insert_with(|| Arc::new(Check::new(id, entry.handler.clone())));
        }
    }
}

fn gate(checks: &HashMap<String, Arc<Check>>, entry: &ToolEntry) -> Gate {
    let shared = entry.description.check_id.as_ref().and_then(|id| checks.get(id)).cloned();
    let own = || entry.description.check.then(|| Arc::new(Check::new(entry.name(), entry.handler.clone())));
    Gate::new(shared.or_else(own))
}
