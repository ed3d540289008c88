//! Why a library without the symbol may have been meant as a plugin. For people only: it reads more than a verdict may.

use std::cell::Cell;

use super::lookup::{Entry, Tables};
use crate::probe::near::{self, Near};
use crate::probe::verdict::Finding;

/// As many symbols, and as many bytes of names, as are searched.
const MAX_SYMBOLS: u64 = 8192;
const MAX_NAMES: u64 = 512 << 10;

/// A hint, if the symbol table has one. A table that can not be read has none.
pub(super) fn hint(tables: &Tables<'_>, name: &[u8]) -> Option<Finding> {
    let budget = Cell::new(MAX_NAMES + MAX_SYMBOLS * 24);
    let source = tables.source.under(&budget);
    let layout = tables.layout();
    let len = Entry::len(layout);
    let place = tables.segments.place(tables.dynamic.symbols)?;
    let strings = tables.segments.place(tables.dynamic.strings)?;
    // The table does not say where it ends. It ends before the strings if these follow it, as they always do.
    let between = strings.offset.checked_sub(place.offset).filter(|between| *between > 0);
    let bytes = between.unwrap_or(place.available).min(place.available).min(MAX_SYMBOLS * len);
    let names_len = tables.dynamic.strings_len.min(strings.available).min(MAX_NAMES);
    let symbols = source.vec(place.offset, usize::try_from(bytes).ok()?).ok()?;
    let names = source.vec(strings.offset, usize::try_from(names_len).ok()?).ok()?;
    let mut near = Near::default();
    for raw in symbols.chunks_exact(len as usize).skip(1) {
        let entry = Entry::parse(layout, raw);
        let Some(rest) = usize::try_from(entry.name).ok().and_then(|at| names.get(at..)) else { continue };
        let text = rest.split(|byte| *byte == 0).next().unwrap_or_default();
        if !entry.is_defined() && text == name {
            return Some(near::imported());
        }
        if entry.is_defined() && entry.has_place() && entry.is_visible() {
            near.offer(text);
        }
    }
    near.finding()
}
