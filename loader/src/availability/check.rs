//! One check: what it last said, and whether it must be asked again. Time is an argument, and nothing in here runs a
//! probe.

use std::sync::Arc;
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::call::Callable;

/// How long an answer is good for. At its end it no longer is.
pub(super) const FRESH: Duration = Duration::from_secs(30);
/// How long after a success a failure is taken for a flake.
pub(super) const GRACE: Duration = Duration::from_secs(60);
/// How often a check is asked again while a flake is looked into.
pub(super) const AGAIN: Duration = Duration::from_secs(5);
/// How long a probe may take.
pub(super) const CUT_OFF: Duration = Duration::from_secs(5);

/// A check that tools of one source share, and what is known of it.
pub(crate) struct Check {
    /// Whom to ask.
    pub(super) handler: Arc<dyn Callable>,
    /// What the log calls it: the `check_id`, or the tool's name.
    pub(super) name: Arc<str>,
    pub(super) state: Mutex<State>,
}

impl Check {
    pub(crate) fn new(name: &str, handler: Arc<dyn Callable>) -> Self {
        Check { handler, name: name.into(), state: Mutex::default() }
    }
}

/// What is known of a check.
#[derive(Default)]
pub(super) struct State {
    last: Option<Answered>,
    last_success: Option<Instant>,
    /// What was last told: available or not. Outlives [`forget`](Self::forget), so that a change is seen.
    told: Option<bool>,
    flight: Option<Flight>,
    /// How many probes were begun: the number of the latest.
    probes: u64,
    /// The invalidations that this state has seen.
    invalidations: u64,
}

struct Answered {
    at: Instant,
    what: What,
}

enum What {
    Success,
    /// A failure too soon after a success to be believed.
    Flake(Arc<str>),
    Failure(Arc<str>),
}

/// A probe that runs.
struct Flight {
    number: u64,
    began: Instant,
    /// Whoever waits for it.
    waiting: Vec<Thread>,
    /// Its answer is no longer wanted: it was cut off, or what it asks of was invalidated.
    given_up: bool,
}

/// What the availability says of a check at some moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It said yes. Good until then; nothing if the answer is one of grace, which is not kept.
    Yes(Option<Instant>),
    /// It said no, and why.
    No(Arc<str>, Instant),
    /// There is no answer that holds.
    Nothing,
}

/// What to do to know.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Nothing: it is known.
    Known,
    /// Run the probe of this number. It is then in flight.
    Probe(u64),
    /// Wait: a probe is in flight, and is given up at that time.
    Wait(Instant),
}

/// Whether what is told of the check has changed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// It was unavailable, or unknown after it had been.
    Available,
    /// It is unavailable now, and was not known to be.
    Unavailable(Arc<str>),
}

impl State {
    /// Forgets everything if there were invalidations since; a probe in flight then answers for nothing.
    pub(super) fn follow(&mut self, invalidations: u64) {
        if self.invalidations != invalidations {
            self.invalidations = invalidations;
            self.last = None;
            self.last_success = None;
            if let Some(flight) = &mut self.flight {
                flight.given_up = true;
            }
        }
    }

    /// What is known at `now`.
    pub(super) fn known(&self, now: Instant) -> Known {
        let Some(Answered { at, what }) = &self.last else { return Known::Nothing };
        let fresh = *at + FRESH;
        match what {
            What::Success if now < fresh => Known::Yes(Some(fresh)),
            What::Failure(why) if now < fresh => Known::No(why.clone(), fresh),
            What::Flake(_) if self.in_grace(now) => Known::Yes(None),
            _ => Known::Nothing,
        }
    }

    fn in_grace(&self, now: Instant) -> bool {
        self.last_success.is_some_and(|success| now.saturating_duration_since(success) < GRACE)
    }

    fn due(&self, now: Instant) -> bool {
        match &self.last {
            Some(Answered { at, what: What::Flake(_) }) if self.in_grace(now) => {
                now.saturating_duration_since(*at) >= AGAIN
            }
            _ => self.known(now) == Known::Nothing,
        }
    }

    /// What must be done to know at `now`; `thread` is woken when a probe that it waits for is over.
    pub(super) fn ask(&mut self, now: Instant, thread: &Thread) -> (Ask, Change) {
        if !self.due(now) {
            return (Ask::Known, Change::None);
        }
        let Some(flight) = &mut self.flight else {
            self.probes += 1;
            let waiting = vec![thread.clone()];
            self.flight = Some(Flight { number: self.probes, began: now, waiting, given_up: false });
            return (Ask::Probe(self.probes), Change::None);
        };
        let end = flight.began + CUT_OFF;
        if now < end {
            if flight.waiting.iter().all(|waiting| waiting.id() != thread.id()) {
                flight.waiting.push(thread.clone());
            }
            return (Ask::Wait(end), Change::None);
        }
        // Still at it: nobody waits for this one any more, and no second one is begun beside it.
        flight.given_up = true;
        let why = format!("its check gave no answer within {} s", CUT_OFF.as_secs());
        (Ask::Known, self.record(now, Err(why.into())))
    }

    /// The probe of that number is over, at `now`.
    pub(super) fn finish(
        &mut self,
        number: u64,
        now: Instant,
        answer: Result<(), Arc<str>>,
    ) -> (Change, Vec<Thread>) {
        let Some(flight) = self.flight.take_if(|flight| flight.number == number) else {
            return (Change::None, Vec::new());
        };
        if flight.given_up {
            return (Change::None, flight.waiting);
        }
        let took = now.saturating_duration_since(flight.began);
        let answer = if took > CUT_OFF {
            Err(format!("its check took {} s; it may take {}", took.as_secs(), CUT_OFF.as_secs()).into())
        } else {
            answer
        };
        (self.record(now, answer), flight.waiting)
    }

    fn record(&mut self, now: Instant, answer: Result<(), Arc<str>>) -> Change {
        let what = match answer {
            Ok(()) => {
                self.last_success = Some(now);
                What::Success
            }
            Err(why) if self.in_grace(now) => What::Flake(why),
            Err(why) => What::Failure(why),
        };
        let (available, change) = match &what {
            What::Failure(why) => (false, Change::Unavailable(why.clone())),
            _ => (true, Change::Available),
        };
        self.last = Some(Answered { at: now, what });
        // That a check succeeds at its first probe is no change: it was not known to fail.
        let before = self.told.replace(available).unwrap_or(true);
        if before == available { Change::None } else { change }
    }

    #[cfg(test)]
    pub(super) fn is_in_flight(&self) -> bool {
        self.flight.is_some()
    }

    /// The words of the latest flake, for the log.
    pub(super) fn flake(&self) -> Option<Arc<str>> {
        match &self.last {
            Some(Answered { what: What::Flake(why), .. }) => Some(why.clone()),
            _ => None,
        }
    }
}
