//! One conversation: its selection of tools, and the table as it was shown.

use std::collections::HashSet;
use std::sync::Arc;

use crate::definitions::Memo;
use crate::near::near_names;
use crate::registry::{Registry, Snapshot};
use crate::tool::ToolEntry;

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

/// A session: the way in for an agent. What it shows is what it can call. Clones are the same session.
///
/// ```
/// use toolrack::{Batch, Call, Description, Output, Registry, Selection, Source};
///
/// let registry = Registry::new();
/// let description = Description::new("ping", "net", "Answers", r#"{"type":"object"}"#)?;
/// registry.publish(Batch::new(Source::builtin("app")).tool(description, |_, _| Ok(Output::text("pong"))))?;
///
/// let session = registry.session(&Selection::only(["files"]));
/// assert!(session.call_inline("ping", "{}", &Call::new()).is_error());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    registry: Registry,
    snapshot: Arc<Snapshot>,
    /// For each tool of the snapshot, whether it is selected; nothing means all.
    selected: Option<Box<[bool]>>,
    /// Names of the selection that stand for nothing, with near ones.
    unknown: Vec<UnknownName>,
    /// What it was shown last.
    memo: Memo,
}

/// A name in a selection that is neither a toolset's nor a tool's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The name as it was given.
    pub name: String,
    /// What it may have meant, best first.
    pub near: Vec<String>,
}

impl Session {
    pub(crate) fn new(registry: Registry, selection: &Selection) -> Self {
        let snapshot = registry.snapshot();
        let mut unknown = Vec::new();
        let selected = (*selection != Selection::all()).then(|| {
            let mut selected = vec![selection.enabled.is_none(); snapshot.tools().len()];
            let enabled = selection.enabled.iter().flatten().map(|name| (name, true));
            for (name, on) in enabled.chain(selection.disabled.iter().map(|name| (name, false))) {
                for position in resolve(&snapshot, name, &mut unknown) {
                    selected[position] = on;
                }
            }
            selected.into()
        });
        for name in &unknown {
            log::warn!("selection: `{}` is neither a toolset nor a tool{}", name.name, hint(&name.near));
        }
        Session(Arc::new(Inner { registry, snapshot, selected, unknown, memo: Memo::default() }))
    }

    /// The tools of the session, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        let tools = self.0.snapshot.tools().iter().enumerate();
        tools.filter(|(position, _)| self.has(*position)).map(|(_, entry)| entry)
    }

    /// The tool of that name, if the session has it.
    pub fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        let position = self.0.snapshot.position(name)?;
        self.has(position).then(|| &self.0.snapshot.tools()[position])
    }

    /// The table as the session was shown it.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.0.snapshot
    }

    /// Names of the selection that stand for nothing.
    pub fn unknown_names(&self) -> &[UnknownName] {
        &self.0.unknown
    }

    /// The names of the tools, if they are not all of the table's.
    pub(crate) fn allowed(&self) -> Option<impl Iterator<Item = &str>> {
        self.0.selected.as_ref().map(|_| self.tools().map(|entry| entry.name()))
    }

    pub(crate) fn memo(&self) -> &Memo {
        &self.0.memo
    }

    fn has(&self, position: usize) -> bool {
        self.0.selected.as_ref().is_none_or(|selected| selected[position])
    }
}

/// The tools that a name of a selection stands for, by their position in the snapshot.
fn resolve(snapshot: &Snapshot, name: &str, unknown: &mut Vec<UnknownName>) -> Vec<usize> {
    let everything = matches!(name, "all" | "*");
    let tools = snapshot.tools().iter().enumerate();
    let of_toolset: Vec<usize> = tools
        .filter(|(_, entry)| everything || entry.toolset() == name)
        .map(|(position, _)| position)
        .collect();
    if !of_toolset.is_empty() || everything {
        return of_toolset;
    }
    if let Some(position) = snapshot.position(name) {
        return vec![position];
    }
    let toolsets = snapshot.tools().iter().map(|entry| entry.toolset());
    let known: HashSet<&str> = toolsets.chain(snapshot.names()).collect();
    let near = near_names(name, known).into_iter().map(str::to_owned).collect();
    unknown.push(UnknownName { name: name.to_owned(), near });
    Vec::new()
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

/// Where a call comes in: through a session, or as the host's own.
#[derive(Clone, Copy)]
pub(crate) enum Door<'a> {
    Host(&'a Registry),
    Session(&'a Session),
}

/// A [`Door`] that is kept.
pub(crate) enum OwnedDoor {
    Host(Registry),
    Session(Session),
}

impl Door<'_> {
    pub(crate) fn to_owned(self) -> OwnedDoor {
        match self {
            Door::Host(registry) => OwnedDoor::Host(registry.clone()),
            Door::Session(session) => OwnedDoor::Session(session.clone()),
        }
    }

    pub(crate) fn session(&self) -> Option<&Session> {
        match self {
            Door::Host(_) => None,
            Door::Session(session) => Some(session),
        }
    }
}

impl OwnedDoor {
    pub(crate) fn as_door(&self) -> Door<'_> {
        match self {
            OwnedDoor::Host(registry) => Door::Host(registry),
            OwnedDoor::Session(session) => Door::Session(session),
        }
    }
}

impl Registry {
    /// Opens a session: the tools that `selection` names, as the table is now.
    pub fn session(&self, selection: &Selection) -> Session {
        Session::new(self.clone(), selection)
    }
}

impl Session {
    /// The table that the session was opened on.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }
}
