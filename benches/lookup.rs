//! A tool's row in the table, against a plain map.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

use toolrack::{Batch, Description, Output, Registry, Source};

use crate::support::{Bench, Target, median, per_operation};

/// How many look-ups a batch has: long against the clock, short against a time slice.
const BATCH: usize = 2_000;

/// How many batches each reader does while the others read.
const BATCHES: usize = 100;

pub(crate) fn bench(bench: &mut Bench) {
    for count in [72, 10_000] {
        let names: Vec<String> = (0..count).map(|number| format!("tool_number_{number}")).collect();
        let registry = filled(&names);
        let map: HashMap<String, usize> = names.iter().cloned().zip(0..).collect();
        let text = in_no_order(&names);
        let asked: Vec<&str> = text.split_terminator(' ').collect();
        let mut ours = Turns(asked.chunks(BATCH).cycle());
        let mut baseline = Turns(asked.chunks(BATCH).cycle());
        bench.compare(
            &format!("lookup, {count} tools"),
            Target::Ours(20.0),
            || ours.batch(|name| drop(black_box(registry.lookup(name)))),
            || {
                baseline.batch(|name| {
                    black_box(map.get(name));
                })
            },
        );
        let cores = thread::available_parallelism().map_or(1, usize::from);
        bench.compare(
            &format!("lookup, {count} tools, readers on {cores} cores : one"),
            Target::Ratio(1.5),
            || readers(cores, &registry, &asked),
            || readers(1, &registry, &asked),
        );
    }
}

/// A batch of names, then the next one.
struct Turns<I>(I);

impl<'a, I: Iterator<Item = &'a [&'a str]>> Turns<I> {
    fn batch(&mut self, mut operation: impl FnMut(&str)) -> f64 {
        let names = self.0.next().expect("the batches go round");
        per_operation(names.len(), |at| operation(names[at]))
    }
}

/// What one look-up takes in each of `count` threads that read at once.
fn readers(count: usize, registry: &Registry, asked: &[&str]) -> f64 {
    let start = Barrier::new(count);
    let reader = |number: usize| {
        let mut turns = Turns(asked.chunks(BATCH).cycle().skip(number));
        start.wait();
        let mut batches: Vec<f64> =
            (0..BATCHES).map(|_| turns.batch(|name| drop(black_box(registry.lookup(name))))).collect();
        median(&mut batches)
    };
    let mut all: Vec<f64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let reader = &reader;
                scope.spawn(move || reader(number))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a reader does not panic")).collect()
    });
    median(&mut all)
}

fn filled(names: &[String]) -> Registry {
    let registry = Registry::new();
    let mut batch = Batch::new(Source::builtin("bench"));
    for name in names {
        let description = Description::new(name, "bench", "Answers", r#"{"type":"object"}"#);
        batch = batch.tool(description.expect("the description is valid"), |_, _| Ok(Output::text("")));
    }
    registry.publish(batch).expect("the tools are valid");
    registry
}

/// Names to ask for, for ten batches, in an order without pattern that is always the same; each followed by a space.
///
/// They lie side by side, as whoever asks has just read the name that it asks for: only the table itself is far away.
fn in_no_order(names: &[String]) -> String {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        // Xorshift: good enough to hide from a prefetcher.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % names.len() as u64).expect("it is less than a `usize`")
    };
    (0..10 * BATCH).flat_map(|_| [names[next()].as_str(), " "]).collect()
}
