//! The single place that turns any outcome of a call into the answer that a model sees.
//!
//! It never panics, and holds no lock over a call.

mod arguments;
mod future;
mod unknown;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::answer::{Answer, ErrorType, FOR_LOG, Failure, Outcome, shorten};
use crate::call::{ActiveCall, Call, LiveCall};
use crate::registry::Registry;
use crate::session::{Door, Session};
use crate::tool::ToolEntry;

/// How deep calls of calls may go.
pub const MAX_DEPTH: u32 = 16;

impl Registry {
    /// Calls a tool on this thread, as the host's own call: every tool of the table can be called.
    ///
    /// `args` is the text of a JSON object; an empty text stands for `{}`. The deadline is cooperative: the tool
    /// is told of it, and a call that waits for an asynchronous tool ends by it.
    pub fn call_inline(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        call_inline(Door::Host(self), name, args, call)
    }

    /// [`call_inline`](Self::call_inline) as a future, for any executor. Dropping it cancels the call of an
    /// asynchronous tool; a plain one runs inside the first poll.
    pub async fn call_inline_async(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        call_inline_async(Door::Host(self), name, args, call).await
    }
}

impl Session {
    /// Calls a tool of the session on this thread. See [`Registry::call_inline`].
    pub fn call_inline(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        call_inline(Door::Session(self), name, args, call)
    }

    /// The same as a future. See [`Registry::call_inline_async`].
    pub async fn call_inline_async(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        call_inline_async(Door::Session(self), name, args, call).await
    }
}

fn call_inline(door: Door<'_>, name: &str, args: &str, call: &Call<'_>) -> Answer {
    match door {
        Door::Host(registry) => match registry.lookup(name) {
            Some(entry) => run(&entry, door, args, call),
            None => unknown::answer(door, name),
        },
        Door::Session(session) => match session.get(name) {
            Some(entry) => run(entry, door, args, call),
            None => unknown::answer(door, name),
        },
    }
}

#[inline]
fn run(entry: &ToolEntry, door: Door<'_>, args: &str, call: &Call<'_>) -> Answer {
    let args = match prepare(args, call) {
        Ok(args) => args,
        Err(failure) => return settle(entry, Err(failure)),
    };
    let active = ActiveCall::new(call, door);
    let outcome = if entry.description.is_async {
        let future = guarded(|| Ok(entry.handler.call_async(Arc::new(active.to_live()), args.into_owned())));
        future.and_then(|future| future::block_on(future, call))
    } else {
        guarded(|| entry.handler.call(&active, &args))
    };
    settle(entry, outcome)
}

async fn call_inline_async(door: Door<'_>, name: &str, args: &str, call: &Call<'_>) -> Answer {
    let found = match door {
        Door::Host(registry) => registry.lookup(name).map(|entry| entry.to_owned()),
        Door::Session(session) => session.get(name).cloned(),
    };
    let Some(entry) = found else { return unknown::answer(door, name) };
    if !entry.description.is_async {
        return run(&entry, door, args, call);
    }
    let outcome = match prepare(args, call) {
        Ok(args) => {
            let live = Arc::new(ActiveCall::new(call, door).to_live());
            match guarded(|| Ok(entry.handler.call_async(live, args.into_owned()))) {
                Ok(future) => future::guarded(future).await,
                Err(failure) => Err(failure),
            }
        }
        Err(failure) => Err(failure),
    };
    settle(&entry, outcome)
}

/// What can be said before the tool is asked.
#[inline]
fn prepare<'a>(args: &'a str, call: &Call<'_>) -> Result<Cow<'a, str>, Failure> {
    if call.is_cancelled() {
        return Err(Failure::new(ErrorType::Cancelled, "the call was cancelled before it began"));
    }
    if call.deadline.is_some() && call.is_late(Instant::now()) {
        return Err(Failure::new(ErrorType::Timeout, "the deadline had passed before the call began"));
    }
    if call.depth > MAX_DEPTH {
        let message = format!("calls of calls go at most {MAX_DEPTH} deep; this one was not made");
        return Err(Failure::new(ErrorType::Refused, message));
    }
    arguments::object_text(args)
}

/// Runs what is not ours; a panic becomes a failure. What it says is in the log, not in the answer.
#[inline]
fn guarded<T>(call: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|payload| Err(panicked(payload)))
}

#[cold]
fn panicked(payload: Box<dyn std::any::Any + Send>) -> Failure {
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(no text)".to_owned());
    // A payload may panic when it is dropped; nobody needs it.
    std::mem::forget(payload);
    log::error!("a tool panicked: {}", shorten(&message, FOR_LOG));
    Failure::new(ErrorType::Panic, "the tool panicked; it stays registered, and the host's log says where")
}

#[inline]
fn settle(entry: &ToolEntry, outcome: Outcome) -> Answer {
    match outcome {
        Ok(output) => output.into(),
        Err(failure) => failed(entry, failure),
    }
}

#[cold]
fn failed(entry: &ToolEntry, failure: Failure) -> Answer {
    log::warn!(
        "tool `{}` ({}): {}: {}",
        entry.name(),
        entry.source,
        failure.error_type,
        shorten(&failure.message, FOR_LOG)
    );
    failure.into()
}

/// A call that a tool makes: through the door of its caller, one deeper, under the same deadline.
pub(crate) fn call_nested(caller: &LiveCall, name: &str, args: &str) -> Answer {
    call_inline(caller.door.as_door(), name, args, &caller.child())
}

/// The same as a future.
pub(crate) async fn call_nested_async(caller: Arc<LiveCall>, name: String, args: String) -> Answer {
    let call = caller.child();
    call_inline_async(caller.door.as_door(), &name, &args, &call).await
}
