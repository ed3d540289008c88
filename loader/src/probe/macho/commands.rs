//! Load commands: what dyld would map, and where the exports stand.

use object::macho;

use super::symtab::Table;
use crate::probe::image::{Kind, Links, Systems};
use crate::probe::layout::Layout;
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// More load commands than any linker writes, in bytes.
const MAX_COMMANDS: u32 = 40 << 10;

pub(super) struct Commands {
    pub(super) layout: Layout,
    segments: Vec<Segment>,
    sections: Vec<Section>,
    /// The address of the image's first byte.
    pub(super) base: u64,
    /// Where the export trie stands, and its length.
    pub(super) trie: Option<(u64, u64)>,
    pub(super) symtab: Option<Table>,
    systems: Vec<Systems>,
    needed: Vec<String>,
    name: Option<String>,
    run_path: Vec<String>,
}

struct Segment {
    address: u64,
    in_memory: u64,
    offset: u64,
    in_file: u64,
}

struct Section {
    address: u64,
    size: u64,
    flags: u32,
}

impl Commands {
    pub(super) fn read(source: &Source<'_>, layout: Layout, header: &[u8; 28]) -> Result<Self, Fault> {
        let (count, len) = (layout.u32(header, 16), layout.u32(header, 20));
        let start = if layout.wide { 32 } else { 28 };
        if start + u64::from(len) > source.size() {
            return Err(Fault::beyond("a load command", source.size()));
        }
        if len > MAX_COMMANDS {
            return Err(Fault::malformed(format!("it claims {len} bytes of load commands")));
        }
        let bytes = source.vec(start, len as usize)?;
        let mut commands = Commands {
            layout,
            segments: Vec::new(),
            sections: Vec::new(),
            base: 0,
            trie: None,
            symtab: None,
            systems: Vec::new(),
            needed: Vec::new(),
            name: None,
            run_path: Vec::new(),
        };
        let mut info = None;
        let mut rest = bytes.as_slice();
        for _ in 0..count {
            let size = layout.u32(rest, 4) as usize;
            if rest.len() < 8 || size < 8 || size > rest.len() {
                return Err(Fault::malformed("a load command does not fit where it stands"));
            }
            let (command, after) = rest.split_at(size);
            commands.add(macho::LoadCommandType(layout.u32(command, 0)), command, &mut info)?;
            rest = after;
        }
        // The trie of its own wins over the older command that has one among others.
        commands.trie = commands.trie.or(info);
        commands.base = commands
            .segments
            .iter()
            .find(|segment| segment.offset == 0 && segment.in_file > 0)
            .map(|segment| segment.address)
            .ok_or_else(|| Fault::malformed("no segment holds its header"))?;
        Ok(commands)
    }

    fn add(
        &mut self,
        kind: macho::LoadCommandType,
        command: &[u8],
        info: &mut Option<(u64, u64)>,
    ) -> Result<(), Fault> {
        let layout = self.layout;
        let range = |at: usize| (u64::from(layout.u32(command, at)), u64::from(layout.u32(command, at + 4)));
        let needs = |len: usize| {
            if command.len() < len { Err(Fault::malformed("a load command is too short")) } else { Ok(()) }
        };
        match kind {
            macho::LC_SEGMENT | macho::LC_SEGMENT_64 => {
                self.segment(kind == macho::LC_SEGMENT_64, command)?
            }
            macho::LC_DYLD_EXPORTS_TRIE => {
                needs(16)?;
                self.trie = Some(range(8));
            }
            macho::LC_DYLD_INFO | macho::LC_DYLD_INFO_ONLY => {
                needs(48)?;
                *info = Some(range(40));
            }
            macho::LC_SYMTAB => {
                needs(24)?;
                let table = self.symtab.get_or_insert_default();
                (table.symbols, table.count) = range(8);
                (table.strings, table.strings_len) = range(16);
            }
            macho::LC_DYSYMTAB => {
                needs(32)?;
                let table = self.symtab.get_or_insert_default();
                table.exported = Some(range(16));
                table.imported = Some(range(24));
            }
            macho::LC_BUILD_VERSION => {
                needs(12)?;
                self.systems.push(platform(layout.u32(command, 8)));
            }
            macho::LC_VERSION_MIN_MACOSX => self.systems.push(Systems::One("macos")),
            macho::LC_VERSION_MIN_IPHONEOS => self.systems.push(Systems::One("ios")),
            macho::LC_VERSION_MIN_TVOS => self.systems.push(Systems::One("tvos")),
            macho::LC_VERSION_MIN_WATCHOS => self.systems.push(Systems::One("watchos")),
            macho::LC_LOAD_DYLIB
            | macho::LC_LOAD_WEAK_DYLIB
            | macho::LC_REEXPORT_DYLIB
            | macho::LC_LOAD_UPWARD_DYLIB => self.needed.extend(text(layout, command)),
            macho::LC_ID_DYLIB => self.name = text(layout, command),
            macho::LC_RPATH => self.run_path.extend(text(layout, command)),
            _ => {}
        }
        Ok(())
    }

