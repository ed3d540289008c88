//! An entry that is lent.

use std::ops::Deref;
use std::sync::Arc;

use arc_swap::Guard;

use super::snapshot::Snapshot;
use crate::tool::ToolEntry;

/// A row of the table, lent for a short time: it keeps the snapshot that it stands in.
pub struct Lent {
    snapshot: Guard<Arc<Snapshot>>,
    position: usize,
}

impl Lent {
    #[inline]
    pub(super) fn find(snapshot: Guard<Arc<Snapshot>>, name: &str) -> Option<Self> {
        let position = snapshot.position(name)?;
        Some(Lent { snapshot, position })
    }

    /// The entry, to be kept.
    pub fn to_owned(&self) -> Arc<ToolEntry> {
        self.snapshot.at(self.position).clone()
    }
}

impl Deref for Lent {
    type Target = ToolEntry;

    #[inline]
    fn deref(&self) -> &ToolEntry {
        self.snapshot.at(self.position)
    }
}
