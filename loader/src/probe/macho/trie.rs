//! The export trie: a tree of name parts with the exports at its leaves.

use object::macho;

use super::Found;
use super::cursor::Cursor;
use crate::probe::read::Source;
use crate::probe::verdict::{Fault, printable};

/// The longest way from the root; dyld gives up there too.
const MAX_DEPTH: usize = 128;

/// The longest name of a re-exported symbol that is shown.
const MAX_NAME: usize = 256;

/// Walks the trie along `name`.
pub(super) fn find(source: &Source<'_>, trie: (u64, u64), name: &[u8]) -> Result<Option<Found>, Fault> {
    let (start, len) = trie;
    if len == 0 {
        return Ok(None);
    }
    let end = start.saturating_add(len);
    let mut node = 0;
    let mut rest = name;
    for _ in 0..MAX_DEPTH {
        let at = start.saturating_add(node);
        let mut cursor = Cursor::new(source, at, end)?;
        let terminal = cursor.uleb()?;
        if rest.is_empty() {
            return if terminal == 0 { Ok(None) } else { read(&mut cursor).map(Some) };
        }
        cursor.skip(terminal)?;
        match follow(&mut cursor, rest)? {
            Some((matched, child)) => {
                rest = &rest[matched..];
                node = child;
            }
            None => return Ok(None),
        }
    }
    Err(Fault::malformed("the list of exports leads in a circle"))
}

/// The first edge that `rest` begins with: its length, and the node at its end.
fn follow(cursor: &mut Cursor<'_>, rest: &[u8]) -> Result<Option<(usize, u64)>, Fault> {
    for _ in 0..cursor.byte()? {
        let mut matched = Some(0);
        loop {
            let byte = cursor.byte()?;
            if byte == 0 {
                break;
            }
            matched = matched.filter(|at| rest.get(*at) == Some(&byte)).map(|at| at + 1);
        }
        let child = cursor.uleb()?;
        if let Some(matched) = matched {
            return Ok(Some((matched, child)));
        }
    }
    Ok(None)
}

fn read(cursor: &mut Cursor<'_>) -> Result<Found, Fault> {
    let flags = cursor.uleb()?;
    let has = |flag: macho::ExportSymbolFlags| flags & flag.0 != 0;
    if has(macho::EXPORT_SYMBOL_FLAGS_REEXPORT) {
        let library = cursor.uleb()?;
        let mut name = Vec::new();
        loop {
            match cursor.byte()? {
                0 => break,
                byte if name.len() < MAX_NAME => name.push(byte),
                _ => return Err(Fault::malformed("a name in the list of exports has no end")),
            }
        }
        let name = printable(&name);
        let name = if name.is_empty() { "the same name".to_owned() } else { format!("`{name}`") };
        return Ok(Found::Forwarded(format!("{name} of the library that it needs as number {library}")));
    }
    let value = cursor.uleb()?;
    if has(macho::EXPORT_SYMBOL_FLAGS_STUB_AND_RESOLVER) {
        return Ok(Found::Resolver(value));
    }
    match flags & 3 {
        0 => Ok(Found::Offset(value)),
        1 => Ok(Found::ThreadLocal(value)),
        2 => Ok(Found::Absolute(value)),
        kind => Err(Fault::malformed(format!("an export is of an unknown kind, {kind}"))),
    }
}
