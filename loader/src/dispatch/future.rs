//! Futures that are not ours: polled under a guard, and waited for on a plain thread.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Instant;

use super::slot::CANCEL_LOOK;
use crate::answer::{ErrorType, Failure, Outcome};
use crate::call::{Call, OutcomeFuture};

/// The future with panics of its polls and its drop turned into failures, and wakers that cannot panic into it.
pub(super) fn guarded(future: OutcomeFuture) -> Guarded {
    Guarded { future: Some(future), waker: None }
}

pub(super) struct Guarded {
    /// Taken when it is over, so that its drop is guarded too.
    future: Option<OutcomeFuture>,
    /// The executor's waker that the guarded one was made for, and the guarded one.
    waker: Option<(Waker, Waker)>,
}

impl Future for Guarded {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let this = &mut *self;
        let outer = cx.waker();
        if this.waker.as_ref().is_none_or(|(known, _)| !known.will_wake(outer)) {
            let guarded = Waker::from(Arc::new(GuardedWaker(Some(outer.clone()))));
            this.waker = Some((outer.clone(), guarded));
        }
        let Some(((_, waker), future)) = this.waker.as_ref().zip(this.future.as_mut()) else {
            return Poll::Pending;
        };
        let mut cx = Context::from_waker(waker);
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut cx))) {
            Ok(poll) => poll,
            Err(payload) => Poll::Ready(Err(super::panicked(payload))),
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let future = self.future.take();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(future))) {
            super::panicked(payload);
        }
    }
}

/// The executor's waker, which a plugin wakes, clones and drops where no panic may pass.
struct GuardedWaker(Option<Waker>);

impl Wake for GuardedWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(waker) = &self.0 {
            quietly(|| waker.wake_by_ref());
        }
    }
}

impl Drop for GuardedWaker {
    fn drop(&mut self) {
        let waker = self.0.take();
        quietly(move || drop(waker));
    }
}

pub(super) fn quietly(act: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(act)) {
        std::mem::forget(payload);
        log::error!("the host's own executor panicked while it was woken");
    }
}

/// Waits for the future on this thread, until the call's deadline or its cancellation; then drops it.
pub(super) fn block_on(future: OutcomeFuture, call: &Call<'_>) -> Outcome {
    let mut future = pin!(guarded(future));
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(outcome) = future.as_mut().poll(&mut cx) {
            return outcome;
        }
        if call.is_cancelled() {
            return Err(Failure::new(ErrorType::Cancelled, "the call was cancelled"));
        }
        let left = call.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_some_and(|left| left.is_zero()) {
            return Err(Failure::new(ErrorType::Timeout, "the tool gave no answer before the deadline"));
        }
        match (left, call.cancel) {
            (None, None) => std::thread::park(),
            (left, None) => std::thread::park_timeout(left.unwrap_or(CANCEL_LOOK)),
            (left, Some(_)) => {
                std::thread::park_timeout(left.map_or(CANCEL_LOOK, |left| left.min(CANCEL_LOOK)))
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
