//! What was measured side by side.

/// Times of ours and of the baseline, in nanoseconds, each pair taken right after one another.
#[derive(Default)]
pub(crate) struct Pairs(Vec<(f64, f64)>);

impl Pairs {
    pub(crate) fn push(&mut self, ours: f64, baseline: f64) {
        self.0.push((ours, baseline));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn ours(&self) -> f64 {
        self.middle(|ours, _| ours)
    }

    pub(crate) fn baseline(&self) -> f64 {
        self.middle(|_, baseline| baseline)
    }

    /// What ours takes longer.
    pub(crate) fn added(&self) -> f64 {
        self.middle(|ours, baseline| ours - baseline)
    }

    pub(crate) fn ratio(&self) -> f64 {
        self.middle(|ours, baseline| ours / baseline)
    }

    /// The ratios between which eight of ten pairs lie.
    pub(crate) fn spread(&self) -> (f64, f64) {
        let ratios = self.sorted(|ours, baseline| ours / baseline);
        let at = |part: usize| ratios[(ratios.len() - 1) * part / 10];
        (at(1), at(9))
    }

    fn middle(&self, of: impl Fn(f64, f64) -> f64) -> f64 {
        median(&mut self.sorted(of))
    }

    fn sorted(&self, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut all: Vec<f64> = self.0.iter().map(|&(ours, baseline)| of(ours, baseline)).collect();
        all.sort_by(f64::total_cmp);
        all
    }
}

/// The middle of at least one value. A mean would be moved by whatever else the machine does.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
