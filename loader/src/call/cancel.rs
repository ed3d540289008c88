//! Cancellation: one flag, shared.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Cancels calls. Clones share the flag; once set it stays.
///
/// ```
/// let cancel = toolrack::Cancel::new();
/// let other = cancel.clone();
/// other.cancel();
/// assert!(cancel.is_cancelled());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    set: AtomicBool,
    /// What cancels this one, too.
    parent: Option<Cancel>,
}

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Another flag, which is set when this one is and can be set alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Cancel(Arc::new(Flag { set: AtomicBool::new(false), parent: Some(self.clone()) }))
    }

    /// Sets the flag. A tool sees it when it next asks.
    pub fn cancel(&self) {
        self.0.set.store(true, Ordering::Release);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.set.load(Ordering::Acquire) || self.0.parent.as_ref().is_some_and(Cancel::is_cancelled)
    }
}
