//! Who waits for a call learns until when.

use std::time::Instant;

/// Until when a call is waited for.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    /// Nothing means as long as it takes.
    pub(super) until: Option<Instant>,
    /// What took too long, if it is past.
    pub(super) why: Why,
}

#[derive(Clone, Debug)]
pub(super) enum Why {
    Deadline,
    /// The hook of that name.
    Hook(String),
}

impl Limit {
    pub(super) fn deadline(until: Option<Instant>) -> Self {
        Limit { until, why: Why::Deadline }
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Who waits for a call.
pub(super) trait Watch {
    /// From now on it is waited for until then.
    fn limit(&self, limit: Limit);
}

/// A call on its caller's own thread: nobody else waits.
pub(super) struct Unwatched;

impl Watch for Unwatched {
    fn limit(&self, _: Limit) {}
}
