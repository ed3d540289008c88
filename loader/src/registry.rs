//! The one table: name → tool.
//!
//! Readers take an immutable snapshot without a lock; writers decide, build the next one and swap it in. Nothing
//! in here knows of libraries.

mod batch;
mod book;
mod claim;
mod index;
mod lent;
mod snapshot;

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use parking_lot::Mutex;

pub use batch::{Batch, Published};
pub use claim::{ClaimClass, Claimed, Rank, rank};
pub use lent::Lent;
pub use snapshot::{Hidden, Snapshot};

use crate::diagnosis::Diagnosis;
use crate::source::{Source, SourceId};
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
        Registry(Arc::new(Inner {
            table: ArcSwap::from_pointee(Snapshot::default()),
            book: Mutex::new(Book::default()),
        }))
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
        self.change(|book| book.publish(&batch, Whole::Replace))
    }

    /// Adds tools to those that a source has already, or replaces them by name.
    ///
    /// # Errors
    /// As [`publish`](Self::publish).
    pub fn extend(&self, batch: Batch) -> Result<Published, Diagnosis> {
        self.change(|book| book.publish(&batch, Whole::Keep))
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
