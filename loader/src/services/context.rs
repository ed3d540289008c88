//! The circumstances of a call, as a plugin asks for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use toolrack_abi::CallContext;
use toolrack_abi::abi_stable::std_types::{ROption, RStr, RString, RVec};

use super::guard;
use crate::call::{ActiveCall, Call, LiveCall};
use crate::session::Session;

impl CallContext for ActiveCall<'_> {
    fn session(&self) -> RStr<'_> {
        self.call.session.into()
    }

    fn task(&self) -> RStr<'_> {
        self.call.task.into()
    }

    fn turn(&self) -> RStr<'_> {
        self.call.turn.into()
    }

    fn call_id(&self) -> RStr<'_> {
        self.call.call_id.into()
    }

    fn parent_call(&self) -> RStr<'_> {
        self.call.parent_call.into()
    }

    fn depth(&self) -> u32 {
        self.call.depth
    }

    fn allowed_tools(&self) -> ROption<RVec<RString>> {
        allowed(self.session())
    }

    fn trace_context(&self) -> RStr<'_> {
        self.call.trace_context.into()
    }

    fn remaining_nanos(&self) -> ROption<u64> {
        remaining(self.call)
    }

    fn cancelled(&self) -> bool {
        over(self.call)
    }

    fn progress(&self, done: f64, total: ROption<f64>, message: RStr<'_>) {
        progress(self.call, done, total, message);
    }

    fn token(&self) -> u64 {
        guard(|| ActiveCall::token(self)).unwrap_or_default()
    }
}

/// A [`LiveCall`] that a future shares.
pub(crate) struct SharedCall(pub(crate) std::sync::Arc<LiveCall>);

impl CallContext for SharedCall {
    fn session(&self) -> RStr<'_> {
        self.0.session.as_str().into()
    }

    fn task(&self) -> RStr<'_> {
        self.0.task.as_str().into()
    }

    fn turn(&self) -> RStr<'_> {
        self.0.turn.as_str().into()
    }

    fn call_id(&self) -> RStr<'_> {
        self.0.call_id.as_str().into()
    }

    fn parent_call(&self) -> RStr<'_> {
        self.0.parent_call.as_str().into()
    }

    fn depth(&self) -> u32 {
        self.0.depth
    }

    fn allowed_tools(&self) -> ROption<RVec<RString>> {
        allowed(self.0.door.as_door().session())
    }

    fn trace_context(&self) -> RStr<'_> {
        self.0.trace_context.as_str().into()
    }

    fn remaining_nanos(&self) -> ROption<u64> {
        remaining(&self.0.as_call())
    }

    fn cancelled(&self) -> bool {
        over(&self.0.as_call())
    }

    fn progress(&self, done: f64, total: ROption<f64>, message: RStr<'_>) {
        progress(&self.0.as_call(), done, total, message);
    }

    fn token(&self) -> u64 {
        guard(|| self.0.token()).unwrap_or_default()
    }
}

fn allowed(session: Option<&Session>) -> ROption<RVec<RString>> {
    session.and_then(Session::allowed).map(|names| names.map(RString::from).collect()).into()
}

fn remaining(call: &Call<'_>) -> ROption<u64> {
    let left = call.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    left.map(|left| u64::try_from(left.as_nanos()).unwrap_or(u64::MAX)).into()
}

fn over(call: &Call<'_>) -> bool {
    call.is_cancelled() || (call.deadline.is_some() && call.is_late(Instant::now()))
}

/// The listener is the application's own code: it must not panic into the plugin.
fn progress(call: &Call<'_>, done: f64, total: ROption<f64>, message: RStr<'_>) {
    let Some(listener) = call.progress else { return };
    let told = catch_unwind(AssertUnwindSafe(|| listener(done, total.into_option(), message.as_str())));
    if let Err(payload) = told {
        std::mem::forget(payload);
        log::error!("the listener for progress panicked");
    }
}
