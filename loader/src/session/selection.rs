//! Which tools of a table a session has.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::near::near_names;
use crate::registry::Snapshot;
use crate::toolsets::{Members, Named};

/// Which tools a session has. Names are toolsets', or tools'.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// What it has; nothing means all, an empty list none.
    pub enabled: Option<Vec<String>>,
    /// What is taken away again, at last.
    pub disabled: Vec<String>,
}

impl Selection {
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only these.
    pub fn only<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Selection { enabled: Some(names.into_iter().map(Into::into).collect()), disabled: Vec::new() }
    }

    /// All of it but these.
    #[must_use]
    pub fn without<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.disabled.extend(names.into_iter().map(Into::into));
        self
    }
}

/// A name in a selection that is neither a toolset's nor a tool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The name as it was given.
    pub name: String,
    /// What it may have meant, best first.
    pub near: Vec<String>,
}

/// A selection, as it is met by one table.
#[derive(Default)]
pub(super) struct Resolved {
    /// For each tool of the table, whether it is selected; nothing means all.
    pub(super) selected: Option<Box<[bool]>>,
    /// Tools that were selected and taken away again, and by which name.
    pub(super) disabled: BTreeMap<Arc<str>, String>,
    /// Tools that a selected toolset lists and nobody registered.
    pub(super) unregistered: BTreeSet<String>,
    /// Names that stand for nothing.
    pub(super) unknown: Vec<UnknownName>,
}

impl Resolved {
    /// What `selection` selects of `table`.
    pub(super) fn of(selection: &Selection, table: &Snapshot) -> Self {
        let mut resolved = Resolved::default();
        if *selection == Selection::all() {
            return resolved;
        }
        let mut selected: BTreeSet<usize> = match &selection.enabled {
            None => (0..table.tools().len()).collect(),
            Some(enabled) => {
                let mut all = BTreeSet::new();
                for name in enabled {
                    let members = resolved.members(table, name);
                    resolved.unregistered.extend(members.absent.iter().map(|tool| (*tool).to_owned()));
                    all.extend(members.present);
                }
                all
            }
        };
        // Last, and by tool: whatever brought a tool in, it goes.
        for name in &selection.disabled {
            let members = resolved.members(table, name);
            for tool in members.absent {
                resolved.unregistered.remove(tool);
            }
            for at in members.present.into_iter().filter(|at| selected.remove(at)) {
                resolved.disabled.insert(table.at(at).name().into(), name.clone());
            }
        }
        resolved.selected = Some((0..table.tools().len()).map(|at| selected.contains(&at)).collect());
        resolved
    }

    /// What a name of the selection stands for: a toolset, else a tool, else nothing.
    fn members<'a>(&mut self, table: &'a Snapshot, name: &'a str) -> Members<'a> {
        if let Some(named) = Named::of(table, name) {
            let members = Members::of(table, named);
            for include in &members.unknown {
                self.stands_for_nothing(table, include);
            }
            return members;
        }
        let mut members = Members::default();
        match table.position(name) {
            Some(at) => drop(members.present.insert(at)),
            None => self.stands_for_nothing(table, name),
        }
        members
    }

    fn stands_for_nothing(&mut self, table: &Snapshot, name: &str) {
        if self.unknown.iter().any(|unknown| unknown.name == name) {
            return;
        }
        let aliases = table.toolset_aliases().map(|(alias, _)| alias);
        let known: HashSet<&str> = table.toolsets().into_iter().chain(aliases).chain(table.names()).collect();
        let near: Vec<String> = near_names(name, known).into_iter().map(str::to_owned).collect();
        let shown = crate::escaped(name.as_ref());
        log::warn!("selection: `{shown}` is neither a toolset nor a tool{}", hint(&near));
        self.unknown.push(UnknownName { name: name.to_owned(), near });
    }
}

/// `; did you mean …?`, or nothing.
pub(crate) fn hint<S: AsRef<str>>(near: &[S]) -> String {
    match near {
        [] => String::new(),
        near => {
            let names: Vec<String> = near.iter().map(|name| format!("`{}`", name.as_ref())).collect();
            format!("; did you mean {}?", names.join(" or "))
        }
    }
}
