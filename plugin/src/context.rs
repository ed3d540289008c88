//! What a tool knows of the call it answers.

mod detached;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolrack_abi::CallContext;
use toolrack_abi::abi_stable::std_types::{ROption, RStr};

use crate::answer::{Answer, PendingAnswer};
use crate::{Host, Selection, ToolError};
use detached::Detached;

/// The circumstances of a call, and the host behind it. A tool asks for it by a parameter `ctx: &Context`.
///
/// An id that the host's application did not give is an empty text.
///
/// For an author's own tests there is one without a host:
///
/// ```
/// use toolrack_plugin::{Context, json};
///
/// let ctx = Context::detached().with_config(json!({"limit": 3})).with_task("t1");
/// assert_eq!(ctx.task(), "t1");
/// assert_eq!(ctx.config::<toolrack_plugin::Value>().unwrap()["limit"], 3);
/// assert_eq!(ctx.data_dir().unwrap_err().error_type(), "unavailable");
/// ```
pub struct Context<'a>(Source<'a>);

enum Source<'a> {
    Lent { call: &'a (dyn CallContext + Send + Sync), host: &'a Host },
    Detached(Box<Detached>),
}

impl<'a> Context<'a> {
    #[inline]
    pub(crate) fn lent(call: &'a (dyn CallContext + Send + Sync), host: &'a Host) -> Self {
        Context(Source::Lent { call, host })
    }

    /// The conversation.
    pub fn session(&self) -> &str {
        self.call().session().as_str()
    }

    /// The task inside the conversation: what shares a working directory, say.
    pub fn task(&self) -> &str {
        self.call().task().as_str()
    }

    /// The model's turn.
    pub fn turn(&self) -> &str {
        self.call().turn().as_str()
    }

    /// This call, as the model's provider names it.
    pub fn call_id(&self) -> &str {
        self.call().call_id().as_str()
    }

    /// The call that made this one, if a tool did.
    pub fn parent_call(&self) -> &str {
        self.call().parent_call().as_str()
    }

    /// How many calls stand above this one.
    pub fn depth(&self) -> u32 {
        self.call().depth()
    }

    /// Whether this call may call that tool.
    pub fn may_call(&self, name: &str) -> bool {
        match self.call().allowed_tools() {
            ROption::RNone => true,
            ROption::RSome(names) => names.iter().any(|allowed| allowed.as_str() == name),
        }
    }

    /// W3C trace context as a JSON object, or an empty text.
    pub fn trace_context(&self) -> &str {
        self.call().trace_context().as_str()
    }

    /// The time until the deadline, zero when it has passed; nothing if there is none.
    pub fn remaining(&self) -> Option<Duration> {
        self.call().remaining_nanos().into_option().map(Duration::from_nanos)
    }

    /// Whether the answer is no longer wanted. A long loop asks now and then.
    pub fn cancelled(&self) -> bool {
        self.call().cancelled()
    }

    /// The same as an error, for `ctx.check()?`.
    ///
    /// # Errors
    /// If the call was cancelled (`cancelled`) or its deadline has passed (`timeout`).
    pub fn check(&self) -> Result<(), ToolError> {
        if !self.cancelled() {
            return Ok(());
        }
        Err(if self.remaining() == Some(Duration::ZERO) {
            ToolError::new("the call's deadline has passed").with_error_type("timeout")
        } else {
            ToolError::new("the call was cancelled").with_error_type("cancelled")
        })
    }

    /// Tells how far the call is, in any unit, and of how much, if that is known.
    pub fn progress(&self, done: f64, total: impl Into<Option<f64>>, message: &str) {
        self.call().progress(done, total.into().into(), RStr::from_str(message));
    }

    /// The host, for what outlives this call.
    pub fn host(&self) -> Host {
        self.lender().clone()
    }

