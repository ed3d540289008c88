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
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the flag. A tool sees it when it next asks.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
