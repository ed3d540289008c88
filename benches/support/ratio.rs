//! Ratios, as something that criterion measures.

use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter};

/// How many times the baseline. Only made by `iter_custom`: criterion itself times nothing here.
pub(crate) struct Ratio;

impl Measurement for Ratio {
    type Intermediate = ();
    type Value = f64;

    fn start(&self) {}

    fn end(&self, (): ()) -> f64 {
        0.0
    }

    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Times
    }
}

struct Times;

impl ValueFormatter for Times {
    fn scale_values(&self, _: f64, _: &mut [f64]) -> &'static str {
        "× the baseline"
    }

    fn scale_throughputs(&self, _: f64, _: &Throughput, _: &mut [f64]) -> &'static str {
        "× the baseline"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ratio"
    }
}
