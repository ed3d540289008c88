//! The look into a library, against the list of its exports.

use std::cell::Cell;
use std::fs::File;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use object::{NameOrOrdinal, Object, ReadCache};
use toolrack::open::{self, Limits};
use toolrack::probe::{self, ReadAt, Target as Machine};
use toolrack::scan;
use toolrack_abi::SYMBOL;

use crate::support::{Bench, Target, nanoseconds};

/// Names another folder of libraries.
const FOLDER: &str = "TOOLRACK_BENCH_LIBRARIES";

/// A batch is every so manieth file, the next one begins one further: all kinds of files in each.
const STRIDE: usize = 16;

pub(crate) fn bench(bench: &mut Bench) {
    let folder = std::env::var_os(FOLDER).map_or_else(|| PathBuf::from("/usr/lib"), PathBuf::from);
    let files = libraries(&folder);
    if files.len() < STRIDE {
        bench.note(format!(
            "`{}` has too few libraries to be probed; {FOLDER} names others",
            folder.display()
        ));
        return;
    }
    let machine = Machine::host();
    let peek = |file: &File| drop(black_box(probe::peek(file, machine)));
    let full = |file: &File| drop(black_box(probe::probe(file, machine)));
    let count = files.len();
    let mut measured = false;
    bench.slowly(|bench| {
        let mut compare = |what: &str, target: Target, ours: Look<'_>, theirs: Look<'_>| {
            let (mut our_turn, mut their_turn) = (0, 0);
            measured |= bench.compare(
                &format!("{what}, a file of {count} : object's export list"),
                target,
                || each(&files, &mut our_turn, ours),
                || each(&files, &mut their_turn, theirs),
            );
        };
        let baseline: Look<'_> = &|path| opened(path, exports);
        compare("peek", Target::Ours(10_000.0), &|path| opened(path, peek), baseline);
        // Of a library that is no plugin this also looks for what its author may have meant.
        compare("whole probe", Target::None, &|path| opened(path, full), baseline);
        let baseline: Look<'_> = &|path| opening(path, exports);
        compare("open and peek", Target::Ours(20_000.0), &|path| opening(path, peek), baseline);
    });
    if measured {
        let (peek, full) = (read("peek", &files, &peek_counted), read("whole probe", &files, &probe_counted));
        bench.note(format!("{peek}; {full}"));
    }
}

/// Looks into one file, and gives the nanoseconds that it took.
type Look<'a> = &'a dyn Fn(&Path) -> f64;

/// The libraries in a folder that can be opened, in the scan's order; none if there is no such folder.
fn libraries(folder: &Path) -> Vec<PathBuf> {
    let found = scan::scan(&[folder], &Limits::default()).candidates;
    found.into_iter().map(|found| found.path).filter(|path| File::open(path).is_ok()).collect()
}

/// What it takes for one of a batch of files.
fn each(files: &[PathBuf], turn: &mut usize, look: impl Fn(&Path) -> f64) -> f64 {
    let batch: Vec<f64> = files.iter().skip(*turn % STRIDE).step_by(STRIDE).map(|path| look(path)).collect();
    *turn += 1;
    batch.iter().sum::<f64>() / batch.len() as f64
}

/// The nanoseconds of a look, opening not counted.
fn opened(path: &Path, look: impl Fn(&File)) -> f64 {
    let file = File::open(path).expect("it could be opened before");
    let start = Instant::now();
    look(&file);
    nanoseconds(start.elapsed())
}

/// The nanoseconds of opening as the loader does, of a look, and of closing.
fn opening(path: &Path, look: impl Fn(&File)) -> f64 {
    let limits = Limits::default();
    let start = Instant::now();
    let opened = open::regular(path, &limits);
    if let Ok(opened) = &opened {
        look(&opened.file);
    }
    drop(opened);
    nanoseconds(start.elapsed())
}

/// Whether the symbol is among the exports that `object` lists. It reads only what it needs, as ours does.
fn exports(file: &File) {
    let cache = ReadCache::new(file);
    let exports = object::File::parse(&cache).and_then(|image| {
        let mut found = false;
        for export in image.exports()? {
            found |= export?.name() == NameOrOrdinal::Name(SYMBOL.as_bytes());
        }
        Ok(found)
    });
    let _found = black_box(exports);
}

fn peek_counted(file: &Counted) {
    black_box(probe::peek(file, Machine::host()));
}

fn probe_counted(file: &Counted) {
    black_box(probe::probe(file, Machine::host()));
}

/// How much is read of each file, in words.
fn read(what: &str, files: &[PathBuf], look: &dyn Fn(&Counted)) -> String {
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for path in files {
        let file =
            Counted { file: File::open(path).expect("it could be opened before"), read: Cell::default() };
        look(&file);
        counted.push(file.read.get());
    }
    counted.sort_unstable();
    let count = counted.len() as u64;
    let (bytes, reads) = counted.iter().fold((0, 0), |sum, read| (sum.0 + read.0, sum.1 + read.1));
    let most = counted.last().map_or(0, |read| read.0);
    format!(
        "{what}: {} bytes a file in {:.1} reads, {most} bytes at most",
        bytes / count,
        reads as f64 / count as f64
    )
}

/// Counts bytes and reads.
struct Counted {
    file: File,
    read: Cell<(u64, u64)>,
}

impl ReadAt for Counted {
    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = ReadAt::read_at(&self.file, offset, buffer)?;
        let (all, reads) = self.read.get();
        self.read.set((all + bytes as u64, reads + 1));
        Ok(bytes)
    }
}
