//! What a source registers in one step.

use std::sync::{Arc, OnceLock};

use super::claim::Claimed;
use crate::answer::{ErrorType, Failure, Outcome};
use crate::call::{ActiveCall, Call, Callable, LiveCall, OutcomeFuture};
use crate::source::Source;
use crate::tool::{Description, ToolEntry};

/// Tools of one source, staged: nothing of it is in the table before it is published.
pub struct Batch {
    pub(super) source: Arc<Source>,
    pub(super) entries: Vec<Arc<ToolEntry>>,
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
        self.callable(description, Arc::new(Builtin(function)))
    }

    /// Adds a tool with whatever answers its calls.
    #[must_use]
    pub fn callable(mut self, description: Description, handler: Arc<dyn Callable>) -> Self {
        let source = self.source.clone();
        self.entries.push(Arc::new(ToolEntry { description, source, handler, arguments: OnceLock::new() }));
        self
    }

    /// The tools, in the order they were added.
    pub fn tools(&self) -> impl Iterator<Item = &ToolEntry> {
        self.entries.iter().map(|entry| &**entry)
    }
}

struct Builtin<F>(F);

impl<F> Callable for Builtin<F>
where
    F: Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static,
{
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome {
        (self.0)(call.call(), args)
    }

    fn call_async(&self, _: Arc<LiveCall>, _: String) -> OutcomeFuture {
        let failure =
            Failure::new(ErrorType::ToolResultContract, "this tool is a plain function of the host");
        Box::pin(std::future::ready(Err(failure)))
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
}
