//! Keeps panics inside the library.
//!
//! A panic that leaves a method which the host calls ends the host's process, and one in a drop does too. So every
//! way out of the author's code leads through [`guard`].

mod hook;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(crate) use hook::install;

use crate::Host;

thread_local! {
    /// How many guards stand around what this thread does.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// The author's code panicked. Its message is in the host's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Runs `f`; a panic in it goes to the log of `host`. State that the panic left half changed is the author's.
pub(crate) fn guard<R>(host: &Host, f: impl FnOnce() -> R) -> Result<R, Panicked> {
    guard_for(Some(host), f)
}

/// The same where no registration is at hand: the log is that of the latest one.
pub(crate) fn guard_for<R>(host: Option<&Host>, f: impl FnOnce() -> R) -> Result<R, Panicked> {
    let outcome = counted(f).map_err(|payload| {
        // A payload may panic in its own drop, and so may what that panics with: the last one is leaked.
        if let Err(second) = counted(move || drop(payload)) {
            std::mem::forget(second);
        }
        Panicked
    });
    hook::flush(host);
    outcome
}

/// Drops a value of the author's.
pub(crate) fn guarded_drop<T>(host: Option<&Host>, value: T) {
    let _panicked = guard_for(host, move || drop(value));
}

fn counted<R>(f: impl FnOnce() -> R) -> std::thread::Result<R> {
    let set = |depth: &Cell<u32>, by: u32| depth.set(depth.get().wrapping_add(by));
    let _gone = DEPTH.try_with(|depth| set(depth, 1));
    let outcome = catch_unwind(AssertUnwindSafe(f));
    let _gone = DEPTH.try_with(|depth| set(depth, u32::MAX));
    outcome
}

/// Whether this thread is inside a guard.
fn is_guarded() -> bool {
    DEPTH.try_with(|depth| depth.get() > 0).unwrap_or(false)
}
