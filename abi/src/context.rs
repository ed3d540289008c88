//! What a call knows of its circumstances.

use abi_stable::sabi_trait;
use abi_stable::sabi_types::RRef;
use abi_stable::std_types::{RArc, ROption, RStr, RString, RVec};

/// The circumstances of one call. The host implements it; the plugin asks.
///
/// An id that the host's application did not give is an empty text.
#[sabi_trait]
pub trait CallContext: Send + Sync {
    /// The conversation.
    fn session(&self) -> RStr<'_>;
    /// The task inside the conversation: what shares a working directory, say.
    fn task(&self) -> RStr<'_>;
    /// The model's turn.
    fn turn(&self) -> RStr<'_>;
    /// This call, as the model's provider names it.
    fn call_id(&self) -> RStr<'_>;
    /// The call that made this one, if a tool did.
    fn parent_call(&self) -> RStr<'_>;
    /// How many calls stand above this one. A call by a model has none.
    fn depth(&self) -> u32;
    /// Names of the tools that the caller may call, and this call through it. Nothing means all.
    fn allowed_tools(&self) -> ROption<RVec<RString>>;
    /// W3C trace context as a JSON object (`traceparent`, `tracestate`, `baggage`), or an empty text.
    fn trace_context(&self) -> RStr<'_>;
    /// Nanoseconds until the deadline, 0 when it has passed; nothing if there is none.
    fn remaining_nanos(&self) -> ROption<u64>;
    /// Whether the answer is no longer wanted: cancelled, or past the deadline.
    fn cancelled(&self) -> bool;
    /// Tells how far the call is, in any unit, and of how much, if that is known.
    fn progress(&self, done: f64, total: ROption<f64>, message: RStr<'_>);
    /// A number that stands for this call in [`HostServices`](crate::HostServices), while it runs.
    #[sabi(last_prefix_field)]
    fn token(&self) -> u64;
}

/// A [`CallContext`] lent for a call on this thread.
pub type ContextRef<'a> = CallContext_TO<'a, RRef<'a, ()>>;

/// A [`CallContext`] shared with a future.
pub type ContextArc = CallContext_TO<'static, RArc<()>>;
