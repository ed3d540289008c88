//! Why a library without the symbol may have been meant as a plugin, from its symbol table.

use std::cell::Cell;

use super::commands::Commands;
use crate::probe::near::{self, Near};
use crate::probe::read::Source;
use crate::probe::verdict::Finding;

/// As many symbols, and as many bytes, as are looked at.
const MAX_SYMBOLS: u64 = 4096;
const MAX_BYTES: u64 = 1 << 20;

/// A hint, if the symbol table has one. A table that can not be read has none.
pub(super) fn hint(source: &Source<'_>, commands: &Commands, name: &[u8]) -> Option<Finding> {
    let table = commands.symtab.as_ref()?;
    let budget = Cell::new(MAX_BYTES);
    let source = source.under(&budget);
    let end = table.strings.saturating_add(table.strings_len);
    let text = |index: u64| {
        let entry = table.entry(&source, commands.layout, index).ok()?;
        let at = table.strings.checked_add(entry.name)?;
        let text = source.text(at, end.saturating_sub(at), 256).ok().flatten()?;
        Some((entry, text))
    };
    let range = |range: Option<(u64, u64)>| {
        let (first, count) = range.unwrap_or((0, table.count));
        first..first.saturating_add(count.min(MAX_SYMBOLS)).min(table.count)
    };
    if range(table.imported).filter_map(text).any(|(entry, text)| !entry.is_exported() && text == name) {
        return Some(near::imported());
    }
    let mut near = Near::default();
    for (entry, text) in range(table.exported).filter_map(text) {
        if entry.is_exported() {
            near.offer(text.strip_prefix(b"_").unwrap_or(&text));
        }
    }
    near.finding()
}
