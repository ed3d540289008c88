//! Which tools a name stands for.

use std::collections::{BTreeSet, HashSet};

use super::is_everything;
use crate::registry::Snapshot;
use crate::source::SourceKind;

/// What a name in a selection, or among a toolset's includes, means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named<'a> {
    /// Every tool of the table.
    Everything,
    /// The toolset of that name: the name itself, or what it is an alias of.
    Toolset(&'a str),
}

impl<'a> Named<'a> {
    /// What `name` means: a toolset that is defined, one that a tool is registered under, or an alias.
    pub(crate) fn of(table: &'a Snapshot, mut name: &'a str) -> Option<Self> {
        // Aliases are never circular: see `Toolsets::alias`.
        loop {
            if is_everything(name) {
                return Some(Named::Everything);
            }
            if table.toolset_table().definition(name).is_some() || table.registered_under(name).is_some() {
                return Some(Named::Toolset(name));
            }
            name = table.toolset_table().target(name)?;
        }
    }
}

/// The tools that a toolset stands for.
#[derive(Debug, Default)]
pub(crate) struct Members<'a> {
    /// Places in the table, and so sorted by name.
    pub(crate) present: BTreeSet<usize>,
    /// Names that a definition lists and nobody registered.
    pub(crate) absent: BTreeSet<&'a str>,
    /// Includes that stand for nothing.
    pub(crate) unknown: BTreeSet<&'a str>,
}

impl<'a> Members<'a> {
    /// All that `named` stands for, includes and all. Cycles end, and a list, not the stack, bears the depth.
    pub(crate) fn of(table: &'a Snapshot, named: Named<'a>) -> Self {
        let mut members = Members::default();
        let mut seen = HashSet::new();
        let mut open = vec![(named, false)];
        while let Some((named, within_closed)) = open.pop() {
            let Named::Toolset(name) = named else {
                let all = 0..table.tools().len();
                members.present.extend(all.filter(|at| !within_closed || is_own(table, *at)));
                continue;
            };
            // What is open may be reached from within a closed one, and again from elsewhere.
            if !seen.insert((name, within_closed)) {
                continue;
            }
            let definition = table.toolset_table().definition(name);
            let closed = within_closed || definition.is_some_and(super::Toolset::is_closed);
            let registered = table.registered_under(name).unwrap_or_default();
            members.present.extend(registered.iter().filter(|at| !closed || is_own(table, **at)));
            for tool in definition.map(|toolset| &toolset.tools).into_iter().flatten() {
                match table.position(tool) {
                    Some(at) => drop(members.present.insert(at)),
                    None => drop(members.absent.insert(tool)),
                }
            }
            for include in definition.map(|toolset| &toolset.includes).into_iter().flatten() {
                match Named::of(table, include) {
                    Some(named) => open.push((named, closed)),
                    None => drop(members.unknown.insert(include)),
                }
            }
        }
        members
    }
}

/// Whether the tool is the host's own, which closed toolsets trust.
fn is_own(table: &Snapshot, at: usize) -> bool {
    table.at(at).source.id.kind == SourceKind::Builtin
}
