//! Calls that a plugin can name by a number while they run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use super::{Call, Cancel, ProgressFn};
use crate::session::OwnedDoor;

/// The circumstances of a call, owned.
pub struct LiveCall {
    pub(crate) session: String,
    pub(crate) task: String,
    pub(crate) turn: String,
    pub(crate) call_id: String,
    pub(crate) parent_call: String,
    pub(crate) trace_context: String,
    pub(crate) depth: u32,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: Option<Cancel>,
    pub(crate) progress: Option<Arc<ProgressFn>>,
    pub(crate) door: OwnedDoor,
    pub(crate) token: LiveToken,
}

impl LiveCall {
    /// The same circumstances, lent.
    pub fn as_call(&self) -> Call<'_> {
        Call {
            session: &self.session,
            task: &self.task,
            turn: &self.turn,
            call_id: &self.call_id,
            parent_call: &self.parent_call,
            trace_context: &self.trace_context,
            depth: self.depth,
            deadline: self.deadline,
            cancel: self.cancel.as_ref(),
            progress: self.progress.as_ref(),
        }
    }

    /// A call that this one makes: one deeper, with this one as its parent.
    pub(crate) fn child(&self) -> Call<'_> {
        Call { call_id: "", parent_call: &self.call_id, depth: self.depth + 1, ..self.as_call() }
    }

    /// The live call that `token` stands for.
    pub(crate) fn by_token(token: u64) -> Option<Arc<LiveCall>> {
        LIVE.lock().get(&token).and_then(|entry| match entry {
            Entry::Owned(call) => Some(call.clone()),
            Entry::Shared(call) => call.upgrade(),
        })
    }

    /// A number that stands for this call while it lives.
    pub(crate) fn token(self: &Arc<Self>) -> u64 {
        self.token.enter(|| Entry::Shared(Arc::downgrade(self)))
    }
}

enum Entry {
    Owned(Arc<LiveCall>),
    Shared(Weak<LiveCall>),
}

static LIVE: LazyLock<Mutex<HashMap<u64, Entry>>> = LazyLock::new(Mutex::default);
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A place in the list of live calls: taken when first asked for, since most calls never are; left when dropped.
#[derive(Default)]
pub(crate) struct LiveToken(AtomicU64);

impl LiveToken {
    pub(crate) fn get(&self, call: impl FnOnce() -> LiveCall) -> u64 {
        self.enter(|| Entry::Owned(Arc::new(call())))
    }

    fn enter(&self, entry: impl FnOnce() -> Entry) -> u64 {
        let known = self.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let entry = entry();
        let mut live = LIVE.lock();
        // Two threads of one call may ask at once: the lock decides which number stands.
        let known = self.0.load(Ordering::Acquire);
        if known != 0 {
            return known;
        }
        let token = NEXT.fetch_add(1, Ordering::Relaxed);
        live.insert(token, entry);
        self.0.store(token, Ordering::Release);
        token
    }
}

impl Drop for LiveToken {
    #[inline]
    fn drop(&mut self) {
        let token = *self.0.get_mut();
        if token != 0 {
            leave(token);
        }
    }
}

#[cold]
fn leave(token: u64) {
    // Dropped outside the lock: the entry may hold the last handle on a session.
    let entry = LIVE.lock().remove(&token);
    drop(entry);
}
