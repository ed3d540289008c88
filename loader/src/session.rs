//! One conversation: its selection of tools, and the table as it was shown.

mod absent;
mod selection;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::availability::Availability;
use crate::definitions::Memo;
use crate::registry::{Diff, Registry, Snapshot};
use crate::tool::ToolEntry;

pub use absent::{Absence, Absent};
use selection::Resolved;
pub(crate) use selection::hint;
pub use selection::{Selection, UnknownName};

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
    selection: Selection,
    resolved: Resolved,
    /// What it was shown last.
    memo: Memo,
}

impl Session {
    pub(crate) fn new(registry: Registry, selection: &Selection) -> Self {
        let snapshot = registry.snapshot();
        let resolved = Resolved::of(selection, &snapshot);
        let selection = selection.clone();
        Session(Arc::new(Inner { registry, snapshot, selection, resolved, memo: Memo::default() }))
    }

    /// The same selection on the table as it is now.
    #[must_use]
    pub fn renewed(&self) -> Self {
        self.0.registry.session(&self.0.selection)
    }

    /// What has changed from the tools of this session to those of a later one.
    pub fn diff(&self, later: &Session) -> Diff {
        Diff::between(self.tools(), later.tools())
    }

    /// What it was opened with.
    pub fn selection(&self) -> &Selection {
        &self.0.selection
    }

    /// The tools of the session, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ToolEntry>> {
        let tools = self.0.snapshot.tools().iter().enumerate();
        tools.filter(|(position, _)| self.has(*position)).map(|(_, entry)| entry)
    }

    /// The tools of the session that can be used now, sorted by name: what a model is shown. Checks are asked where no
    /// answer holds; see [`Registry::availability`].
    pub fn available_tools(&self) -> Vec<&Arc<ToolEntry>> {
        let pass = self.0.registry.availability(self.tools());
        let tools = self.tools().zip(&pass.verdicts);
        tools.filter(|(_, verdict)| verdict.is_available()).map(|(entry, _)| entry).collect()
    }

    /// Whether the session's tool of that name has left the table since: a sentence that says so, for the answer to a
    /// call of it. One that its own source has replaced has not gone, nor has one that another source hides now.
    pub fn gone(&self, name: &str) -> Option<String> {
        if self.0.registry.generation() == self.0.snapshot.generation() {
            return None;
        }
        let shown = self.get(name)?;
        let now = self.0.registry.snapshot();
        if now.claims_on(name).any(|entry| entry.source.id == shown.source.id) {
            return None;
        }
        let instead = match now.get(name) {
            Some(entry) => format!("; the name stands for the one of {} now", entry.source),
            None => String::new(),
        };
        Some(format!(
            "the tool `{name}` of {} was removed after this session was shown it{instead}",
            shown.source
        ))
    }

    /// What is known of the availability of the session's tool of that name. Never asks a check.
    pub fn known_availability(&self, name: &str) -> Option<Availability> {
        self.get(name).map(|entry| self.0.registry.known_availability(entry))
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
        &self.0.resolved.unknown
    }

    /// The names of the tools, if they are not all of the table's.
    pub(crate) fn allowed(&self) -> Option<impl Iterator<Item = &str>> {
        self.0.resolved.selected.as_ref().map(|_| self.tools().map(|entry| entry.name()))
    }

    pub(crate) fn memo(&self) -> &Memo {
        &self.0.memo
    }

    fn has(&self, position: usize) -> bool {
        self.0.resolved.selected.as_ref().is_none_or(|selected| selected[position])
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

    pub(crate) fn registry(&self) -> &Registry {
        match self {
            Door::Host(registry) => registry,
            Door::Session(session) => session.registry(),
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
