//! A name looked up as `dlsym` looks it up in one object.

mod hash;

use object::elf;

use super::dynamic::Dynamic;
use super::header::Header;
use super::segments::{Place, Segments};
use crate::probe::image::{Definition, Kind, Symbol};
use crate::probe::layout::Layout;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// What a lookup needs of an image.
pub(super) struct Tables<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) header: &'a Header,
    pub(super) segments: &'a Segments,
    pub(super) dynamic: &'a Dynamic,
}

/// One entry of the symbol table.
pub(super) struct Entry {
    pub(super) name: u64,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// What the entries of one name come to.
#[derive(Default)]
struct Candidates {
    /// The one that is not versioned: it ends the search.
    plain: Option<Entry>,
    /// The one of a default version.
    default: Option<Entry>,
    defaults: u32,
    hidden: u32,
}

impl Tables<'_> {
    pub(super) fn layout(&self) -> Layout {
        self.header.layout
    }

    /// Looks `name` up through the hash table that the system would use.
    pub(super) fn find(&self, name: &[u8]) -> Result<Symbol, Fault> {
        let mut candidates = Candidates::default();
        let mut visit = |index: u64| {
            let entry = self.symbol(index)?;
            if !entry.is_defined() || !entry.has_place() || !self.is_named(&entry, name)? {
                return Ok(false);
            }
            candidates.add(entry, self.version(index)?);
            Ok(candidates.plain.is_some())
        };
        match (self.dynamic.gnu_hash, self.dynamic.sysv_hash) {
            (Some(table), _) => hash::gnu(self, table, name, &mut visit)?,
            (None, Some(table)) => hash::sysv(self, table, name, &mut visit)?,
            (None, None) => {}
        }
        Ok(candidates.decide(self))
    }

    pub(super) fn symbol(&self, index: u64) -> Result<Entry, Fault> {
        let layout = self.layout();
        let len = Entry::len(layout);
        let offset = self.segments.entry("symbol table", self.dynamic.symbols, index, len)?;
        let mut raw = [0; 24];
        self.source.fill(offset, &mut raw[..len as usize])?;
        Ok(Entry::parse(layout, &raw))
    }

    /// Where the string at `offset` of the string table stands.
    pub(super) fn string_place(&self, offset: u64) -> Result<Place, Fault> {
        self.dynamic
            .strings
            .checked_add(offset)
            .and_then(|address| self.segments.place(address))
            .ok_or_else(|| Fault::malformed("a name lies outside the segments"))
    }

    /// A string, of at most `max` bytes.
    pub(super) fn string(&self, offset: u64, max: usize) -> Result<String, Fault> {
        let place = self.string_place(offset)?;
        match self.source.text(place.offset, place.available, max)? {
            Some(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
            None => Err(Fault::malformed("a name has no end")),
        }
    }

    fn is_named(&self, entry: &Entry, name: &[u8]) -> Result<bool, Fault> {
        let place = self.string_place(entry.name)?;
        let mut at = place.offset;
        if place.available <= name.len() as u64 {
            return Ok(false);
        }
        for chunk in name.chunks(64) {
            let mut raw = [0; 64];
            self.source.fill(at, &mut raw[..chunk.len()])?;
            if raw[..chunk.len()] != *chunk {
                return Ok(false);
            }
            at += chunk.len() as u64;
        }
        Ok(self.source.array::<1>(at)? == [0])
    }

    /// The version of a symbol; nothing if the image is not versioned. As in glibc, the versions count only if the
    /// image defines or needs some.
    fn version(&self, index: u64) -> Result<Option<u16>, Fault> {
        let Some(table) = self.dynamic.versions else { return Ok(None) };
        if self.dynamic.version_needs.is_none() && self.dynamic.version_definitions.is_none() {
            return Ok(None);
        }
        let offset = self.segments.entry("version table", table, index, 2)?;
        Ok(Some(self.layout().u16(&self.source.array::<2>(offset)?, 0)))
    }
}

impl Candidates {
    fn add(&mut self, entry: Entry, version: Option<u16>) {
        match version {
            None | Some(0 | 1) => self.plain = Some(entry),
            Some(version) if version & elf::VERSYM_HIDDEN.0 == 0 => {
                self.defaults += 1;
                self.default.get_or_insert(entry);
            }
            // "Local" and "global" are no versions, hidden or not.
            Some(version) if version & elf::VERSYM_VERSION < 2 => self.plain = Some(entry),
            Some(_) => self.hidden += u32::from(entry.is_visible()),
        }
    }

