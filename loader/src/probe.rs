//! Looks into a library without running, mapping or trusting any of it.
//!
//! A probe takes bytes ([`ReadAt`]) and a [`Target`], and says whether they are a plugin for it. It reads the exported
//! symbol as the system's own loader would find it: program headers and hash tables of ELF, export tries of Mach-O (of
//! every slice), the export directory of PE, each of any word size and byte order, on any host.
//!
//! The first match wins: what is wrong with the file itself; another word size, machine or system; the format; the
//! symbol; its header; linking. Only a file that defines the symbol, or that is damaged, is ever refused as foreign: a
//! sound library of another machine that has no symbol is simply [`Verdict::Other`].
//!
//! Nothing is read but exact spots, at most [`MAX_READ`] bytes in all beside the manifest; every loop has a bound that
//! does not come from the file.
//!
//! ```
//! use toolrack::probe::{self, Target, Verdict};
//!
//! let probe = probe::probe(&b"INPUT(libfoo.so.1)".to_vec(), Target::host());
//! let Verdict::Rejected(finding) = probe.verdict else { panic!("a script is no library") };
//! assert_eq!(finding.code.as_str(), "T2002");
//! ```

mod elf;
mod files;
mod host;
mod image;
mod layout;
mod linking;
mod macho;
mod manifest;
mod near;
mod pe;
mod read;
mod sniff;
mod stamp;
mod target;
mod verdict;

use std::cell::Cell;

use toolrack_abi::{MAX_MANIFEST, SYMBOL};

pub use self::files::{FileProbe, FileProbes, probe_file, probe_paths, probe_paths_with};
pub use self::image::{Definition, Format, Kind, Links};
use self::image::{Image, Seen, Symbol};
pub use self::layout::Endian;
pub use self::manifest::{Manifest, ManifestTool};
pub use self::read::{MAX_READ, ReadAt};
pub use self::stamp::Stamped;
pub use self::target::{Libc, Target};
use self::verdict::Fault;
pub use self::verdict::{Finding, Verdict};

/// What a file's bytes say.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Probe {
    /// Is it a plugin for the target?
    pub verdict: Verdict,
    /// Its format, if it has one that is known.
    pub format: Option<Format>,
    /// Its machine, as Rust's `target_arch`.
    pub arch: Option<&'static str>,
    /// Its system, as Rust's `target_os`, if the format says it.
    pub os: Option<&'static str>,
    /// 32 or 64.
    pub pointer_width: Option<u8>,
    /// Its byte order.
    pub endian: Option<Endian>,
    /// The plugin's stamp, also of one that is refused for it.
    pub stamp: Option<Stamped>,
    /// The plugin's manifest.
    pub manifest: Option<Manifest>,
    /// What it asks of the system's loader; filled in for a file that defines the symbol.
    pub links: Links,
}

impl Probe {
    /// What is worth telling of a plugin that is none of the reasons to refuse it.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(stamp) = &self.stamp {
            if stamp.panic_abort {
                notes.push("built with panic=abort: a panic in it ends the process".to_owned());
            }
            if stamp.stamp_version > toolrack_abi::STAMP_VERSION {
                let version = stamp.stamp_version;
                notes
                    .push(format!("its stamp is of version {version} and may say more than this host reads"));
            }
        }
        if self.links.looks_beside_itself() {
            notes.push(format!("looks for libraries beside itself: {}", self.links.run_path.join(", ")));
        }
        notes
    }
}

/// What a short look says: has this file the symbol?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Peek {
    /// It defines `register_tools`, for this target. The rest is for [`probe`] to say.
    Symbol,
    /// A sound library without the symbol.
    Other,
    /// Nothing that can be a plugin here.
    Rejected(Finding),
}

/// How far a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Symbol,
    Whole,
}

/// What is asked of an image.
struct Query<'a> {
    name: &'a [u8],
    depth: Depth,
    target: &'a Target,
}

/// Reads a file up to the symbol: a few reads, for a folder full of unrelated libraries.
pub fn peek(file: &dyn ReadAt, target: &Target) -> Peek {
    let budget = Cell::new(MAX_READ);
    let query = Query { name: SYMBOL.as_bytes(), depth: Depth::Symbol, target };
    let mut image = Image::default();
    let seen = examine(file, &query, &budget, &mut image);
    match settle(seen, &image, target) {
        Ok(Seen { symbol: Symbol::Absent, .. }) => Peek::Other,
        Ok(Seen { symbol: Symbol::NotDefault, .. }) => Peek::Rejected(not_default()),
        Ok(Seen { symbol: Symbol::Defined(_), .. }) => Peek::Symbol,
        Err(Verdict::Rejected(finding)) => Peek::Rejected(finding),
        Err(Verdict::Plugin | Verdict::Other(_)) => Peek::Other,
    }
}

