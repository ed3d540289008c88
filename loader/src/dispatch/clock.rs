//! Wakes futures of calls whose limit has passed: they must end on any executor, also on one without a timer.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::slot::Slot;

/// How long the thread stays without anything to watch.
const IDLE: Duration = Duration::from_secs(10);

#[derive(Default)]
struct State {
    slots: Vec<Weak<Slot>>,
    runs: bool,
}

static STATE: Mutex<State> = Mutex::new(State { slots: Vec::new(), runs: false });
static CHANGED: Condvar = Condvar::new();

/// Watches the call until it is over.
///
/// # Errors
/// If there is no thread to do it.
pub(super) fn watch(slot: &Arc<Slot>) -> std::io::Result<()> {
    let mut state = STATE.lock();
    if !state.runs {
        std::thread::Builder::new().name("toolrack-clock".to_owned()).spawn(run)?;
        state.runs = true;
    }
    state.slots.push(Arc::downgrade(slot));
    drop(state);
    CHANGED.notify_one();
    Ok(())
}

fn run() {
    let mut state = STATE.lock();
    loop {
        let slots = std::mem::take(&mut state.slots);
        // What is woken may come back here: not under the lock.
        drop(state);
        let now = Instant::now();
        let mut next: Option<Instant> = None;
        let mut live = Vec::with_capacity(slots.len());
        for weak in slots {
            let Some(slot) = weak.upgrade() else { continue };
            let (again, waker) = slot.tick(now);
            if let Some(waker) = waker {
                super::future::quietly(|| waker.wake());
            }
            if let Some(again) = again {
                next = Some(next.map_or(again, |next| next.min(again)));
                live.push(weak);
            }
        }
        state = STATE.lock();
        let came = !state.slots.is_empty();
        state.slots.extend(live);
        match next {
            _ if came => {}
            Some(next) => drop(CHANGED.wait_until(&mut state, next)),
            None => {
                if CHANGED.wait_for(&mut state, IDLE).timed_out() && state.slots.is_empty() {
                    state.runs = false;
                    return;
                }
            }
        }
    }
}
