//! Plugins that are new, and plugins that are known, against `dlopen` and `dlsym` of the same files.
//!
//! A library can be opened for the first time only once in a process, so each measurement is a process of its own:
//! this program again, with an argument that says what to measure.

use std::cell::LazyCell;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolrack::probe::{self, Target as Machine};
use toolrack::{Admit, BootId, Digest, Loader, Registry, Stage, Store};

use crate::support::{Bench, Pairs, Target, bare, nanoseconds, plugin};

const PLUGINS: usize = 80;

const CHILD: &str = "--first-sight-child";

/// What a process measures.
const BARE: &str = "bare";
const LOAD: &str = "load";
const PARTS: &str = "parts";

pub(crate) fn bench(bench: &mut Bench) {
    let folder = TempDir::new().expect("a temporary folder");
    let size = LazyCell::new(|| {
        let files = plugin::write_distinct(&plugin::build(), folder.path(), PLUGINS);
        // A file that was changed just now is not yet known by its looks.
        thread::sleep(Duration::from_secs(3));
        fs::metadata(&files[0]).expect("it was just written").len()
    });
    let mut all = Measured::default();
    bench.slowly(|bench| {
        bench.rounds(&format!("first sight, {PLUGINS} plugins : bare dlopen + dlsym"), |_| {
            LazyCell::force(&size);
            all.round(folder.path())
        });
    });
    if all.new.is_empty() {
        return;
    }
    let megabytes = *size as f64 / 1e6;
    let first = Target::Ours(megabytes * 2e6 + 0.5e6);
    bench.row("first sight of a plugin : bare dlopen + dlsym", first, all.new);
    bench.row("… looking: peek, admit, hash and copy, probe", Target::None, all.look);
    bench.row("… loading: open, check, register, publish", Target::None, all.load);
    bench.row("… by itself: hash", Target::None, all.hash);
    bench.row("… by itself: hash and copy", Target::None, all.copy);
    bench.row("… by itself: peek and whole probe", Target::None, all.probe);
    bench.row("… by itself: open the copy", Target::None, all.open);
    bench.row("… by itself: check layouts", Target::None, all.check);
    bench.row("known plugin, opened : bare dlopen + dlsym", Target::Ratio(1.6), all.known);
    bench.row("… looking: peek, admit, probe", Target::None, all.known_look);
    bench.row("… loading: open, register, publish", Target::None, all.known_load);
    bench.note(format!("{PLUGINS} plugins of {size} bytes; times are of one plugin", size = *size));
}

/// Everything against the bare opening of the same round.
#[derive(Default)]
struct Measured {
    new: Pairs,
    look: Pairs,
    load: Pairs,
    hash: Pairs,
    copy: Pairs,
    probe: Pairs,
    open: Pairs,
    check: Pairs,
    known: Pairs,
    known_look: Pairs,
    known_load: Pairs,
}

impl Measured {
    /// Measures all of it once; gives the ratio of the first sight.
    fn round(&mut self, folder: &Path) -> f64 {
        let home = TempDir::new().expect("a temporary folder");
        let store = home.path().to_owned();
        let parts_home = TempDir::new().expect("a temporary folder");
        let [baseline] = measure(BARE, folder, &store);
        let [new, look, load] = measure(LOAD, folder, &store);
        let [known, known_look, known_load] = measure(LOAD, folder, &store);
        let [hash, copy, probe, open, check] = measure(PARTS, folder, parts_home.path());
        for (pairs, value) in [
            (&mut self.new, new),
            (&mut self.look, look),
            (&mut self.load, load),
            (&mut self.hash, hash),
            (&mut self.copy, copy),
            (&mut self.probe, probe),
            (&mut self.open, open),
            (&mut self.check, check),
            (&mut self.known, known),
            (&mut self.known_look, known_look),
            (&mut self.known_load, known_load),
        ] {
            pairs.push(value, baseline);
        }
        new / baseline
    }
}

/// Lets a process measure, and gives its figures: nanoseconds of one plugin.
fn measure<const N: usize>(what: &str, folder: &Path, home: &Path) -> [f64; N] {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program).arg(CHILD).arg(what).args([folder, home]).output();
    let output = output.expect("this program starts again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{what}: {}", String::from_utf8_lossy(&output.stderr));
    let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    figures.try_into().unwrap_or_else(|_| panic!("{what} answers with other figures: {text}"))
}

/// Whether this process is to measure, and nothing else.
pub(crate) fn is_child() -> bool {
    std::env::args().nth(1).as_deref() == Some(CHILD)
}

/// Measures, and prints the figures.
pub(crate) fn child() {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(2).map(PathBuf::from).collect();
    let [what, folder, home] = arguments.as_slice() else { panic!("what, folder, home") };
    let durations = match what.to_str() {
        Some(BARE) => open_bare(&files(folder)),
        Some(LOAD) => load(folder, home),
        Some(PARTS) => parts(&files(folder), home),
        _ => panic!("`{}` is nothing to measure", what.display()),
    };
    let figures: Vec<String> =
        durations.into_iter().map(|all| (nanoseconds(all) / PLUGINS as f64).to_string()).collect();
    std::io::Write::write_all(&mut std::io::stdout(), figures.join(" ").as_bytes()).expect("a pipe");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    files.sort();
    files
}

fn open_bare(files: &[PathBuf]) -> Vec<Duration> {
    let start = Instant::now();
    for file in files {
        black_box(bare::open(file));
    }
    vec![start.elapsed()]
}

/// A start of the loader: as a whole, up to the first opening, and from there on.
fn load(folder: &Path, home: &Path) -> Vec<Duration> {
    let start = Instant::now();
    let registry = Registry::new();
    let loader =
        Loader::new(registry.clone(), plugin::settings(home)).expect("a store in a temporary folder");
    let mut looked = None;
    let report = loader.load_folders(&[folder.to_owned()], &mut |progress| {
        if progress.stage == Stage::Load {
            looked.get_or_insert_with(|| start.elapsed());
        }
    });
    let all = start.elapsed();
    assert_eq!(report.loaded.len(), PLUGINS, "{:?}", report.rejected);
    assert_eq!(registry.snapshot().tools().len(), PLUGINS);
    let looked = looked.expect("there are plugins to load");
    vec![all, looked, all - looked]
}

/// The parts of a first sight, each by itself over all files.
fn parts(files: &[PathBuf], home: &Path) -> Vec<Duration> {
    let settings = plugin::settings(home);
    let admit = Admit::new(&settings.config.trust).expect("the policy is the default one");
    let store = Store::open(&settings.store, BootId::current(), &admit).expect("a store");
    let hash = timed(files, |file| Digest::of(&fs::read(file).expect("the plugin can be read"))).0;
    let opened: Vec<fs::File> =
        files.iter().map(|file| fs::File::open(file).expect("the plugin can be opened")).collect();
    let both: Vec<(&PathBuf, &fs::File)> = files.iter().zip(&opened).collect();
    let (copy, stored) = timed(&both, |(path, file)| store.put(file, path).expect("the store takes it"));
    let probe =
        timed(&opened, |file| (probe::peek(file, Machine::host()), probe::probe(file, Machine::host()))).0;
    let (open, symbols) = timed(&stored, |copy| bare::open(&copy.path));
    let check = timed(&symbols, |symbol| bare::check(bare::header(*symbol))).0;
    vec![hash, copy, probe, open, check]
}

fn timed<T, R>(all: &[T], mut one: impl FnMut(&T) -> R) -> (Duration, Vec<R>) {
    let start = Instant::now();
    let results = all.iter().map(|one_of| black_box(one(one_of))).collect();
    (start.elapsed(), results)
}