/// Reads all of a file that matters: the symbol, the header behind it, the manifest, and what it asks of the system.
pub fn probe(file: &dyn ReadAt, target: &Target) -> Probe {
    let budget = Cell::new(MAX_READ);
    let query = Query { name: SYMBOL.as_bytes(), depth: Depth::Whole, target };
    let mut image = Image::default();
    let mut header = Header::default();
    let verdict = match settle(examine(file, &query, &budget, &mut image), &image, target) {
        Err(verdict) => verdict,
        Ok(Seen { symbol: Symbol::Absent, hint, .. }) => Verdict::Other(hint),
        Ok(Seen { symbol: Symbol::NotDefault, .. }) => Verdict::Rejected(not_default()),
        Ok(Seen { symbol: Symbol::Defined(definition), source, layout, .. }) => {
            match header.read(&source, layout, &definition) {
                Err(fault) => Verdict::Rejected(fault.finding()),
                Ok(Some(finding)) => Verdict::Rejected(finding),
                Ok(None) => linking::refuses(target, &image).map_or(Verdict::Plugin, Verdict::Rejected),
            }
        }
    };
    Probe {
        verdict,
        format: image.format,
        arch: image.machine.and_then(|machine| machine.arch()),
        os: image.systems.name(),
        pointer_width: image.bits,
        endian: image.endian,
        stamp: header.stamp,
        manifest: header.manifest,
        links: image.links,
    }
}

/// Looks any name up as the system's loader would find it in this one file, whatever the file is built for.
///
/// # Errors
/// A finding, if the file is no sound library.
pub fn find_symbol(file: &dyn ReadAt, name: &str) -> Result<Option<Definition>, Finding> {
    let budget = Cell::new(MAX_READ);
    let query = Query { name: name.as_bytes(), depth: Depth::Symbol, target: Target::host() };
    match examine(file, &query, &budget, &mut Image::default()) {
        Ok(Seen { symbol: Symbol::Defined(definition), .. }) => Ok(Some(definition)),
        Ok(_) => Ok(None),
        Err(fault) => Err(fault.finding()),
    }
}

fn examine<'a>(
    file: &'a dyn ReadAt,
    query: &Query<'_>,
    budget: &'a Cell<u64>,
    image: &mut Image,
) -> Result<Seen<'a>, Fault> {
    let source = read::Source::new(file, budget)?;
    match sniff::sniff(&source)? {
        sniff::Container::Elf => elf::examine(source, query, image),
        sniff::Container::Macho => macho::examine(source, query, image),
        sniff::Container::MachoFat => macho::examine_fat(source, query, image),
        sniff::Container::Pe => pe::examine(source, query, image),
    }
}

/// Ranks what was seen against what the image is built for. A foreign image is refused unless it is a sound library
/// without the symbol.
fn settle<'a>(seen: Result<Seen<'a>, Fault>, image: &Image, target: &Target) -> Result<Seen<'a>, Verdict> {
    let foreign = || target.refuses(image);
    match seen {
        Ok(seen) if matches!(seen.symbol, Symbol::Absent) => Ok(seen),
        Ok(seen) => foreign().map_or(Ok(seen), |finding| Err(Verdict::Rejected(finding))),
        Err(fault) if fault.is_of_the_file() || image.format.is_none() => {
            Err(Verdict::Rejected(fault.finding()))
        }
        Err(fault) => Err(Verdict::Rejected(foreign().unwrap_or_else(|| fault.finding()))),
    }
}

/// What stands behind the symbol.
#[derive(Default)]
struct Header {
    stamp: Option<Stamped>,
    manifest: Option<Manifest>,
}

impl Header {
    /// Reads stamp and manifest, and says what is wrong with them.
    fn read(
        &mut self,
        source: &read::Source<'_>,
        layout: layout::Layout,
        definition: &Definition,
    ) -> Result<Option<Finding>, Fault> {
        let (stamp, manifest) = stamp::read(source, layout, definition)?;
        self.stamp = stamp;
        let (offset, len) = match manifest {
            Ok(place) => place,
            Err(finding) => return Ok(Some(finding)),
        };
        let budget = Cell::new(MAX_MANIFEST as u64 + 4096);
        let text = source.under(&budget).vec(offset, len)?;
        match Manifest::parse(&text) {
            Ok(manifest) => self.manifest = Some(manifest),
            Err(finding) => return Ok(Some(finding)),
        }
        Ok(None)
    }
}

fn not_default() -> Finding {
    Finding::new(
        crate::Code::T4002,
        format!("`{SYMBOL}` is only there as a symbol version that a lookup by name does not find"),
        "link it without a version script, or as the default version (`@@`)",
    )
}
