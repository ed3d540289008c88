//! The one table: name → tool.
//!
//! Readers take an immutable snapshot without a lock; writers decide, build the next one and swap it in. Nothing
//! in here knows of libraries.

mod batch;
mod book;
mod builtin;
mod claim;
mod diff;
mod index;
mod lent;
mod queries;
mod settings;
mod snapshot;
#[cfg(test)]
mod tests;
mod valid;

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

pub use batch::{Batch, Published};
pub use claim::{ClaimClass, Claimed, Rank, rank};
pub use diff::{Diff, diff};
pub use lent::Lent;
pub use queries::{DEFAULT_EMOJI, DEFAULT_MAX_RESULT_CHARS, MCP_MAX_RESULT_CHARS, Requirements};
pub use settings::{McpCollision, RegistrySettings, UnknownMcpCollision};
pub use snapshot::{Hidden, HiddenBy, Snapshot};

use crate::availability::Monitor;
use crate::diagnosis::Diagnosis;
use crate::dispatch::AroundCalls;
use crate::source::{Source, SourceId};
use crate::toolsets::{Toolset, ToolsetRefused};
use book::Book;

/// A table of tools. Clones are the same table; [`Registry::new`] makes an independent one.
///
/// ```
/// use toolrack::{Batch, Call, Description, Output, Registry, Source};
///
/// let registry = Registry::new();
/// let schema = r#"{"type":"object","properties":{"text":{"type":"string"}}}"#;
/// let echo = Description::new("echo", "demo", "Gives its arguments back", schema)?;
/// registry.publish(Batch::new(Source::builtin("app")).tool(echo, |_, args| Ok(Output::json(args))))?;
///
/// let answer = registry.call_inline("echo", r#"{"text":"hi"}"#, &Call::new());
/// assert_eq!(answer.as_str(), r#"{"text":"hi"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<Inner>);

struct Inner {
    table: ArcSwap<Snapshot>,
    /// What the table is built from. Held while a change is decided and swapped in, never over a call.
    book: Mutex<Book>,
    monitor: Arc<Monitor>,
    /// What surrounds calls: no part of the table, and no change of it.
    around: AroundCalls,
}

/// The process-wide table. It is merely the one that everybody can reach.
pub fn registry() -> &'static Registry {
    static PROCESS: LazyLock<Registry> = LazyLock::new(Registry::new);
    &PROCESS
}

impl Default for Registry {
    fn default() -> Self {
        Self::new()
    }
}

impl Registry {
    /// An empty table of its own.
    pub fn new() -> Self {
        Self::with(RegistrySettings::default())
    }

    /// An empty table of its own, made otherwise than usual.
    pub fn with(settings: RegistrySettings) -> Self {
        Registry(Arc::new(Inner {
            table: ArcSwap::from_pointee(Snapshot::default()),
            book: Mutex::new(Book::new(settings.mcp_collision)),
            monitor: Arc::new(Monitor::new(settings.clock, settings.environment)),
            around: AroundCalls::default(),
        }))
    }

    #[inline]
    pub(crate) fn around(&self) -> &AroundCalls {
        &self.0.around
    }

    /// How many changes the table has seen.
    pub fn generation(&self) -> u64 {
        self.0.table.load().generation()
    }

    /// The table as it is now, to be kept.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.0.table.load_full()
    }

    /// Looks a tool up. The entry is lent: nothing is cloned, no shared count is written.
    #[inline]
    pub fn lookup(&self, name: &str) -> Option<Lent> {
        Lent::find(self.0.table.load(), name)
    }

    /// Publishes all that a source has, in one step: what it had before and no longer has goes, the rest is
    /// replaced in place, and no reader sees half of it.
    ///
    /// # Errors
    /// If a tool of the batch is invalid (T6006). Nothing of the batch is published then.
    pub fn publish(&self, batch: Batch) -> Result<Published, Diagnosis> {
        self.publish_as(batch, Whole::Replace)
    }

    /// Adds tools to those that a source has already, or replaces them by name.
    ///
    /// # Errors
    /// As [`publish`](Self::publish).
    pub fn extend(&self, batch: Batch) -> Result<Published, Diagnosis> {
        self.publish_as(batch, Whole::Keep)
    }

    fn publish_as(&self, batch: Batch, whole: Whole) -> Result<Published, Diagnosis> {
        // Before the lock: what is refused is dropped here, and a plugin's code must not run under it.
        valid::check(&batch)?;
        Ok(self.change(|book| book.publish(batch, whole)))
    }

    /// Takes out everything that a source registered. What it hid comes back.
    pub fn withdraw(&self, source: &SourceId) {
        self.change(|book| book.withdraw(source));
    }

    /// Takes one tool of a source out. A name that is not there is no error.
    ///
    /// # Errors
    /// If the name is there but not registered by `source`: the owner of what is there.
    pub fn deregister(&self, source: &SourceId, name: &str) -> Result<(), Arc<Source>> {
        self.change(|book| book.deregister(source, name))
    }

    /// Whether the plugin may stand before tools of other sources that it asks to override. The last call wins;
    /// it covers what registers later and what has registered.
    pub fn register_plugin_override_policy(&self, plugin: &str, allow: bool) {
        self.change(|book| book.set_override_policy(plugin, allow));
    }

    /// Defines a toolset. One that ships is added to; one that was defined before is replaced.
    ///
    /// # Errors
    /// If the name can not be a toolset's. Nothing has changed then.
    pub fn define_toolset(&self, name: &str, toolset: Toolset) -> Result<(), ToolsetRefused> {
        self.change(|book| book.define_toolset(name, toolset))
    }

    /// Lets `alias` stand for a toolset, which need not be there yet. What it stood for before, if anything: that is
    /// logged. With the last tool of a toolset its aliases go.
    ///
    /// # Errors
    /// If the alias can not be a toolset's name, is that of a toolset that is defined, or would stand for itself.
    pub fn register_toolset_alias(
        &self,
        alias: &str,
        toolset: &str,
    ) -> Result<Option<Arc<str>>, ToolsetRefused> {
        self.change(|book| book.alias(alias, toolset))
    }

    /// Notes that `tools` are missing because of `diagnosis`, for the answer to whoever calls one of them.
    /// Replaces what was noted for the same file.
    pub fn note_missing(&self, tools: &[String], diagnosis: &Diagnosis) {
        self.change(|book| book.note_missing(tools, diagnosis));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        let mut book = self.0.book.lock();
        let before = book.generation();
        let outcome = change(&mut book);
        let old = (book.generation() != before).then(|| self.0.table.swap(Arc::new(book.snapshot())));
        let removed = book.take_removed();
        drop(book);
        // The last handle on a plugin may go with these: its code must not run under the lock.
        drop((old, removed));
        outcome
    }
}

/// What a batch says of the tools that its source had before.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// They go.
    Replace,
    /// They stay.
    Keep,
}
