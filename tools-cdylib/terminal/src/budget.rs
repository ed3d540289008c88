//! How long a command may take.

use std::ops::RangeInclusive;
use std::time::Duration;

/// What `timeout` may be, in seconds.
pub(crate) const TIMEOUT: RangeInclusive<u32> = 1..=600;
/// How long processes that are asked to end may take.
const GRACE: Duration = Duration::from_secs(2);
/// The most that is kept back of the call's own time, to end the processes and to answer.
const RESERVE: Duration = Duration::from_secs(4);

/// The time of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// When it is ended.
    pub(crate) timeout: Duration,
    /// How long its processes may take to end.
    pub(crate) grace: Duration,
    /// Is `timeout` less than what was asked for, because the call itself ends before?
    pub(crate) shortened: bool,
}

/// The time of a command that asks for `timeout`, in a call that has `remaining` left.
///
/// A call that only ends its command when its own time is over answers nothing: the host has given up on it by then.
/// So a part of `remaining` is kept back.
pub(crate) fn budget(timeout: Duration, remaining: Option<Duration>) -> Budget {
    let whole = Budget { timeout, grace: GRACE, shortened: false };
    let Some(remaining) = remaining else { return whole };
    let reserve = (remaining / 4).min(RESERVE);
    if timeout <= remaining - reserve {
        return whole;
    }
    Budget { timeout: remaining - reserve, grace: GRACE.min(reserve / 2), shortened: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calls_own_time_bounds_the_commands() {
        let table = [
            // asked for, the call has left: given, grace
            (180_000, None, 180_000, 2000),
            (180_000, Some(300_000), 180_000, 2000),
            (180_000, Some(184_000), 180_000, 2000),
            (180_000, Some(180_000), 176_000, 2000),
            (180_000, Some(8_000), 6_000, 1000),
            (1_000, Some(1_000), 750, 125),
            (1_000, Some(0), 0, 0),
        ];
        for (asked, remaining, timeout, grace) in table {
            let given = budget(Duration::from_millis(asked), remaining.map(Duration::from_millis));
            let expected = (Duration::from_millis(timeout), Duration::from_millis(grace), timeout != asked);
            assert_eq!((given.timeout, given.grace, given.shortened), expected, "{asked} of {remaining:?}");
        }
    }
}
