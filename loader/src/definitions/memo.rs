//! Definitions that were written before, as long as nothing of them has changed.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::Definitions;
use super::index::Index;
use super::profile::Profile;
use crate::tool::ToolEntry;

/// What a session was shown last, by form.
///
/// Which tools are there, and what those say of themselves that change over time, is asked each time: so nothing
/// has to tell the memo that a tool has become available, and none outlives what it was written from.
#[derive(Default)]
pub(crate) struct Memo {
    written: Mutex<Vec<Remembered>>,
    /// The words of the session's tools, once somebody has asked for them.
    index: OnceLock<Index>,
}

struct Remembered {
    profile: Profile,
    tools: Vec<Shown>,
    definitions: Arc<Definitions>,
}

/// A tool, and what it overrode; an empty text if nothing.
pub(super) type Shown = (Arc<ToolEntry>, String);

impl Memo {
    pub(super) fn index(&self, make: impl FnOnce() -> Index) -> &Index {
        self.index.get_or_init(make)
    }

    /// The definitions of these tools: those of last time, or else new ones. No lock is held while a tool is asked,
    /// or while definitions are written.
    pub(super) fn get_or_write(
        &self,
        profile: Profile,
        tools: &[&Arc<ToolEntry>],
        write: impl FnOnce(&[Shown]) -> Definitions,
    ) -> Arc<Definitions> {
        let dynamic = tools.iter().filter(|entry| entry.description.dynamic);
        let overrides: Vec<String> = dynamic.map(|entry| entry.overrides()).collect();
        let mut said = overrides.iter();
        let mut current = tools.iter().map(|entry| {
            let text = if entry.description.dynamic { said.next() } else { None };
            (*entry, text.map_or("", String::as_str))
        });
        {
            let all = self.written.lock();
            let known = all.iter().find(|known| known.profile == profile);
            if let Some(known) = known.filter(|known| known.tools.len() == tools.len()) {
                let is_same = |((entry, text), known): ((&Arc<ToolEntry>, &str), &Shown)| {
                    Arc::ptr_eq(entry, &known.0) && text == known.1
                };
                if current.by_ref().zip(&known.tools).all(is_same) {
                    return known.definitions.clone();
                }
            }
        }
        let mut said = overrides.into_iter();
        let shown: Vec<Shown> = tools
            .iter()
            .map(|entry| {
                let text = if entry.description.dynamic { said.next() } else { None };
                ((*entry).clone(), text.unwrap_or_default())
            })
            .collect();
        let definitions = Arc::new(write(&shown));
        let new = Remembered { profile, tools: shown, definitions: definitions.clone() };
        let mut all = self.written.lock();
        match all.iter_mut().find(|known| known.profile == profile) {
            Some(known) => *known = new,
            None => all.push(new),
        }
        definitions
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::{Batch, Description, Output, Provider, Registry, Selection, Session, Source};

    fn session(names: &[&str]) -> Session {
        let registry = Registry::new();
        let mut batch = Batch::new(Source::builtin("app"));
        for name in names {
            let description = Description::new(name, "demo", "", "{}").unwrap();
            batch = batch.tool(description, |_, _| Ok(Output::text("done")));
        }
        registry.publish(batch).unwrap();
        registry.session(&Selection::all())
    }

    #[test]
    fn unchanged_definitions_are_the_same_and_each_form_has_its_own() {
        let session = session(&["a", "b"]);
        let first = session.definitions(Provider::OpenAi);
        assert!(Arc::ptr_eq(&first, &session.definitions(Provider::OpenAi)));
        let strict = session.definitions(Profile::from(Provider::OpenAi).strict());
        assert!(!Arc::ptr_eq(&first, &strict));
        assert!(Arc::ptr_eq(&first, &session.clone().definitions(Provider::OpenAi)));
    }

    #[test]
    fn a_tool_that_comes_or_goes_is_noticed() {
        let session = session(&["a", "b"]);
        let all: Vec<&Arc<ToolEntry>> = session.tools().collect();
        let memo = Memo::default();
        let written = Mutex::new(0);
        let get = |tools: &[&Arc<ToolEntry>]| {
            memo.get_or_write(Provider::Mcp.into(), tools, |shown| {
                *written.lock().unwrap() += 1;
                super::super::list(&Provider::Mcp.into(), shown.iter().map(|(entry, _)| &entry.description))
            })
        };
        assert_eq!(get(&all).count, 2);
        assert_eq!(get(&all[..1]).count, 1);
        assert_eq!(get(&all[..1]).count, 1);
        assert_eq!(get(&all[1..]).json.matches(r#""b""#).count(), 1);
        assert_eq!(get(&all).count, 2);
        assert_eq!(*written.lock().unwrap(), 4);
    }
}
