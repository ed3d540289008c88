//! What a source registers in one step.

use std::future::Future;
use std::sync::{Arc, OnceLock};

use super::builtin::{AsyncFunction, Function, WithCheck, WithOverrides};
use super::claim::Claimed;
use crate::answer::Outcome;
use crate::availability::Gate;
use crate::call::{Call, Callable, LiveCall};
use crate::source::Source;
use crate::tool::{Description, ToolEntry};

/// Tools of one source, staged: nothing of it is in the table before it is published.
pub struct Batch {
    pub(super) source: Arc<Source>,
    pub(super) entries: Vec<ToolEntry>,
}

impl Batch {
    /// An empty batch of `source`.
    pub fn new(source: Source) -> Self {
        Batch { source: Arc::new(source), entries: Vec::new() }
    }

    /// Adds a tool that is a function of the host: of the call's circumstances and the arguments' text, which is
    /// a JSON object.
    #[must_use]
    pub fn tool<F>(self, description: Description, function: F) -> Self
    where
        F: Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static,
    {
        self.callable(description, Arc::new(Function(function)))
    }

    /// Adds a tool that is an `async` closure of the host, or any function that gives a future. Whatever the
    /// description says, it is called as a future.
    ///
    /// ```
    /// use toolrack::{Batch, Call, Description, Output, Registry, Source};
    ///
    /// let registry = Registry::new();
    /// let ping = Description::new("ping", "net", "Answers", "{}")?;
    /// let app = Batch::new(Source::builtin("app"));
    /// registry.publish(app.async_tool(ping, async |_, _| Ok(Output::text("pong"))))?;
    ///
    /// assert_eq!(registry.call_inline("ping", "{}", &Call::new()).as_str(), "pong");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn async_tool<F, A>(self, mut description: Description, function: F) -> Self
    where
        F: Fn(Arc<LiveCall>, String) -> A + Send + Sync + 'static,
        A: Future<Output = Outcome> + Send + 'static,
    {
        description.is_async = true;
        self.callable(description, Arc::new(AsyncFunction(function)))
    }

    /// Adds a tool with whatever answers its calls.
    #[must_use]
    pub fn callable(mut self, description: Description, handler: Arc<dyn Callable>) -> Self {
        let source = self.source.clone();
        let (gate, arguments) = (Gate::default(), OnceLock::new());
        self.entries.push(ToolEntry { description, source, handler, gate, arguments });
        self
    }

    /// Gives a check to the tool that was added last: whether it can be used now, and if not, why. Tools of the
    /// source with the same `check_id` share it. It may block; see [`Registry::availability`](super::Registry::availability).
    ///
    /// ```
    /// use toolrack::{Batch, Description, Output, Registry, Source};
    ///
    /// let registry = Registry::new();
    /// let build = Description::new("build", "docker", "Builds an image", "{}")?;
    /// let batch = Batch::new(Source::builtin("app"))
    ///     .tool(build, |_, _| Ok(Output::text("built")))
    ///     .checked_by(|| Err("the daemon does not run".to_owned()));
    /// registry.publish(batch)?;
    ///
    /// assert_eq!(registry.toolset_available("docker"), Some(false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn checked_by<F>(mut self, check: F) -> Self
    where
        F: Fn() -> Result<(), String> + Send + Sync + 'static,
    {
        if let Some(entry) = self.entries.last_mut() {
            entry.description.check = true;
            entry.handler = Arc::new(WithCheck { inner: entry.handler.clone(), check });
        }
        self
    }

    /// Makes the tool that was added last a dynamic one: whenever it is shown, `overrides` gives the keys of its
    /// description that are different at the moment, as the text of a JSON object, or nothing as an
    /// empty text.
    #[must_use]
    pub fn overridden_by<F>(mut self, overrides: F) -> Self
    where
        F: Fn() -> Result<String, String> + Send + Sync + 'static,
    {
        if let Some(entry) = self.entries.last_mut() {
            entry.description.dynamic = true;
            entry.handler = Arc::new(WithOverrides { inner: entry.handler.clone(), overrides });
        }
        self
    }

    /// The tools, in the order they were added.
    pub fn tools(&self) -> impl Iterator<Item = &ToolEntry> {
        self.entries.iter()
    }
}

/// What came of a batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Published {
    /// The generation of the table that has it.
    pub generation: u64,
    /// The outcome of every tool, in the batch's order.
    pub outcomes: Vec<(String, Claimed)>,
    /// Tools that belong to no toolset: the one that they name is closed, and does not list them.
    pub not_admitted: Vec<String>,
}
