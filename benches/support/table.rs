//! The table: what was measured, and whether it is what it must be.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::Pairs;

/// What a figure must be at most.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// It is there for comparison.
    None,
    /// Ours, in nanoseconds.
    Ours(f64),
    /// What ours takes longer than the baseline, in nanoseconds.
    Added(f64),
    /// How many times the baseline.
    Ratio(f64),
}

/// Names a file to which each row is added as a line of JSON.
const ROWS: &str = "TOOLRACK_BENCH_ROWS";

const HEAD: [&str; 6] = ["figure", "ours", "baseline", "ratio (8 of 10 within)", "target", ""];

#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
    notes: Vec<String>,
}

struct Row {
    figure: String,
    target: Target,
    pairs: Pairs,
}

impl Table {
    pub(crate) fn row(&mut self, figure: &str, target: Target, pairs: Pairs) {
        self.rows.push(Row { figure: figure.to_owned(), target, pairs });
    }

    pub(crate) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// Prints it as Markdown, and writes the rows where they are wanted.
    pub(crate) fn print(&self) {
        // Whoever closed the pipe has seen enough.
        let _closed = self.write(&mut io::stdout().lock());
        if let Some(path) = std::env::var_os(ROWS) {
            self.append(Path::new(&path)).expect("the file that TOOLRACK_BENCH_ROWS names can be written");
        }
    }

    fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: [usize; 6] = std::array::from_fn(width);
        lines.insert(1, widths.map(|width| "-".repeat(width)));
        writeln!(to)?;
        for line in &lines {
            for (cell, width) in line.iter().zip(widths) {
                write!(to, "| {cell:width$} ")?;
            }
            writeln!(to, "|")?;
        }
        writeln!(to)?;
        self.notes.iter().try_for_each(|note| writeln!(to, "{note}"))
    }

    fn append(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        self.rows.iter().try_for_each(|row| writeln!(file, "{}", row.json()))
    }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        let pairs = &self.pairs;
        let (low, high) = pairs.spread();
        let target = match self.target {
            Target::None => String::new(),
            Target::Ours(limit) => format!("≤ {}", time(limit)),
            Target::Added(limit) => format!("adds {}, ≤ {}", time(pairs.added()), time(limit)),
            Target::Ratio(limit) => format!("≤ {limit} ×"),
        };
        [
            self.figure.clone(),
            time(pairs.ours()),
            time(pairs.baseline()),
            format!("{:.2} ({low:.2}–{high:.2})", pairs.ratio()),
            target,
            self.is_met().map(|met| if met { "met" } else { "**missed**" }).unwrap_or_default().to_owned(),
        ]
    }

    fn is_met(&self) -> Option<bool> {
        match self.target {
            Target::None => None,
            Target::Ours(limit) => Some(self.pairs.ours() <= limit),
            Target::Added(limit) => Some(self.pairs.added() <= limit),
            Target::Ratio(limit) => Some(self.pairs.ratio() <= limit),
        }
    }

    fn json(&self) -> Value {
        let pairs = &self.pairs;
        let (low, high) = pairs.spread();
        let (of, limit) = match self.target {
            Target::None => (None, None),
            Target::Ours(limit) => (Some("ours_ns"), Some(limit)),
            Target::Added(limit) => (Some("added_ns"), Some(limit)),
            Target::Ratio(limit) => (Some("ratio"), Some(limit)),
        };
        json!({
            "figure": self.figure,
            "ours_ns": pairs.ours(),
            "baseline_ns": pairs.baseline(),
            "added_ns": pairs.added(),
            "ratio": pairs.ratio(),
            "ratio_low": low,
            "ratio_high": high,
            "pairs": pairs.len(),
            "target": { "of": of, "at_most": limit },
            "met": self.is_met(),
        })
    }
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds.abs() {
        below if below < 1e4 => format!("{nanoseconds:.1} ns"),
        below if below < 1e6 => format!("{:.1} µs", nanoseconds / 1e3),
        _ => format!("{:.2} ms", nanoseconds / 1e6),
    }
}
