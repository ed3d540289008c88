//! Whether a tool can be used now: its environment variables, and its check.
//!
//! A check runs on a thread of its own, outside every lock, once at a time; its answer is kept for 30 s. A failure
//! within 60 s of a success is taken for a flake, and one that takes longer than 5 s for a failure.

mod check;
mod clock;
mod environment;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Instant;

pub(crate) use check::Check;
use check::{Ask, CUT_OFF, Change, FRESH, Known};
pub use clock::{Clock, ManualClock, SystemClock};
pub use environment::Environment;

use crate::answer::shorten;
use crate::tool::ToolEntry;

/// How many probes one pass runs side by side.
const SIDE_BY_SIDE: usize = 64;
/// How much of a check's words is kept, in characters.
const WORDS: usize = 500;

/// Whether a tool can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Availability {
    /// It can.
    Available,
    /// It can not, and why.
    Unavailable(Arc<str>),
    /// Its check has no answer that still holds. Only where no check is asked.
    Unknown,
}

impl Availability {
    /// Whether it can be used, as far as is known.
    pub fn is_available(&self) -> bool {
        *self == Availability::Available
    }

    /// Why it can not be used.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Availability::Unavailable(why) => Some(why),
            _ => None,
        }
    }
}

/// What came of asking the checks of some tools.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AvailabilityPass {
    /// One for each tool, in the order in which they were given. None is unknown.
    pub verdicts: Vec<Availability>,
    /// The epoch of the availability that the verdicts belong to.
    pub epoch: u64,
    /// Until when they can be kept, that moment not included; nothing if only an epoch ends them. While a flake is
    /// looked into, that is at once.
    pub valid_until: Option<Instant>,
}

/// What stands between a tool and its calls.
#[derive(Default)]
pub(crate) struct Gate {
    pub(crate) check: Option<Arc<Check>>,
    /// What was last told of its environment: [`UNTOLD`], [`SET`] or [`MISSING`].
    environment: AtomicU8,
}

const UNTOLD: u8 = 0;
const SET: u8 = 1;
const MISSING: u8 = 2;

impl Gate {
    pub(crate) fn new(check: Option<Arc<Check>>) -> Self {
        Gate { check, environment: AtomicU8::new(UNTOLD) }
    }
}

/// What the availability of one table's tools is found out with.
pub(crate) struct Monitor {
    clock: Arc<dyn Clock>,
    environment: Arc<Environment>,
    epoch: AtomicU64,
    invalidations: AtomicU64,
}