    fn decide(self, tables: &Tables<'_>) -> Symbol {
        let entry = self.plain.or_else(|| self.default.filter(|_| self.defaults == 1));
        match entry {
            Some(entry) if entry.is_visible() => Symbol::Defined(entry.definition(tables)),
            Some(_) => Symbol::Absent,
            None if self.hidden > 0 || self.defaults > 1 => Symbol::NotDefault,
            None => Symbol::Absent,
        }
    }
}

impl Entry {
    pub(super) const fn len(layout: Layout) -> u64 {
        if layout.wide { 24 } else { 16 }
    }

    pub(super) fn parse(layout: Layout, raw: &[u8]) -> Self {
        let byte = |at: usize| raw.get(at).copied().unwrap_or_default();
        if layout.wide {
            Entry {
                name: u64::from(layout.u32(raw, 0)),
                info: byte(4),
                other: byte(5),
                section: layout.u16(raw, 6),
                value: layout.u64(raw, 8),
                size: layout.u64(raw, 16),
            }
        } else {
            Entry {
                name: u64::from(layout.u32(raw, 0)),
                value: u64::from(layout.u32(raw, 4)),
                size: u64::from(layout.u32(raw, 8)),
                info: byte(12),
                other: byte(13),
                section: layout.u16(raw, 14),
            }
        }
    }

    pub(super) const fn is_defined(&self) -> bool {
        self.section != elf::SHN_UNDEF.0
    }

    const fn kind(&self) -> elf::SymbolType {
        elf::SymbolType(self.info & 0xf)
    }

    /// Has it a place at all? Zero is one for absolute symbols and thread-locals only; sections and files have none.
    pub(super) fn has_place(&self) -> bool {
        let placed = self.value != 0 || self.section == elf::SHN_ABS.0 || self.kind() == elf::STT_TLS;
        let code_or_data = matches!(
            self.kind(),
            elf::STT_NOTYPE
                | elf::STT_OBJECT
                | elf::STT_FUNC
                | elf::STT_COMMON
                | elf::STT_TLS
                | elf::STT_GNU_IFUNC
        );
        placed && code_or_data
    }

    /// Do other objects see it?
    pub(super) fn is_visible(&self) -> bool {
        let bound =
            matches!(elf::SymbolBind(self.info >> 4), elf::STB_GLOBAL | elf::STB_WEAK | elf::STB_GNU_UNIQUE);
        let shown = !matches!(elf::SymbolVisibility(self.other & 3), elf::STV_HIDDEN | elf::STV_INTERNAL);
        bound && shown
    }

    fn definition(&self, tables: &Tables<'_>) -> Definition {
        let kind = match (self.kind(), elf::SymbolSection(self.section)) {
            (elf::STT_FUNC, _) => Kind::Function,
            (elf::STT_GNU_IFUNC, _) => Kind::Resolver,
            (elf::STT_TLS, _) => Kind::ThreadLocal,
            (elf::STT_COMMON, _) | (_, elf::SHN_COMMON) => Kind::Common,
            (_, elf::SHN_ABS) => Kind::Absolute,
            _ => Kind::Data,
        };
        let place = tables.segments.place(self.value).filter(|_| kind == Kind::Data);
        Definition {
            kind,
            address: self.value,
            size: Some(self.size),
            in_file: place.map(|place| (place.offset, place.available)),
        }
    }
}
