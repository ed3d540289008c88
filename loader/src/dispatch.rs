//! The single place that turns any outcome of a call into the answer that a model sees.
//!
//! name → available → arguments → before-hooks → deadline → call → after-hooks → transform → budget → answer. It
//! never panics, and holds no lock over a call.

mod approval;
mod available;
mod budget;
mod clock;
mod deadline;
mod future;
mod hooks;
mod name;
mod policy;
mod pool;
mod pooled;
mod result;
mod slot;
mod steps;
mod unknown;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

pub use approval::{Approval, ApprovalRule, AskFn, Decision, InvalidPattern, Reply};
pub use budget::Budget;
pub use hooks::{Before, FinishedCall, Hook, HookError, HookStage, PendingCall};
pub(crate) use policy::AroundCalls;
pub use policy::{DispatchPolicy, Handling};

use crate::answer::{Answer, ErrorType, FOR_LOG, Failure, Outcome, shorten};
use crate::arguments;
use crate::call::{ActiveCall, Call, LiveCall};
use crate::registry::Registry;
use crate::session::{Door, Session};
use crate::tool::ToolEntry;
use steps::Over;
use watch::Unwatched;

/// How deep calls of calls may go.
pub const MAX_DEPTH: u32 = 16;

impl Registry {
    /// Calls a tool on this thread, as the host's own call: every tool of the table can be called.
    ///
    /// `args` is the text of a JSON object; an empty text stands for `{}`. What is done with arguments and results
    /// is the registry's [`DispatchPolicy`]. The deadline is cooperative: the tool is told of it, and a call that
    /// waits for an asynchronous tool ends by it.
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
    match name::find(door, name) {
        Some(found) => run(found.entry(), door, args, call),
        None => unknown::answer(door, name),
    }
}

#[inline]
fn run(tool: &ToolEntry, door: Door<'_>, args: &str, call: &Call<'_>) -> Answer {
    let described = &tool.description;
    let always_there = described.requires_env.is_empty() && !tool.has_check();
    let alone = described.timeout.is_none() && !described.is_async && always_there;
    if alone && door.registry().around().is_plain() {
        plain(tool, door, args, call)
    } else {
        surrounded(tool, door, args, call)
    }
}

/// A call with nothing around it: the few nanoseconds that a bare policy is asked for.
#[inline]
fn plain(tool: &ToolEntry, door: Door<'_>, args: &str, call: &Call<'_>) -> Answer {
    let ready = steps::may_begin(call, Duration::ZERO).and_then(|()| arguments::object_text(args));
    let active = ActiveCall::new(call, door);
    match ready.and_then(|args| guarded(|| tool.handler.call(&active, args))) {
        Ok(output) => output.into(),
        Err(failure) => steps::failed(tool, failure),
    }
}

fn surrounded(tool: &ToolEntry, door: Door<'_>, args: &str, call: &Call<'_>) -> Answer {
    let around = door.registry().around().load();
    let (ready, began) = steps::before(door, &around, tool, call, args, &Unwatched);
    let ready = match ready {
        Ok(ready) => ready,
        Err(failure) => return steps::after(&around, &Over { tool, door, call, args, began }, Err(failure)),
    };
    let call = &Call { deadline: ready.deadline, ..call.clone() };
    let outcome = made(tool, &ActiveCall::new(call, door), &ready.args);
    steps::after(&around, &Over { tool, door, call, args: &ready.args, began }, outcome)
}

/// Makes the call, on this thread.
fn made(tool: &ToolEntry, active: &ActiveCall<'_>, args: &str) -> Outcome {
    if tool.description.is_async {
        let future = guarded(|| Ok(tool.handler.call_async(Arc::new(active.to_live()), args.to_owned())));
        future.and_then(|future| future::block_on(future, active.call()))
    } else {
        guarded(|| tool.handler.call(active, args))
    }
}

async fn call_inline_async(door: Door<'_>, name: &str, args: &str, call: &Call<'_>) -> Answer {
    let Some(tool) = name::find(door, name).map(|found| found.to_owned()) else {
        return unknown::answer(door, name);
    };
    if !tool.description.is_async {
        return run(&tool, door, args, call);
    }
    let around = door.registry().around().load_full();
    let (ready, began) = steps::before(door, &around, &tool, call, args, &Unwatched);
    let ready = match ready {
        Ok(ready) => ready,
        Err(failure) => {
            return steps::after(&around, &Over { tool: &tool, door, call, args, began }, Err(failure));
        }
    };
    let call = &Call { deadline: ready.deadline, ..call.clone() };
    let live = Arc::new(ActiveCall::new(call, door).to_live());
    let outcome = match guarded(|| Ok(tool.handler.call_async(live, ready.args.clone().into_owned()))) {
        Ok(future) => future::guarded(future).await,
        Err(failure) => Err(failure),
    };
    steps::after(&around, &Over { tool: &tool, door, call, args: &ready.args, began }, outcome)
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

/// A call that a tool makes: through the door of its caller, one deeper, under the same deadline.
pub(crate) fn call_nested(caller: &LiveCall, name: &str, args: &str) -> Answer {
    call_inline(caller.door.as_door(), name, args, &caller.child())
}

/// The same as a future.
pub(crate) async fn call_nested_async(caller: Arc<LiveCall>, name: String, args: String) -> Answer {
    let call = caller.child();
    call_inline_async(caller.door.as_door(), &name, &args, &call).await
}

#[cfg(test)]
mod tests;
