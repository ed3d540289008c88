//! Threads that make calls, so that a caller can go on when one does not come back.
//!
//! A native call cannot be ended from outside. One that was given up keeps its thread until it comes back by itself;
//! such threads are counted, and past a few of them nothing more is started that could get stuck too.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::answer::{ErrorType, Failure};
use crate::source::SourceId;

/// How many threads make calls at once; those that are stuck do not count.
const MAX_THREADS: usize = 64;

/// How many calls of one source may be stuck before no more of its calls are made.
const MAX_STUCK_OF_ONE: usize = 4;

/// How many calls may be stuck in all.
const MAX_STUCK: usize = 16;

/// How long a thread waits for work before it goes.
const IDLE: Duration = Duration::from_secs(10);

/// What a main thread has: tools were written for that.
const STACK: usize = 8 << 20;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    queue: VecDeque<Job>,
    idle: usize,
    threads: usize,
    stuck: HashMap<SourceId, usize>,
    stuck_in_all: usize,
}

/// One a process: a machine has so many cores, however many tables there are.
static POOL: Mutex<Option<State>> = Mutex::new(None);
static WORK: Condvar = Condvar::new();

/// Whether calls of the source may be made.
///
/// # Errors
/// If too many have not come back: `unavailable`.
pub(super) fn admit(source: &SourceId) -> Result<(), Failure> {
    with(|state| {
        let of_one = state.stuck.get(source).copied().unwrap_or_default();
        let message = if of_one >= MAX_STUCK_OF_ONE {
            format!(
                "{of_one} earlier calls of `{}` have not come back; none is made until one does",
                source.name
            )
        } else if state.stuck_in_all >= MAX_STUCK {
            let all = state.stuck_in_all;
            format!("{all} earlier calls of several plugins have not come back; none is made until one does")
        } else {
            return Ok(());
        };
        Err(Failure::new(ErrorType::Unavailable, message))
    })
}

/// A call of the source was given up while it ran.
pub(super) fn gave_up(source: &SourceId) {
    with(|state| {
        *state.stuck.entry(source.clone()).or_default() += 1;
        state.stuck_in_all += 1;
    });
    log::warn!("a call of `{}` was given up and still runs", source.name);
}

/// One that was given up came back.
pub(super) fn came_back(source: &SourceId) {
    with(|state| {
        if let Some(count) = state.stuck.get_mut(source) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.stuck.remove(source);
            }
        }
        state.stuck_in_all = state.stuck_in_all.saturating_sub(1);
    });
}

/// Has the job done by a thread, as soon as one is free.
///
/// # Errors
/// If there is no thread and none can be made: `unavailable`.
pub(super) fn submit(job: Job) -> Result<(), Failure> {
    let more = with(|state| {
        state.queue.push_back(job);
        let more = state.idle < state.queue.len()
            && state.threads - state.stuck_in_all.min(state.threads) < MAX_THREADS;
        state.threads += usize::from(more);
        more
    });
    if !more {
        WORK.notify_one();
        return Ok(());
    }
    let thread = std::thread::Builder::new().name("toolrack-call".to_owned()).stack_size(STACK);
    let Err(e) = thread.spawn(work) else { return Ok(()) };
    log::error!("no thread for a call: {e}");
    let undone = with(|state| {
        state.threads -= 1;
        // With others there it is done later.
        if state.threads == 0 { state.queue.pop_back() } else { None }
    });
    match undone {
        Some(_) => Err(Failure::new(ErrorType::Unavailable, "the host has no thread for the call")),
        None => Ok(()),
    }
}

fn work() {
    let mut pool = POOL.lock();
    loop {
        let state = pool.get_or_insert_default();
        if let Some(job) = state.queue.pop_front() {
            drop(pool);
            // The job guards what is not ours; this guards the pool against the rest.
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                log::error!("a call broke down outside of its tool");
            }
            pool = POOL.lock();
            continue;
        }
        state.idle += 1;
        let waited = WORK.wait_for(&mut pool, IDLE);
        let state = pool.get_or_insert_default();
        state.idle -= 1;
        if waited.timed_out() && state.queue.is_empty() {
            state.threads -= 1;
            return;
        }
    }
}

fn with<T>(act: impl FnOnce(&mut State) -> T) -> T {
    act(POOL.lock().get_or_insert_default())
}