    /// See [`Host::state`].
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.lender().state()
    }

    /// See [`Host::config`].
    ///
    /// # Errors
    /// If the host does not answer, or the configuration is no `T`.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        self.lender().config()
    }

    /// See [`Host::data_dir`].
    ///
    /// # Errors
    /// If the host has none or can not make it.
    pub fn data_dir(&self) -> Result<PathBuf, ToolError> {
        self.lender().data_dir()
    }

    /// See [`Host::spill_dir`].
    ///
    /// # Errors
    /// If the host has none or can not make it.
    pub fn spill_dir(&self) -> Result<PathBuf, ToolError> {
        self.lender().spill_dir()
    }

    /// See [`Host::origin`].
    ///
    /// # Errors
    /// If the host does not know it.
    pub fn origin(&self) -> Result<PathBuf, ToolError> {
        self.lender().origin()
    }

    /// See [`Host::config_dir`].
    ///
    /// # Errors
    /// If the host does not know it.
    pub fn config_dir(&self) -> Result<Option<PathBuf>, ToolError> {
        self.lender().config_dir()
    }

    /// See [`Host::config_path`].
    ///
    /// # Errors
    /// If the path is relative and the host has no configuration file, or does not know where it is.
    pub fn config_path(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        self.lender().config_path(path)
    }

    /// Calls another tool, on this thread, as far as this call's own caller may. `args` are written as a JSON object.
    ///
    /// # Errors
    /// If there is no such tool, the caller may not call it, or it fails: the error is then the tool's own.
    pub fn call_tool<T: Serialize + ?Sized>(&self, name: &str, args: &T) -> Result<Answer, ToolError> {
        self.lender().call_tool_as(self.call().token(), name, args)
    }

    /// The same as a future.
    pub fn call_tool_async<T: Serialize + ?Sized>(&self, name: &str, args: &T) -> PendingAnswer {
        self.lender().call_tool_async_as(self.call().token(), name, args)
    }

    /// Definitions of tools in a provider's shape; see [`Host::definitions`].
    ///
    /// # Errors
    /// If the host does not answer, or does not know the provider.
    pub fn definitions(&self, selection: &Selection, provider: &str) -> Result<serde_json::Value, ToolError> {
        self.lender().definitions_as(self.call().token(), selection, provider)
    }

    /// See [`Host::tools_changed`].
    ///
    /// # Errors
    /// If the host does not answer.
    pub fn tools_changed(&self) -> Result<(), ToolError> {
        self.lender().tools_changed()
    }

    /// See [`Host::notify`].
    ///
    /// # Errors
    /// If the host does not answer, or there is no such session.
    pub fn notify<T: Serialize + ?Sized>(&self, session: &str, event: &T) -> Result<(), ToolError> {
        self.lender().notify(session, event)
    }

    /// Asks the person behind the call, and waits for the answer. Both are written as JSON objects.
    ///
    /// # Errors
    /// If nobody answers, or the answer is no `R`.
    pub fn ask<T: Serialize + ?Sized, R: DeserializeOwned>(&self, question: &T) -> Result<R, ToolError> {
        self.lender().ask_as(self.call().token(), question)
    }

    /// See [`Host::request`]; the host knows for which call.
    ///
    /// # Errors
    /// If the host does not offer it, or its answer is no `R`.
    pub fn request<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        name: &str,
        json: &T,
    ) -> Result<R, ToolError> {
        self.lender().request_as(self.call().token(), name, json)
    }

    fn call(&self) -> &(dyn CallContext + Send + Sync) {
        match &self.0 {
            Source::Lent { call, .. } => *call,
            Source::Detached(detached) => detached.call(),
        }
    }

    fn lender(&self) -> &Host {
        match &self.0 {
            Source::Lent { host, .. } => host,
            Source::Detached(detached) => detached.host(),
        }
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("session", &self.session())
            .field("task", &self.task())
            .field("call_id", &self.call_id())
            .finish_non_exhaustive()
    }
}
