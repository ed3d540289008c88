//! Keeps panics inside the library.
//!
//! A panic that leaves a method which the host calls ends the host's process, and one in a drop does too. So every
//! way out of the author's code leads through [`guard`].

mod hook;

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use hook::install;

use crate::Host;

thread_local! {
    /// How many guards stand around what this thread does, and [`REPORTED`]. One cell, as each call looks at it.
    static STATUS: Cell<u32> = const { Cell::new(0) };
}

/// The bit in [`STATUS`] that says that the hook has kept a report.
const REPORTED: u32 = 1 << 31;

/// The author's code panicked. Its message is in the host's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs `f`; a panic in it goes to the log of `host`. State that the panic left half changed is the author's.
#[inline]
pub(crate) fn guard<R>(host: &Host, f: impl FnOnce() -> R) -> Result<R, Panicked> {
    guard_for(Some(host), f)
}

/// The same where no registration is at hand: the log is that of the latest one.
#[inline]
pub(crate) fn guard_for<R>(host: Option<&Host>, f: impl FnOnce() -> R) -> Result<R, Panicked> {
    enter();
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let outcome = outcome.map_err(let_go);
    if leave() {
        hook::flush(host);
    }
    outcome
}

/// A payload may panic in its own drop, and so may what that panics with: the last one is leaked.
#[cold]
fn let_go(payload: Box<dyn Any + Send>) -> Panicked {
    if let Err(second) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(second);
    }
    Panicked
}

/// Drops a value of the author's.
pub(crate) fn guarded_drop<T>(host: Option<&Host>, value: T) {
    let _panicked = guard_for(host, move || drop(value));
}

#[inline]
fn enter() {
    let _gone = STATUS.try_with(|status| status.set(status.get() + 1));
}

/// Whether there is a report to hand on.
#[inline]
fn leave() -> bool {
    let status = STATUS.try_with(|status| {
        let now = status.get() - 1;
        status.set(now & !REPORTED);
        now
    });
    status.is_ok_and(|status| status & REPORTED != 0)
}

/// Whether this thread is inside a guard.
fn is_guarded() -> bool {
    STATUS.try_with(|status| status.get() & !REPORTED > 0).unwrap_or(false)
}

fn set_reported() {
    let _gone = STATUS.try_with(|status| status.set(status.get() | REPORTED));
}
