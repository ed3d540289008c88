//! What time it is, as an argument.

use std::sync::Arc;
use std::thread::Thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// What time it is, and how to wait for one.
pub trait Clock: Send + Sync + 'static {
    /// What time it is. Never goes back.
    fn now(&self) -> Instant;

    /// Blocks this thread until it is unparked or `until` has come; it may also return for no reason.
    fn park_until(&self, until: Instant);
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn park_until(&self, until: Instant) {
        std::thread::park_timeout(until.saturating_duration_since(Instant::now()));
    }
}

/// A clock that stands still until it is told to go on, for tests. Clones are the same clock.
///
/// ```
/// use std::time::Duration;
/// use toolrack::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(30));
/// assert_eq!(clock.now() - before, Duration::from_secs(30));
/// ```
#[derive(Clone, Debug)]
pub struct ManualClock(Arc<Mutex<Hands>>);

#[derive(Debug)]
struct Hands {
    now: Instant,
    waiting: Vec<Thread>,
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl ManualClock {
    /// A clock that stands at the time it was made.
    pub fn new() -> Self {
        ManualClock(Arc::new(Mutex::new(Hands { now: Instant::now(), waiting: Vec::new() })))
    }

    /// Goes on by `step`, and wakes whoever waits.
    pub fn advance(&self, step: Duration) {
        let waiting = {
            let mut hands = self.0.lock();
            hands.now += step;
            std::mem::take(&mut hands.waiting)
        };
        for thread in waiting {
            thread.unpark();
        }
    }

    /// How many threads wait for the clock to go on.
    pub fn waiting(&self) -> usize {
        self.0.lock().waiting.len()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.0.lock().now
    }

    fn park_until(&self, until: Instant) {
        let me = std::thread::current();
        {
            let mut hands = self.0.lock();
            if hands.now >= until {
                return;
            }
            // Entered before it parks: a step that comes in between leaves the token that ends the parking.
            hands.waiting.push(me.clone());
        }
        std::thread::park();
        self.0.lock().waiting.retain(|thread| thread.id() != me.id());
    }
}
