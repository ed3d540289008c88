//! A call: its circumstances, and what can be called.

mod cancel;
mod live;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

pub use cancel::Cancel;
pub use live::LiveCall;
use live::LiveToken;

use crate::answer::Outcome;
use crate::session::{Door, Session};

/// A future of an [`Outcome`].
pub type OutcomeFuture = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Where progress of a call goes: how far, of how much, in words.
pub type ProgressFn = dyn Fn(f64, Option<f64>, &str) + Send + Sync;

/// The one trait that everything callable stands behind. Where it lives is its source's secret.
pub trait Callable: Send + Sync + 'static {
    /// Calls it on this thread. `args` is the text of a JSON object.
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome;

    /// Whether it can be used now. Only asked if the description says `check`, on a thread of its own, where it may
    /// block.
    ///
    /// # Errors
    /// Why it can not be used.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Calls it as a future; dropping that cancels the call. Only asked if the description says `is_async`.
    fn call_async(&self, call: Arc<LiveCall>, args: String) -> OutcomeFuture;

    /// The keys of its description that are different at the moment: the text of a JSON object, or an empty one.
    /// Only asked if the description says `dynamic`; an error says why it cannot be told.
    fn overrides(&self) -> Result<String, String> {
        Ok(String::new())
    }
}

/// The circumstances of a call, as the caller gives them. Whatever is not set is unknown, or has no limit.
///
/// ```
/// use std::time::{Duration, Instant};
/// use toolrack::Call;
///
/// let call = Call::new().session("s-1").task("t-1").deadline(Instant::now() + Duration::from_secs(5));
/// assert!(!call.is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct Call<'a> {
    pub(crate) session: &'a str,
    pub(crate) task: &'a str,
    pub(crate) turn: &'a str,
    pub(crate) call_id: &'a str,
    pub(crate) parent_call: &'a str,
    pub(crate) trace_context: &'a str,
    pub(crate) depth: u32,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancel: Option<&'a Cancel>,
    pub(crate) progress: Option<&'a Arc<ProgressFn>>,
}

impl<'a> Call<'a> {
    /// A call of which nothing is known.
    pub fn new() -> Self {
        Self::default()
    }

    /// The conversation's id.
    #[must_use]
    pub fn session(mut self, id: &'a str) -> Self {
        self.session = id;
        self
    }

    /// The task's id: what shares a working directory, say.
    #[must_use]
    pub fn task(mut self, id: &'a str) -> Self {
        self.task = id;
        self
    }

    /// The id of the model's turn.
    #[must_use]
    pub fn turn(mut self, id: &'a str) -> Self {
        self.turn = id;
        self
    }

    /// The call's own id, as the model's provider gave it.
    #[must_use]
    pub fn call_id(mut self, id: &'a str) -> Self {
        self.call_id = id;
        self
    }

    /// W3C trace context: the text of a JSON object with `traceparent`, `tracestate`, `baggage`.
    #[must_use]
    pub fn trace_context(mut self, json: &'a str) -> Self {
        self.trace_context = json;
        self
    }

    /// When the answer must be there.
    #[must_use]
    pub fn deadline(mut self, deadline: Instant) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// What cancels the call.
    #[must_use]
    pub fn cancel(mut self, cancel: &'a Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// What hears of progress.
    #[must_use]
    pub fn progress(mut self, progress: &'a Arc<ProgressFn>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(Cancel::is_cancelled)
    }

    /// Whether the deadline has passed at `now`.
    pub fn is_late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= now)
    }
}

/// A call under way: its circumstances, and the door that it came through.
pub struct ActiveCall<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) door: Door<'a>,
    token: LiveToken,
}

impl<'a> ActiveCall<'a> {
    #[inline]
    pub(crate) fn new(call: &'a Call<'a>, door: Door<'a>) -> Self {
        ActiveCall { call, door, token: LiveToken::default() }
    }

    /// The circumstances.
    pub fn call(&self) -> &Call<'a> {
        self.call
    }

    /// A number that stands for this call while it runs; the first asking enters it into the list of live calls.
    pub(crate) fn token(&self) -> u64 {
        self.token.get(|| self.to_live())
    }

    /// The same circumstances, owned: for a future, or for a call that this one makes.
    pub(crate) fn to_live(&self) -> LiveCall {
        let call = self.call;
        LiveCall {
            session: call.session.to_owned(),
            task: call.task.to_owned(),
            turn: call.turn.to_owned(),
            call_id: call.call_id.to_owned(),
            parent_call: call.parent_call.to_owned(),
            trace_context: call.trace_context.to_owned(),
            depth: call.depth,
            deadline: call.deadline,
            cancel: call.cancel.cloned(),
            progress: call.progress.cloned(),
            door: self.door.to_owned(),
            token: LiveToken::default(),
        }
    }

    /// The session that the call came through, if it did.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.door.session()
    }
}