    fn segment(&mut self, wide: bool, command: &[u8]) -> Result<(), Fault> {
        let layout = Layout { wide, ..self.layout };
        let (head, section_len) = if wide { (72, 80) } else { (56, 68) };
        if command.len() < head {
            return Err(Fault::malformed("a load command is too short"));
        }
        let word = layout.word_len() as usize;
        let at = |index: usize| layout.word(command, 24 + index * word);
        let segment = Segment { address: at(0), in_memory: at(1), offset: at(2), in_file: at(3) };
        if segment.in_file > segment.in_memory {
            return Err(Fault::malformed("a segment is larger in the file than in memory"));
        }
        if segment.address.checked_add(segment.in_memory).is_none() {
            return Err(Fault::malformed("a segment ends beyond the address space"));
        }
        self.segments.push(segment);
        let count = layout.u32(command, head - 8) as usize;
        let sections = &command[head..];
        if count > sections.len() / section_len {
            return Err(Fault::malformed("a segment claims more sections than fit into its load command"));
        }
        for section in sections.chunks_exact(section_len).take(count) {
            self.sections.push(Section {
                address: layout.word(section, 32),
                size: layout.word(section, 32 + word),
                flags: layout.u32(section, if wide { 64 } else { 56 }),
            });
        }
        Ok(())
    }

    /// Does the file hold everything that the commands name?
    pub(super) fn complete(&self, source: &Source<'_>) -> Result<(), Fault> {
        let table = self.symtab.as_ref();
        let ranges = self
            .segments
            .iter()
            .map(|segment| ("a segment", segment.offset, segment.in_file))
            .chain(self.trie.map(|(offset, len)| ("the list of exports", offset, len)))
            .chain(table.map(|table| ("the symbol table", table.symbols, table.bytes(self.layout))))
            .chain(table.map(|table| ("the names of the symbols", table.strings, table.strings_len)));
        for (what, offset, len) in ranges {
            if len > 0 && offset.checked_add(len).is_none_or(|end| end > source.size()) {
                return Err(Fault::beyond(what, source.size()));
            }
        }
        Ok(())
    }

    /// Of several systems, the one asked about; else the first.
    pub(super) fn system(&self, wanted: &str) -> Option<Systems> {
        let fits = self.systems.iter().find(|system| system.contains(wanted));
        fits.or(self.systems.first()).copied()
    }

    /// Where in the file an address stands, and how many bytes of its section there are from there on.
    pub(super) fn place(&self, address: u64) -> Option<(u64, u64)> {
        let segment = self.segments.iter().find(|segment| {
            address.checked_sub(segment.address).is_some_and(|into| into < segment.in_file)
        })?;
        let into = address - segment.address;
        let available = match self.section(address) {
            Some(section) => section.size - (address - section.address),
            None => segment.in_file - into,
        };
        Some((segment.offset.checked_add(into)?, available.min(segment.in_file - into)))
    }

    /// What the section at an address holds.
    pub(super) fn kind_at(&self, address: u64) -> Kind {
        let Some(section) = self.section(address) else { return Kind::Data };
        let code = macho::S_ATTR_PURE_INSTRUCTIONS.0 | macho::S_ATTR_SOME_INSTRUCTIONS.0;
        if section.flags & code != 0 {
            return Kind::Function;
        }
        match section.flags & macho::SECTION_TYPE {
            // Thread-local data, descriptors and initial values.
            0x11..=0x15 => Kind::ThreadLocal,
            _ => Kind::Data,
        }
    }

    fn section(&self, address: u64) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| address.checked_sub(section.address).is_some_and(|into| into < section.size))
    }

    pub(super) fn links(self) -> Links {
        Links { needed: self.needed, soname: self.name, run_path: self.run_path, ..Links::default() }
    }
}

/// The text that a command ends with.
fn text(layout: Layout, command: &[u8]) -> Option<String> {
    let raw = command.get(layout.u32(command, 8) as usize..)?;
    let raw = raw.split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(raw).into_owned())
}

fn platform(number: u32) -> Systems {
    Systems::One(match number {
        1 => "macos",
        2 | 6 | 7 => "ios",
        3 | 8 => "tvos",
        4 | 9 => "watchos",
        11 | 12 => "visionos",
        other => return Systems::Number(other),
    })
}
