//! Which tool a name means.

use std::sync::Arc;

use crate::registry::Lent;
use crate::session::Door;
use crate::tool::ToolEntry;

/// What some models write before a name.
const PREFIX: &str = "functions.";

/// A tool as it was found: lent by the table, or by the session.
pub(super) enum Found<'a> {
    Lent(Lent),
    Session(&'a Arc<ToolEntry>),
}

impl Found<'_> {
    #[inline]
    pub(super) fn entry(&self) -> &ToolEntry {
        match self {
            Found::Lent(lent) => lent,
            Found::Session(entry) => entry,
        }
    }

    pub(super) fn to_owned(&self) -> Arc<ToolEntry> {
        match self {
            Found::Lent(lent) => lent.to_owned(),
            Found::Session(entry) => Arc::clone(entry),
        }
    }
}

/// The tool that `name` means: exactly, else without `functions.` before it, else by case and `-` for `_`, if only
/// one is meant. Never by similarity: a wrong tool that runs is worse than none.
#[inline]
pub(super) fn find<'a>(door: Door<'a>, name: &str) -> Option<Found<'a>> {
    exactly(door, name).or_else(|| loosely(door, name))
}

#[cold]
fn loosely<'a>(door: Door<'a>, name: &str) -> Option<Found<'a>> {
    let bare = name.strip_prefix(PREFIX);
    if let Some(found) = bare.and_then(|bare| exactly(door, bare)) {
        return Some(found);
    }
    let bare = bare.unwrap_or(name);
    match door {
        Door::Host(registry) => {
            let snapshot = registry.snapshot();
            exactly(door, only(bare, snapshot.names())?)
        }
        Door::Session(session) => exactly(door, only(bare, session.tools().map(|entry| entry.name()))?),
    }
}

#[inline]
fn exactly<'a>(door: Door<'a>, name: &str) -> Option<Found<'a>> {
    match door {
        Door::Host(registry) => registry.lookup(name).map(Found::Lent),
        Door::Session(session) => session.get(name).map(Found::Session),
    }
}

/// The only one of `names` that is `wanted` when folded.
fn only<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut same = names
        .filter(|name| name.len() == wanted.len() && name.bytes().map(folded).eq(wanted.bytes().map(folded)));
    let first = same.next()?;
    same.next().is_none().then_some(first)
}

fn folded(byte: u8) -> u8 {
    if byte == b'-' { b'_' } else { byte.to_ascii_lowercase() }
}

#[cfg(test)]
mod tests {
    use crate::{Batch, Description, Output, Registry, Selection, Source};

    use super::*;

    fn registry(names: &[&str]) -> Registry {
        let registry = Registry::new();
        let mut batch = Batch::new(Source::builtin("app"));
        for name in names {
            let description = Description::new(name, "demo", "", "{}").unwrap();
            batch = batch.tool(description, |_, _| Ok(Output::text("")));
        }
        registry.publish(batch).unwrap();
        registry
    }

    fn meant(registry: &Registry, name: &str) -> Option<String> {
        let by_host = find(Door::Host(registry), name).map(|found| found.entry().name().to_owned());
        let session = registry.session(&Selection::all());
        let by_session = find(Door::Session(&session), name).map(|found| found.to_owned().name().to_owned());
        assert_eq!(by_host, by_session);
        by_host
    }

    #[test]
    fn exact_then_without_functions_then_folded_if_unique() {
        let registry = registry(&["read_file", "Read_File", "Write_File", "list"]);
        for (name, expected) in [
            ("read_file", Some("read_file")),
            ("Read_File", Some("Read_File")),
            ("functions.read_file", Some("read_file")),
            ("write-file", Some("Write_File")),
            ("functions.WRITE-FILE", Some("Write_File")),
            ("LIST", Some("list")),
            ("READ_FILE", None),
            ("lists", None),
            ("Functions.list", None),
            ("functions.functions.list", None),
            ("read_fil", None),
            ("functions.", None),
            ("", None),
        ] {
            assert_eq!(meant(&registry, name).as_deref(), expected, "{name}");
        }
    }
}
