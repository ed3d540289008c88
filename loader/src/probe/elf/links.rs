//! What an image asks of the system's loader: libraries, their places, versions of the C library, a processor.

use object::elf;

use super::lookup::Tables;
use crate::probe::image::{Image, Systems};
use crate::probe::verdict::Fault;

/// More version names than a library needs or defines: glibc itself defines some 40.
const MAX_VERSIONS: u32 = 512;

/// The longest name of a library, or list of folders, that is read.
const MAX_TEXT: usize = 4096;

/// Reads the names of the needed libraries and versions into `image`.
pub(super) fn read(tables: &Tables<'_>, image: &mut Image) -> Result<(), Fault> {
    let links = &mut image.links;
    for name in &tables.dynamic.needed {
        links.needed.push(tables.string(*name, MAX_TEXT)?);
    }
    if let Some(name) = tables.dynamic.soname {
        links.soname = Some(tables.string(name, MAX_TEXT)?);
    }
    // As the system does: the older list counts only without the newer.
    if let Some(list) = tables.dynamic.runpath.or(tables.dynamic.rpath) {
        let list = tables.string(list, MAX_TEXT)?;
        links.run_path = list.split(':').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    }
    let named = |prefix: &str| links.needed.iter().any(|name| name.starts_with(prefix));
    links.musl = named("libc.musl-") || named("ld-musl-");
    let linux = links.musl || named("libc.so.6") || named("ld-linux");
    links.glibc = needed_glibc(tables)?;
    links.x86_level = x86_level(tables)?;
    if image.systems == Systems::Elf && (linux || links.glibc.is_some()) {
        image.systems = Systems::One("linux");
    }
    Ok(())
}

fn needed_glibc(tables: &Tables<'_>) -> Result<Option<(u32, u32)>, Fault> {
    let Some((table, count)) = tables.dynamic.version_needs else { return Ok(None) };
    let layout = tables.layout();
    let mut newest = None;
    let mut left = MAX_VERSIONS;
    let mut file = table;
    for _ in 0..count.min(u64::from(MAX_VERSIONS)) {
        let offset = tables.segments.entry("table of needed versions", file, 0, 16)?;
        let raw: [u8; 16] = tables.source.array(offset)?;
        let (entries, first, next) = (layout.u16(&raw, 2), layout.u32(&raw, 8), layout.u32(&raw, 12));
        let mut entry = file.saturating_add(u64::from(first));
        for _ in 0..entries {
            left = left.checked_sub(1).ok_or_else(endless)?;
            let offset = tables.segments.entry("table of needed versions", entry, 0, 16)?;
            let raw: [u8; 16] = tables.source.array(offset)?;
            // A weak one may be missing.
            if layout.u16(&raw, 4) & elf::VER_FLG_WEAK.0 == 0 {
                newest = newest.max(glibc_version(tables, layout.u32(&raw, 8))?);
            }
            match layout.u32(&raw, 12) {
                0 => break,
                step => entry = entry.saturating_add(u64::from(step)),
            }
        }
        if next == 0 {
            break;
        }
        file = file.saturating_add(u64::from(next));
    }
    Ok(newest)
}

/// The newest `GLIBC_` version that an image defines.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn defined_glibc(tables: &Tables<'_>) -> Result<Option<(u32, u32)>, Fault> {
    let Some((table, count)) = tables.dynamic.version_definitions else { return Ok(None) };
    let layout = tables.layout();
    let mut newest = None;
    let mut entry = table;
    for _ in 0..count.min(u64::from(MAX_VERSIONS)) {
        let offset = tables.segments.entry("table of versions", entry, 0, 20)?;
        let raw: [u8; 20] = tables.source.array(offset)?;
        let (name, next) = (layout.u32(&raw, 12), layout.u32(&raw, 16));
        let offset = tables.segments.entry("table of versions", entry, 0, u64::from(name) + 8)?;
        let raw: [u8; 8] = tables.source.array(offset + u64::from(name))?;
        newest = newest.max(glibc_version(tables, layout.u32(&raw, 0))?);
        if next == 0 {
            break;
        }
        entry = entry.saturating_add(u64::from(next));
    }
    Ok(newest)
}

fn glibc_version(tables: &Tables<'_>, name: u32) -> Result<Option<(u32, u32)>, Fault> {
    let place = tables.string_place(u64::from(name))?;
    let name = tables.source.text(place.offset, place.available, 64)?.unwrap_or_default();
    Ok(std::str::from_utf8(&name).ok().and_then(parse_glibc))
}

/// `GLIBC_2.34` as numbers; the few names without numbers stand for the version that brought them.
fn parse_glibc(name: &str) -> Option<(u32, u32)> {
    let version = name.strip_prefix("GLIBC_")?;
    if version == "ABI_DT_RELR" {
        return Some((2, 36));
    }
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next().unwrap_or("0").parse().ok()?))
}

/// The x86-64 level in the note that `-z x86-64-v3` leaves, and that glibc refuses to load below.
fn x86_level(tables: &Tables<'_>) -> Result<Option<u8>, Fault> {
    let machine = elf::Machine(tables.header.machine);
    let Some((address, len)) = tables.segments.property else { return Ok(None) };
    if !matches!(machine, elf::EM_X86_64 | elf::EM_386) || len > 1024 {
        return Ok(None);
    }
    let layout = tables.layout();
    let note =
        tables.source.vec(tables.segments.entry("note of properties", address, 0, len)?, len as usize)?;
    if layout.u32(&note, 0) != 4 || note.get(12..16) != Some(b"GNU\0") {
        return Ok(None);
    }
    let end = note.len().min((layout.u32(&note, 4) as usize).saturating_add(16));
    let mut at = 16;
    while at + 8 <= end {
        let (kind, size) = (layout.u32(&note, at), layout.u32(&note, at + 4) as usize);
        if elf::GnuPropertyType(kind) == elf::GNU_PROPERTY_X86_ISA_1_NEEDED && size == 4 {
            let bits = layout.u32(&note, at + 8);
            return Ok((1..=4).rev().find(|level| bits & (1 << (level - 1)) != 0));
        }
        let align = layout.word_len() as usize;
        let next = at.checked_add(8).and_then(|at| at.checked_add(size)?.checked_next_multiple_of(align));
        let Some(next) = next else { break };
        at = next;
    }
    Ok(None)
}

fn endless() -> Fault {
    Fault::malformed("its table of needed versions has no end")
}

#[cfg(test)]
mod tests {
    use super::parse_glibc;

    #[test]
    fn versions_of_glibc_are_compared_as_numbers() {
        assert_eq!(parse_glibc("GLIBC_2.2.5"), Some((2, 2)));
        assert!(parse_glibc("GLIBC_2.34") > parse_glibc("GLIBC_2.4"));
        assert_eq!(parse_glibc("GLIBC_PRIVATE"), None);
        assert_eq!(parse_glibc("GLIBC_ABI_DT_RELR"), Some((2, 36)));
        assert_eq!(parse_glibc("GLIBCXX_3.4"), None);
    }
}
