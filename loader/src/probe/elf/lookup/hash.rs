//! The two indexes of an ELF symbol table. Both may be hostile: every step is bounded.

use super::super::machine;
use super::Tables;
use crate::probe::verdict::Fault;

/// The longest chain that is followed. Linkers aim at chains of one to four.
const MAX_CHAIN: u64 = 4096;

/// Calls `visit` with each symbol whose hash is that of `name`, until it says that it has seen enough.
pub(super) fn gnu(
    tables: &Tables<'_>,
    table: u64,
    name: &[u8],
    visit: &mut dyn FnMut(u64) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let layout = tables.layout();
    let (source, segments) = (tables.source, tables.segments);
    let raw: [u8; 16] = source.array(segments.entry("hash table", table, 0, 16)?)?;
    let (buckets, first) = (u64::from(layout.u32(&raw, 0)), u64::from(layout.u32(&raw, 4)));
    let (words, shift) = (u64::from(layout.u32(&raw, 8)), layout.u32(&raw, 12));
    if buckets == 0 {
        return Ok(());
    }
    if !words.is_power_of_two() || shift >= 32 {
        return Err(Fault::malformed("its hash table has an impossible filter"));
    }
    let hash = gnu_hash(name);
    let bloom = table.saturating_add(16);
    let bits = u32::from(layout.bits());
    let word_at = u64::from(hash / bits) & (words - 1);
    let mut raw = [0; 8];
    let offset = segments.entry("hash table's filter", bloom, word_at, layout.word_len())?;
    source.fill(offset, &mut raw[..layout.word_len() as usize])?;
    let word = layout.word(&raw, 0);
    if (word >> (hash % bits)) & (word >> ((hash >> shift) % bits)) & 1 == 0 {
        return Ok(());
    }
    // Sums of hostile numbers: one past the end of the addresses is outside every segment.
    let bucket_table = bloom.saturating_add(words * layout.word_len());
    let offset = segments.entry("hash table", bucket_table, u64::from(hash) % buckets, 4)?;
    let start = u64::from(layout.u32(&source.array::<4>(offset)?, 0));
    if start == 0 {
        return Ok(());
    }
    let Some(start) = start.checked_sub(first) else {
        return Err(Fault::malformed("its hash table names a symbol before its first"));
    };
    let chain = bucket_table.saturating_add(buckets * 4);
    for step in start..start + MAX_CHAIN {
        let offset = segments.entry("hash table", chain, step, 4)?;
        let entry = layout.u32(&source.array::<4>(offset)?, 0);
        if (entry ^ hash) >> 1 == 0 && visit(first + step)? {
            return Ok(());
        }
        if entry & 1 == 1 {
            return Ok(());
        }
    }
    Err(Fault::malformed("a chain of its hash table has no end"))
}

/// The same for the older table, whose chains are linked lists.
pub(super) fn sysv(
    tables: &Tables<'_>,
    table: u64,
    name: &[u8],
    visit: &mut dyn FnMut(u64) -> Result<bool, Fault>,
) -> Result<(), Fault> {
    let layout = tables.layout();
    let (source, segments) = (tables.source, tables.segments);
    let len = machine::sysv_entry(tables.header.machine, layout);
    let at = |index: u64| -> Result<u64, Fault> {
        let offset = segments.entry("hash table", table, index, len)?;
        let mut raw = [0; 8];
        source.fill(offset, &mut raw[..len as usize])?;
        Ok(if len == 8 { layout.u64(&raw, 0) } else { u64::from(layout.u32(&raw, 0)) })
    };
    let (buckets, chains) = (at(0)?, at(1)?);
    if buckets == 0 {
        return Ok(());
    }
    let mut symbol = at(2 + u64::from(sysv_hash(name)) % buckets)?;
    for _ in 0..MAX_CHAIN.min(chains.saturating_add(1)) {
        if symbol == 0 {
            return Ok(());
        }
        if visit(symbol)? {
            return Ok(());
        }
        let next = symbol.checked_add(buckets).and_then(|index| index.checked_add(2));
        symbol = match next {
            Some(next) => at(next)?,
            None => break,
        };
    }
    Err(Fault::malformed("a chain of its hash table has no end"))
}

fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381, |hash: u32, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

fn sysv_hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add(u32::from(*byte));
        let top = hash & 0xf000_0000;
        (hash ^ (top >> 24)) & !top
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_specifications() {
        assert_eq!(gnu_hash(b""), 5381);
        assert_eq!(gnu_hash(b"printf"), 0x156b_2bb8);
        assert_eq!(sysv_hash(b"printf"), 0x0779_05a6);
    }
}
