//! Where a caller and the thread that makes its call meet.

use std::sync::Arc;
use std::task::Waker;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::pool;
use super::watch::{Limit, Watch, Why};
use crate::answer::{ErrorType, Failure, Outcome};
use crate::call::Cancel;
use crate::source::SourceId;

/// How often a waiting call looks whether it was cancelled: a flag wakes nobody.
pub(super) const CANCEL_LOOK: Duration = Duration::from_millis(20);

/// How long a tool may take to notice that it was cancelled, and to tell what it did until then.
const CANCEL_GRACE: Duration = Duration::from_secs(1);

/// A call on the pool, as its caller sees it.
pub(super) struct Slot {
    state: Mutex<State>,
    changed: Condvar,
    source: SourceId,
    /// Set by the caller, or when the call is given up.
    cancel: Cancel,
    /// Whether the caller can cancel the call, so that it is worth looking.
    cancellable: bool,
}

struct State {
    phase: Phase,
    limit: Limit,
    cancelled: Option<Instant>,
    waker: Option<Waker>,
}

enum Phase {
    Queued,
    Running,
    Done(Finished),
    /// Nobody waits any more: given up, or the outcome was taken.
    Over,
}

/// What came of a call on its thread.
pub(super) struct Finished {
    pub(super) outcome: Outcome,
    /// What the tool was given, or would have been.
    pub(super) args: String,
    pub(super) began: Option<Instant>,
}

impl Slot {
    pub(super) fn new(source: &SourceId, limit: Limit, cancel: Option<&Cancel>) -> Arc<Self> {
        Arc::new(Slot {
            state: Mutex::new(State { phase: Phase::Queued, limit, cancelled: None, waker: None }),
            changed: Condvar::new(),
            source: source.clone(),
            cancel: cancel.map(Cancel::child).unwrap_or_default(),
            cancellable: cancel.is_some(),
        })
    }

    /// What the tool sees as its caller's cancellation: it is set when the call is given up, too.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The thread takes the call on; `false` if nobody wants it any more.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.state.lock();
        let wanted = matches!(state.phase, Phase::Queued);
        if wanted {
            state.phase = Phase::Running;
        }
        wanted
    }

    /// The thread has the outcome.
    pub(super) fn finish(&self, finished: Finished) {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::Running) {
            state.phase = Phase::Done(finished);
            let waker = state.waker.take();
            drop(state);
            self.changed.notify_one();
            wake(waker);
        } else {
            drop(state);
            pool::came_back(&self.source);
            log::info!("a call of {:?} that was given up came back", self.source.name);
        }
    }

    /// Waits for the outcome on this thread.
    pub(super) fn wait(&self) -> Result<Finished, Failure> {
        let mut state = self.state.lock();
        loop {
            if let Some(ended) = self.ended(&mut state, Instant::now()) {
                drop(state);
                self.cancel_if_given_up(&ended);
                return ended;
            }
            match self.next_look(&state, Instant::now()) {
                Some(next) => drop(self.changed.wait_until(&mut state, next)),
                None => self.changed.wait(&mut state),
            }
        }
    }

    /// The outcome, if it is there; else `waker` is woken when it may be.
    pub(super) fn poll(&self, waker: &Waker) -> Option<Result<Finished, Failure>> {
        let mut state = self.state.lock();
        let ended = self.ended(&mut state, Instant::now());
        if ended.is_none() {
            state.waker = Some(waker.clone());
        }
        drop(state);
        ended.inspect(|ended| self.cancel_if_given_up(ended))
    }

    /// For the clock: when to look again, or nothing if it is over; and whom to wake now.
    pub(super) fn tick(&self, now: Instant) -> (Option<Instant>, Option<Waker>) {
        let mut state = self.state.lock();
        let is_due = state.limit.is_due(now) || self.cancelled_for(&mut state, now).is_some();
        match state.phase {
            Phase::Over | Phase::Done(_) => (None, state.waker.take()),
            // The one who is woken gives it up.
            _ if is_due => (Some(now + CANCEL_LOOK), state.waker.take()),
            _ => (Some(self.next_look(&state, now).unwrap_or(now + Self::LOOK).min(now + Self::LOOK)), None),
        }
    }

    /// How long the clock may sleep: a limit may be moved meanwhile.
    const LOOK: Duration = Duration::from_millis(100);

    /// Nobody waits any more.
    pub(super) fn leave(&self) {
        let mut state = self.state.lock();
        let phase = std::mem::replace(&mut state.phase, Phase::Over);
        if matches!(phase, Phase::Running) {
            pool::gave_up(&self.source);
        }
        state.waker = None;
        let over = !matches!(phase, Phase::Over);
        drop(state);
        // What a tool gave back is dropped outside the lock.
        drop(phase);
        if over {
            self.cancel.cancel();
        }
    }

    fn cancel_if_given_up(&self, ended: &Result<Finished, Failure>) {
        if ended.is_err() {
            self.cancel.cancel();
        }
    }

    /// The end of the waiting, if this is it.
    fn ended(&self, state: &mut MutexGuard<'_, State>, now: Instant) -> Option<Result<Finished, Failure>> {
        if matches!(state.phase, Phase::Done(_)) {
            let Phase::Done(finished) = std::mem::replace(&mut state.phase, Phase::Over) else { return None };
            return Some(Ok(finished));
        }
        let cancelled = self.cancelled_for(state, now);
        let is_running = matches!(state.phase, Phase::Running);
        let failure = if cancelled.is_some_and(|time| !is_running || time >= CANCEL_GRACE) {
            Failure::new(ErrorType::Cancelled, "the call was cancelled")
        } else if state.limit.is_due(now) {
            state.limit.failure(is_running)
        } else {
            return None;
        };
        state.phase = Phase::Over;
        if is_running {
            // Before the lock is given back, so that it cannot come back first.
            pool::gave_up(&self.source);
        }
        Some(Err(failure))
    }

    fn cancelled_for(&self, state: &mut MutexGuard<'_, State>, now: Instant) -> Option<Duration> {
        if !self.cancellable || !self.cancel.is_cancelled() {
            return None;
        }
        let since = *state.cancelled.get_or_insert(now);
        Some(now.saturating_duration_since(since))
    }

    fn next_look(&self, state: &MutexGuard<'_, State>, now: Instant) -> Option<Instant> {
        let cancel = self.cancellable.then(|| now + CANCEL_LOOK);
        match (state.limit.until, cancel) {
            (Some(until), Some(cancel)) => Some(until.min(cancel)),
            (until, cancel) => until.or(cancel),
        }
    }
}

impl Watch for Slot {
    fn limit(&self, limit: Limit) {
        let mut state = self.state.lock();
        let earlier = match (limit.until, state.limit.until) {
            (Some(new), Some(old)) => new < old,
            (new, old) => new.is_some() && old.is_none(),
        };
        state.limit = limit;
        drop(state);
        // Whoever waits until later wakes by itself, looks, and waits on.
        if earlier {
            self.changed.notify_one();
        }
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        super::future::quietly(|| waker.wake());
    }
}

/// Why a call is given up, in words.
impl Limit {
    fn failure(&self, is_running: bool) -> Failure {
        match &self.why {
            Why::Hook(name) => {
                let message = format!("the call was not made: the check `{name}` took too long");
                Failure::new(ErrorType::Refused, message)
            }
            Why::Deadline if is_running => {
                let message = "the tool gave no answer before the deadline; it may still be running";
                Failure::new(ErrorType::Timeout, message)
            }
            Why::Deadline => Failure::new(
                ErrorType::Timeout,
                "the deadline passed before a thread was free; nothing was done",
            ),
        }
    }
}
