//! The symbol table, for images without an export trie.

use std::cmp::Ordering;

use super::Found;
use crate::probe::layout::Layout;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// The most symbols that are looked at one by one.
const MAX_LINEAR: u64 = 512;

/// `LC_SYMTAB` and `LC_DYSYMTAB` in one.
#[derive(Default)]
pub(super) struct Table {
    pub(super) symbols: u64,
    pub(super) count: u64,
    pub(super) strings: u64,
    pub(super) strings_len: u64,
    /// The first exported symbol, and how many follow: sorted by name.
    pub(super) exported: Option<(u64, u64)>,
    /// The same for imported ones.
    pub(super) imported: Option<(u64, u64)>,
}

pub(super) struct Entry {
    pub(super) name: u64,
    kind: u8,
    value: u64,
}

impl Table {
    pub(super) const fn entry_len(layout: Layout) -> u64 {
        if layout.wide { 16 } else { 12 }
    }

    pub(super) fn bytes(&self, layout: Layout) -> u64 {
        self.count.saturating_mul(Table::entry_len(layout))
    }

    pub(super) fn entry(&self, source: &Source<'_>, layout: Layout, index: u64) -> Result<Entry, Fault> {
        if index >= self.count {
            return Err(Fault::malformed("its symbol table claims more symbols than it has"));
        }
        let len = Table::entry_len(layout);
        let mut raw = [0; 16];
        source.fill(self.symbols.saturating_add(index * len), &mut raw[..len as usize])?;
        Ok(Entry { name: u64::from(layout.u32(&raw, 0)), kind: raw[4], value: layout.word(&raw, 8) })
    }

    /// The symbol's name against `name`, as `strcmp` orders them.
    fn compare(&self, source: &Source<'_>, entry: &Entry, name: &[u8]) -> Result<Ordering, Fault> {
        let mut at = self.strings.saturating_add(entry.name);
        let end = self.strings.saturating_add(self.strings_len);
        for wanted in name.iter().copied().chain([0]) {
            if at >= end {
                return Err(Fault::malformed("a name lies outside the symbol table"));
            }
            let [byte] = source.array(at)?;
            match byte.cmp(&wanted) {
                Ordering::Equal => at += 1,
                unequal => return Ok(unequal),
            }
        }
        Ok(Ordering::Equal)
    }
}

impl Entry {
    /// Is it defined here, and exported?
    pub(super) const fn is_exported(&self) -> bool {
        const STAB: u8 = 0xe0;
        const PRIVATE_EXTERNAL: u8 = 0x10;
        const EXTERNAL: u8 = 0x01;
        self.kind & (STAB | PRIVATE_EXTERNAL | EXTERNAL) == EXTERNAL && !matches!(self.kind & 0x0e, 0 | 0x0c)
    }

    fn found(&self) -> Found {
        match self.kind & 0x0e {
            0x02 => Found::Absolute(self.value),
            0x0a => Found::Forwarded("another symbol".to_owned()),
            _ => Found::Address(self.value),
        }
    }
}

/// Looks a name up among the exported symbols: by halves, as they are sorted; a short table also one by one.
pub(super) fn find(
    source: &Source<'_>,
    layout: Layout,
    table: &Table,
    name: &[u8],
) -> Result<Option<Found>, Fault> {
    let (first, count) = table.exported.unwrap_or((0, table.count));
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let entry = table.entry(source, layout, first.saturating_add(middle))?;
        match table.compare(source, &entry, name)? {
            Ordering::Equal if entry.is_exported() => return Ok(Some(entry.found())),
            Ordering::Less => low = middle + 1,
            Ordering::Equal | Ordering::Greater => high = middle,
        }
    }
    if count > MAX_LINEAR {
        return Ok(None);
    }
    for index in 0..count {
        let entry = table.entry(source, layout, first.saturating_add(index))?;
        if entry.is_exported() && table.compare(source, &entry, name)? == Ordering::Equal {
            return Ok(Some(entry.found()));
        }
    }
    Ok(None)
}
