//! What Toolrack must reach, each figure as a ratio to a baseline that is measured beside it in the same run.
//!
//! `cargo bench` prints a table; `cargo bench -- lookup` measures a part. `docs/benchmarks.md` has the figures as
//! they were seen.

mod support;

/// A tool's row in the table, against a plain map.
mod lookup;

/// A call of a tool, against its bare trait call and a bare function of the same library.
mod call;

/// Plugins that are new, and plugins that are known, against `dlopen` and `dlsym` of the same files.
mod first_sight;

/// The look into a library, against the list of its exports.
mod probe;

use support::Bench;

fn main() {
    if first_sight::is_child() {
        return first_sight::child();
    }
    let mut bench = Bench::new();
    lookup::bench(&mut bench);
    call::bench(&mut bench);
    first_sight::bench(&mut bench);
    probe::bench(&mut bench);
    bench.finish();
}
