//! Why a tool is not among those that a session shows.

use std::fmt;
use std::sync::Arc;

use super::Session;
use crate::diagnosis::Diagnosis;

/// A tool that a session does not show, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Absent {
    /// The tool's name.
    pub tool: String,
    /// Why.
    pub why: Absence,
}

/// Why a session does not show a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Absence {
    /// It is selected, and can not be used now.
    Unavailable(Arc<str>),
    /// A selected toolset lists it, and nobody registered it. Perhaps a plugin that did not load would have.
    Unregistered(Option<Diagnosis>),
    /// It was selected, and this name of `disabled` took it away again.
    Disabled(String),
    /// Neither it nor a toolset that it belongs to is selected. This is the toolset that it is registered under.
    Unselected(String),
    /// The toolset that it is registered under is closed, and does not list it.
    NotAdmitted(String),
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Absence::Unavailable(why) => write!(f, "unavailable: {why}"),
            Absence::Unregistered(None) => {
                f.write_str("a selected toolset lists it, and nobody registered it")
            }
            Absence::Unregistered(Some(diagnosis)) => {
                let code = diagnosis.code.map(|code| format!("{code}, ")).unwrap_or_default();
                let (path, reason) = (crate::escaped(&diagnosis.path), &diagnosis.reason);
                write!(f, "the plugin that brings it is not loaded: {code}`{path}`: {reason}")
            }
            Absence::Disabled(by) => write!(f, "taken away by `{by}`"),
            Absence::Unselected(toolset) => write!(f, "its toolset `{toolset}` is not selected"),
            Absence::NotAdmitted(toolset) => {
                write!(f, "its toolset `{toolset}` is closed, and does not list it")
            }
        }
    }
}

impl Session {
    /// The tools that the session does not show although they are registered or selected, sorted by name, and why.
    /// Asks checks as [`available_tools`](Self::available_tools) does.
    pub fn absent(&self) -> Vec<Absent> {
        let (snapshot, resolved) = (&self.0.snapshot, &self.0.resolved);
        let pass = self.0.registry.availability(self.tools());
        let mut absent: Vec<Absent> = self
            .tools()
            .zip(&pass.verdicts)
            .filter_map(|(entry, verdict)| {
                let why = Absence::Unavailable(verdict.reason()?.into());
                Some(Absent { tool: entry.name().to_owned(), why })
            })
            .collect();
        for (_, entry) in snapshot.tools().iter().enumerate().filter(|(at, _)| !self.has(*at)) {
            let toolset = entry.toolset();
            let admitted = || {
                snapshot
                    .tools_in(toolset)
                    .is_some_and(|tools| tools.iter().any(|one| Arc::ptr_eq(one, entry)))
            };
            let why = match resolved.disabled.get(entry.name()) {
                Some(by) => Absence::Disabled(by.clone()),
                None if admitted() => Absence::Unselected(toolset.to_owned()),
                None => Absence::NotAdmitted(toolset.to_owned()),
            };
            absent.push(Absent { tool: entry.name().to_owned(), why });
        }
        absent.extend(resolved.unregistered.iter().map(|tool| Absent {
            tool: tool.clone(),
            why: Absence::Unregistered(snapshot.missing(tool).cloned()),
        }));
        absent.sort_by(|a, b| a.tool.cmp(&b.tool));
        absent
    }
}
