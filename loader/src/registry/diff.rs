//! What has changed between two moments.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Snapshot;
use crate::tool::ToolEntry;

/// What is different between two tables, each sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diff {
    /// Tools that are only in the later one.
    pub added: Vec<String>,
    /// Tools that are only in the earlier one.
    pub removed: Vec<String>,
    /// Tools that are in both, and have another description or come from another source.
    pub changed: Vec<String>,
}

impl Diff {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        *self == Diff::default()
    }

    /// Compares two lists of tools, both sorted by name.
    pub(crate) fn between<'a>(
        earlier: impl Iterator<Item = &'a Arc<ToolEntry>>,
        later: impl Iterator<Item = &'a Arc<ToolEntry>>,
    ) -> Self {
        let mut diff = Diff::default();
        let (mut earlier, mut later) = (earlier.peekable(), later.peekable());
        loop {
            let order = match (earlier.peek(), later.peek()) {
                (None, None) => return diff,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.name().cmp(b.name()),
            };
            let old = if order.is_le() { earlier.next() } else { None };
            let new = if order.is_ge() { later.next() } else { None };
            match (old, new) {
                (Some(old), Some(new)) if is_same(old, new) => {}
                (Some(_), Some(new)) => diff.changed.push(new.name().to_owned()),
                (Some(old), None) => diff.removed.push(old.name().to_owned()),
                (None, Some(new)) => diff.added.push(new.name().to_owned()),
                (None, None) => return diff,
            }
        }
    }
}

/// What has changed from the table `earlier` to the table `later`.
pub fn diff(earlier: &Snapshot, later: &Snapshot) -> Diff {
    Diff::between(earlier.tools().iter(), later.tools().iter())
}

fn is_same(old: &Arc<ToolEntry>, new: &Arc<ToolEntry>) -> bool {
    Arc::ptr_eq(old, new)
        || (old.source.id == new.source.id && old.description.to_json() == new.description.to_json())
}
