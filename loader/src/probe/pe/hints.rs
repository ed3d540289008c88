//! Why a library without the symbol may have been meant as a plugin, from its exports and imports.

use std::cell::Cell;

use super::exports::Exports;
use super::{File, imports};
use crate::probe::near::{self, Near};
use crate::probe::verdict::Finding;

/// As many names, and as many bytes, as are looked at.
const MAX_NAMES: u64 = 4096;
const MAX_BYTES: u64 = 2 << 20;

/// A hint, if the directories have one. What can not be read has none.
pub(super) fn hint(file: &File<'_>, name: &[u8]) -> Option<Finding> {
    let budget = Cell::new(MAX_BYTES);
    let source = file.source.under(&budget);
    let file = File { source: &source, ..*file };
    if imports::imports(&file, name, MAX_NAMES) {
        return Some(near::imported());
    }
    let exports = Exports::read(&file).ok().flatten()?;
    let mut near = Near::default();
    for index in 0..exports.names.min(MAX_NAMES) {
        let Ok(rva) = exports.name(&file, index) else { break };
        if let Ok(text) = file.text("table of exported names", rva, 256) {
            near.offer(text.as_bytes());
        }
    }
    near.finding()
}
