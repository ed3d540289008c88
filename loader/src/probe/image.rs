//! What a library's headers say it is.

use std::fmt;

use super::layout::{Endian, Layout};
use super::read::Source;
use super::verdict::Finding;

/// A format of libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Linux, the BSDs, and others.
    Elf,
    /// macOS and its relatives.
    Macho,
    /// Windows.
    Pe,
}

impl Format {
    /// `elf`, `macho` or `pe`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Elf => "elf",
            Format::Macho => "macho",
            Format::Pe => "pe",
        }
    }
}

/// The machine, by Rust's name for it, or by the format's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    Named(&'static str),
    /// A variant of a machine that does not load on the plain one: `arm64e`.
    Variant(&'static str, &'static str),
    Number(u32),
}

impl Machine {
    /// Rust's `target_arch`, if an image of it loads there.
    pub(super) const fn name(&self) -> Option<&'static str> {
        match self {
            Machine::Named(name) => Some(name),
            Machine::Variant(..) | Machine::Number(_) => None,
        }
    }

    /// Rust's `target_arch`.
    pub(super) const fn arch(&self) -> Option<&'static str> {
        match self {
            Machine::Named(name) | Machine::Variant(name, _) => Some(name),
            Machine::Number(_) => None,
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Machine::Named(name) | Machine::Variant(_, name) => f.write_str(name),
            Machine::Number(number) => write!(f, "machine {number:#x}"),
        }
    }
}

/// The systems that an image can be for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Systems {
    /// Nothing known.
    #[default]
    Any,
    /// One, as Rust's `target_os`.
    One(&'static str),
    /// Any of those which use plain ELF.
    Elf,
    /// An unknown one, by its number in the format.
    Number(u32),
}

impl Systems {
    pub(super) fn contains(self, os: &str) -> bool {
        match self {
            Systems::Any => true,
            Systems::One(name) => name == os,
            Systems::Elf => !matches!(
                os,
                "macos" | "ios" | "tvos" | "watchos" | "visionos" | "windows" | "uefi" | "cygwin" | "aix"
            ),
            Systems::Number(_) => false,
        }
    }

    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Systems::One(name) => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Systems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Systems::Any => f.write_str("an unknown system"),
            Systems::One(name) => f.write_str(name),
            Systems::Elf => f.write_str("a system that uses ELF (linux, the BSDs)"),
            Systems::Number(number) => write!(f, "system {number:#x}"),
        }
    }
}

/// What is known of an image; filled as its headers are read, so that a damaged one still says what it is for.
#[derive(Debug, Default)]
pub(super) struct Image {
    pub(super) format: Option<Format>,
    pub(super) machine: Option<Machine>,
    /// The machines of all slices, where there are several.
    pub(super) slices: Vec<Machine>,
    pub(super) bits: Option<u8>,
    pub(super) endian: Option<Endian>,
    pub(super) systems: Systems,
    pub(super) links: Links,
}

impl Image {
    pub(super) fn set_layout(&mut self, layout: Layout) {
        self.bits = Some(layout.bits());
        self.endian = Some(layout.endian);
    }

    /// `32-bit little-endian x86`.
    pub(super) fn shape(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.bits.map(|bits| format!("{bits}-bit")));
        words.extend(self.endian.map(|endian| endian.as_str().to_owned()));
        words.extend(self.machine.map(|machine| machine.to_string()));
        words.join(" ")
    }

    /// `aarch64`, or all slices of a fat file.
    pub(super) fn machine_words(&self) -> String {
        if self.slices.len() > 1 {
            let mut names: Vec<String> = Vec::new();
            for name in self.slices.iter().map(Machine::to_string) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            return names.join(" and ");
        }
        self.machine.map_or_else(|| "an unknown machine".to_owned(), |machine| machine.to_string())
    }
}

/// What a library asks of the system's loader.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Links {
    /// The libraries it needs, as it names them.
    pub needed: Vec<String>,
    /// The name under which the system knows it once it is loaded.
    pub soname: Option<String>,
    /// Where else the system looks for what it needs, as written (`$ORIGIN/lib`).
    pub run_path: Vec<String>,
    /// The newest version of glibc that it needs, major and minor.
    pub glibc: Option<(u32, u32)>,
    /// It was built for musl.
    pub musl: bool,
    /// The stack it asks for.
    #[serde(skip)]
    pub(super) stack: Stack,
    /// The x86-64 level it needs.
    pub x86_level: Option<u8>,
}

/// What an image says of the stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stack {
    #[default]
    Unsaid,
    Plain,
    Executable,
}

impl Links {
    /// Does it look for libraries beside itself?
    pub fn looks_beside_itself(&self) -> bool {
        self.run_path.iter().any(|path| {
            path.contains("$ORIGIN")
                || path.contains("${ORIGIN}")
                || path.starts_with("@loader_path")
                || path.starts_with("@rpath")
        }) || self.needed.iter().any(|name| name.starts_with("@loader_path"))
    }
}

/// Did an image define the name?
#[derive(Debug)]
pub(super) enum Symbol {
    /// No.
    Absent,
    /// Only as a version that a lookup by plain name does not find.
    NotDefault,
    /// Yes.
    Defined(Definition),
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// What it is.
    pub kind: Kind,
    /// Its address in the image, or its value.
    pub address: u64,
    /// Its size in bytes, where the format says it.
    pub size: Option<u64>,
    /// Where it stands in the file, and how many bytes of its segment there are from there on.
    pub in_file: Option<(u64, u64)>,
}

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data, in the file or zero.
    Data,
    /// Code.
    Function,
    /// A function that picks a function while the library is loaded.
    Resolver,
    /// One copy a thread.
    ThreadLocal,
    /// A plain number.
    Absolute,
    /// Data that a linker should have placed.
    Common,
    /// Another library's symbol, under this name: what the format says of it.
    Forwarded(String),
}

/// What came of reading an image: its source (one slice of a fat file), the layout, the symbol and a hint.
pub(super) struct Seen<'a> {
    pub(super) source: Source<'a>,
    pub(super) layout: Layout,
    pub(super) symbol: Symbol,
    pub(super) hint: Option<Finding>,
}
