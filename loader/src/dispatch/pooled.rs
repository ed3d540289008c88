//! The door with a hard deadline: the call is made by a thread of the pool, and its caller goes on in time.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use super::slot::{Finished, Slot};
use super::steps::{self, Over};
use super::watch::Limit;
use super::{clock, name, pool, unknown};
use crate::answer::{Answer, Failure};
use crate::call::{ActiveCall, Call, LiveCall};
use crate::registry::Registry;
use crate::session::{Door, Session};
use crate::tool::ToolEntry;

impl Registry {
    /// Calls a tool on a thread of the pool, as the host's own call, and waits for it: at most until the deadline,
    /// whatever the tool does. Hooks before the call have their own hard limit.
    ///
    /// A call that was given up goes on by itself and keeps its thread; while 4 of one source or 16 in all do, the
    /// next is refused as `unavailable`. Hooks after the call run on the caller's thread.
    ///
    /// ```
    /// use toolrack::{Batch, Call, Description, Output, Registry, Source};
    ///
    /// let registry = Registry::new();
    /// let ping = Description::new("ping", "net", "Answers", "{}")?;
    /// registry.publish(Batch::new(Source::builtin("app")).tool(ping, |_, _| Ok(Output::text("pong"))))?;
    /// assert_eq!(registry.call("ping", "{}", &Call::new()).as_str(), "pong");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        blocking(Door::Host(self), name, args, call)
    }

    /// [`call`](Self::call) as a future, for any executor. Dropping it gives the call up.
    pub async fn call_async(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        waiting(Door::Host(self), name, args, call).await
    }
}

impl Session {
    /// Calls a tool of the session on a thread of the pool. See [`Registry::call`].
    pub fn call(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        blocking(Door::Session(self), name, args, call)
    }

    /// The same as a future. See [`Registry::call_async`].
    pub async fn call_async(&self, name: &str, args: &str, call: &Call<'_>) -> Answer {
        waiting(Door::Session(self), name, args, call).await
    }
}

fn blocking(door: Door<'_>, name: &str, args: &str, call: &Call<'_>) -> Answer {
    let Some(tool) = name::find(door, name).map(|found| found.to_owned()) else {
        return unknown::answer(door, name);
    };
    let asked = Asked::new(&tool, door, call, args);
    let ended = asked.start(args).and_then(|slot| slot.wait());
    asked.answer(ended)
}

async fn waiting(door: Door<'_>, name: &str, args: &str, call: &Call<'_>) -> Answer {
    let Some(tool) = name::find(door, name).map(|found| found.to_owned()) else {
        return unknown::answer(door, name);
    };
    let asked = Asked::new(&tool, door, call, args);
    let ended = match asked.start(args) {
        Ok(slot) => {
            if let Err(e) = clock::watch(&slot) {
                log::error!("no thread to watch a call's deadline: {e}");
            }
            Waiting(slot).await
        }
        Err(failure) => Err(failure),
    };
    asked.answer(ended)
}

/// A call as its caller asked for it.
struct Asked<'a> {
    tool: &'a Arc<ToolEntry>,
    door: Door<'a>,
    call: &'a Call<'a>,
    args: &'a str,
    began: Instant,
}

impl<'a> Asked<'a> {
    fn new(tool: &'a Arc<ToolEntry>, door: Door<'a>, call: &'a Call<'a>, args: &'a str) -> Self {
        Asked { tool, door, call, args, began: Instant::now() }
    }

    fn start(&self, args: &str) -> Result<Arc<Slot>, Failure> {
        let source = &self.tool.source.id;
        pool::admit(source)?;
        // Until the thread knows better, which reads the arguments first.
        let policy = self.door.registry().around().load().policy.timeout;
        let until = self.call.deadline.or_else(|| self.began.checked_add(policy?));
        let slot = Slot::new(source, Limit::deadline(until), self.call.cancel);
        let call = &Call { cancel: Some(slot.cancel()), ..self.call.clone() };
        let live = ActiveCall::new(call, self.door).to_live();
        let (tool, args, there) = (self.tool.clone(), args.to_owned(), slot.clone());
        pool::submit(Box::new(move || {
            if there.begin() {
                let made = catch_unwind(AssertUnwindSafe(|| make(&tool, &live, args, &there)));
                there.finish(made.unwrap_or_else(|payload| Finished {
                    outcome: Err(super::panicked(payload)),
                    args: String::new(),
                    began: None,
                }));
            }
        }))?;
        Ok(slot)
    }

    fn answer(&self, ended: Result<Finished, Failure>) -> Answer {
        let around = self.door.registry().around().load();
        let began = around.has_hooks().then_some(self.began);
        let Finished { outcome, args, began } = ended.unwrap_or_else(|failure| Finished {
            outcome: Err(failure),
            args: self.args.to_owned(),
            began,
        });
        let over = Over { tool: self.tool, door: self.door, call: self.call, args: &args, began };
        steps::after(&around, &over, outcome)
    }
}

/// Everything up to the outcome, on the pool's thread.
fn make(tool: &ToolEntry, live: &LiveCall, args: String, slot: &Slot) -> Finished {
    let door = live.door.as_door();
    let around = door.registry().around().load_full();
    let call = live.as_call();
    let (ready, began) = steps::before(door, &around, tool, &call, &args, slot);
    match ready {
        Ok(ready) => {
            super::watch::Watch::limit(slot, Limit::deadline(ready.deadline));
            let call = &Call { deadline: ready.deadline, ..call };
            let outcome = super::made(tool, &ActiveCall::new(call, door), &ready.args);
            Finished { outcome, args: ready.args.into_owned(), began }
        }
        Err(failure) => Finished { outcome: Err(failure), args, began },
    }
}

/// The outcome, when it is there.
struct Waiting(Arc<Slot>);

impl Future for Waiting {
    type Output = Result<Finished, Failure>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(cx.waker()).map_or(Poll::Pending, Poll::Ready)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.leave();
    }
}