impl Monitor {
    pub(crate) fn new(clock: Arc<dyn Clock>, environment: Arc<Environment>) -> Self {
        Monitor { clock, environment, epoch: AtomicU64::new(0), invalidations: AtomicU64::new(0) }
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Changes whenever what is told of a tool changes.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Drops every answer.
    pub(crate) fn invalidate(&self) {
        self.invalidations.fetch_add(1, Ordering::AcqRel);
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// What is known of a tool. Never runs a check.
    pub(crate) fn view(&self, tool: &ToolEntry) -> Availability {
        if let Some(why) = self.lacks(tool) {
            return Availability::Unavailable(why);
        }
        let Some(check) = &tool.gate.check else { return Availability::Available };
        let invalidations = self.invalidations.load(Ordering::Acquire);
        let mut state = check.state.lock();
        state.follow(invalidations);
        match state.known(self.clock.now()) {
            Known::Yes(_) => Availability::Available,
            Known::No(why, _) => Availability::Unavailable(why),
            Known::Nothing => Availability::Unknown,
        }
    }

    /// Asks the checks of these tools, each check once, side by side.
    pub(crate) fn pass<'a>(
        self: &Arc<Self>,
        tools: impl IntoIterator<Item = &'a ToolEntry>,
    ) -> AvailabilityPass {
        let mut checks: Vec<&Arc<Check>> = Vec::new();
        let mut places: HashMap<*const Check, usize> = HashMap::new();
        let mut valid_until: Option<Instant> = None;
        let mut until = |end: Instant| valid_until = Some(valid_until.map_or(end, |known| known.min(end)));
        let tools: Vec<Result<Option<usize>, Arc<str>>> = tools
            .into_iter()
            .map(|tool| {
                if !tool.description.requires_env.is_empty() {
                    until(self.clock.now() + FRESH);
                }
                if let Some(why) = self.lacks(tool) {
                    return Err(why);
                }
                Ok(tool.gate.check.as_ref().map(|check| {
                    *places.entry(Arc::as_ptr(check)).or_insert_with(|| {
                        checks.push(check);
                        checks.len() - 1
                    })
                }))
            })
            .collect();
        let settled = self.settle(&checks);
        // Read before the answers: one that changes meanwhile belongs to a later epoch, and nobody keeps it as this
        // one's.
        let epoch = self.epoch();
        let answers: Vec<Known> =
            checks.iter().zip(settled).map(|(check, known)| self.answer(check, known)).collect();
        let verdicts = tools
            .into_iter()
            .map(|tool| match tool.map(|check| check.map(|place| &answers[place])) {
                Err(why) => Availability::Unavailable(why),
                Ok(None) => Availability::Available,
                Ok(Some(Known::No(why, end))) => {
                    until(*end);
                    Availability::Unavailable(why.clone())
                }
                Ok(Some(Known::Yes(end))) => {
                    until(end.unwrap_or_else(|| self.clock.now()));
                    Availability::Available
                }
                Ok(Some(Known::Nothing)) => {
                    until(self.clock.now());
                    Availability::Available
                }
            })
            .collect();
        AvailabilityPass { verdicts, epoch, valid_until }
    }

    /// The answer that holds now; one that ended since it was given still holds for the pass that asked for it.
    fn answer(&self, check: &Check, settled: Known) -> Known {
        match check.state.lock().known(self.clock.now()) {
            Known::Nothing => settled,
            known => known,
        }
    }

    /// Waits until all of the checks have an answer.
    fn settle(self: &Arc<Self>, checks: &[&Arc<Check>]) -> Vec<Known> {
        let me = thread::current();
        let mut settled = vec![Known::Nothing; checks.len()];
        let mut open: Vec<usize> = (0..checks.len()).collect();
        while !open.is_empty() {
            let mut running = 0;
            let mut wake: Option<Instant> = None;
            open.retain(|&place| {
                if running >= SIDE_BY_SIDE {
                    return true;
                }
                let (ask, known) = self.ask(checks[place], &me);
                let end = match ask {
                    Ask::Known => {
                        settled[place] = known;
                        return false;
                    }
                    Ask::Probe(number) => {
                        self.probe(checks[place], number);
                        self.clock.now() + CUT_OFF
                    }
                    Ask::Wait(end) => end,
                };
                running += 1;
                wake = Some(wake.map_or(end, |known| known.min(end)));
                true
            });
            if let Some(wake) = wake {
                self.clock.park_until(wake);
            }
        }
        settled
    }

    fn ask(&self, check: &Check, me: &Thread) -> (Ask, Known) {
        let invalidations = self.invalidations.load(Ordering::Acquire);
        let now = self.clock.now();
        let (ask, change, known) = {
            let mut state = check.state.lock();
            state.follow(invalidations);
            let (ask, change) = state.ask(now, me);
            (ask, change, state.known(now))
        };
        self.tell(check, change);
        (ask, known)
    }

    /// Runs the probe on a thread of its own.
    fn probe(self: &Arc<Self>, check: &Arc<Check>, number: u64) {
        let (monitor, probed) = (self.clone(), check.clone());
        let spawned = thread::Builder::new().name("toolrack-check".to_owned()).spawn(move || {
            let answer = run(&probed);
            monitor.finish(&probed, number, answer);
        });
        if let Err(e) = spawned {
            self.finish(check, number, Err(format!("its check could not be run: {e}").into()));
        }
    }

    fn finish(&self, check: &Check, number: u64, answer: Result<(), Arc<str>>) {
        let invalidations = self.invalidations.load(Ordering::Acquire);
        let now = self.clock.now();
        let (change, waiting, flake) = {
            let mut state = check.state.lock();
            state.follow(invalidations);
            let (change, waiting) = state.finish(number, now, answer);
            (change, waiting, state.flake())
        };
        if let Some(why) = flake {
            log::debug!("check `{}`: taken for a flake: {why}", check.name);
        }
        self.tell(check, change);
        for thread in waiting {
            thread.unpark();
        }
    }

    fn tell(&self, check: &Check, change: Change) {
        match change {
            Change::None => return,
            Change::Available => log::info!("check `{}`: available again", check.name),
            Change::Unavailable(why) => log::warn!("check `{}`: unavailable: {why}", check.name),
        }
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }

    /// What the tool's environment lacks.
    fn lacks(&self, tool: &ToolEntry) -> Option<Arc<str>> {
        let needs = &tool.description.requires_env;
        if needs.is_empty() {
            return None;
        }
        let missing = environment::first_missing(needs, &*self.environment).map(environment::complaint);
        let now = if missing.is_some() { MISSING } else { SET };
        let before = tool.gate.environment.swap(now, Ordering::AcqRel);
        if before != now && (before, now) != (UNTOLD, SET) {
            match &missing {
                Some(why) => log::info!("tool `{}`: unavailable: {why}", tool.name()),
                None => log::info!("tool `{}`: its environment is complete again", tool.name()),
            }
            self.epoch.fetch_add(1, Ordering::AcqRel);
        }
        missing.map(Arc::from)
    }
}

/// Asks. Whatever the check does, it comes to an answer.
fn run(check: &Check) -> Result<(), Arc<str>> {
    let answer = catch_unwind(AssertUnwindSafe(|| check.handler.check()));
    let words = match answer {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(words)) if words.trim().is_empty() => "its check says no".to_owned(),
        Ok(Err(words)) => words,
        Err(payload) => {
            // A payload may panic when it is dropped; nobody needs it.
            std::mem::forget(payload);
            "its check panicked".to_owned()
        }
    };
    // For a line of a table: what a plugin says must not move the cursor.
    let line: String = words.trim().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Err(shorten(&line, WORDS).into())
}
