//! What the benches share.

pub(crate) mod bare;
pub(crate) mod plugin;

pub(crate) mod nobody;
mod pairs;
mod ratio;
mod table;

use std::time::{Duration, Instant};

use criterion::Criterion;

pub(crate) use pairs::{Pairs, median};
use ratio::Ratio;
use table::Table;
pub(crate) use table::Target;

/// Runs the comparisons, and keeps what came of them.
pub(crate) struct Bench {
    criterion: Criterion<Ratio>,
    table: Table,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let criterion = Criterion::default()
            .with_measurement(Ratio)
            .without_plots()
            .nresamples(5_000)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(3))
            .configure_from_args();
        Bench { criterion, table: Table::default() }
    }

    /// Compares two things, taking turns. Each function does one batch and gives the nanoseconds of one operation.
    /// Says whether it was measured: the command line may have filtered it out.
    pub(crate) fn compare(
        &mut self,
        figure: &str,
        target: Target,
        mut ours: impl FnMut() -> f64,
        mut baseline: impl FnMut() -> f64,
    ) -> bool {
        let mut pairs = Pairs::default();
        self.rounds(figure, |turn| {
            // Who goes first finds the caches as the other left them.
            let pair = if turn % 2 == 0 {
                let ours = ours();
                (ours, baseline())
            } else {
                let baseline = baseline();
                (ours(), baseline)
            };
            pairs.push(pair.0, pair.1);
            pair.0 / pair.1
        });
        let measured = !pairs.is_empty();
        self.row(figure, target, pairs);
        measured
    }

    /// Compares what takes long: fewer samples, more time.
    pub(crate) fn slowly(&mut self, measure: impl FnOnce(&mut Self)) {
        let quick = std::mem::replace(&mut self.criterion, Criterion::default().with_measurement(Ratio));
        self.criterion = quick.sample_size(20).measurement_time(Duration::from_secs(12));
        measure(self);
        let slow = std::mem::replace(&mut self.criterion, Criterion::default().with_measurement(Ratio));
        self.criterion = slow.sample_size(100).measurement_time(Duration::from_secs(3));
    }

    /// Lets criterion ask for as many ratios as it wants; `round` is told how many there were before.
    pub(crate) fn rounds(&mut self, id: &str, mut round: impl FnMut(u64) -> f64) {
        let mut turn = 0;
        self.criterion.bench_function(id, |bencher| {
            bencher.iter_custom(|iterations| {
                let mut ratios = Vec::new();
                for _ in 0..iterations {
                    ratios.push(round(turn));
                    turn += 1;
                }
                // Criterion divides by the number: a preempted batch must not weigh as much as it lasted.
                median(&mut ratios) * iterations as f64
            });
        });
    }

    /// Puts what was measured into the table; nothing was, if the command line filtered it out.
    pub(crate) fn row(&mut self, figure: &str, target: Target, pairs: Pairs) {
        if !pairs.is_empty() {
            self.table.row(figure, target, pairs);
        }
    }

    /// A line below the table.
    pub(crate) fn note(&mut self, note: String) {
        self.table.note(note);
    }

    /// Prints the table, unless criterion was only asked to try everything once.
    pub(crate) fn finish(self) {
        self.criterion.final_summary();
        if std::env::args().any(|argument| argument == "--bench") {
            self.table.print();
        }
    }
}

/// The nanoseconds of one of `count` operations.
pub(crate) fn per_operation(count: usize, mut operation: impl FnMut(usize)) -> f64 {
    let start = Instant::now();
    for at in 0..count {
        operation(at);
    }
    nanoseconds(start.elapsed()) / count as f64
}

/// A duration in nanoseconds.
pub(crate) fn nanoseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e9
}
