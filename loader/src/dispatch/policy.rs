//! What surrounds the calls of one registry.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use parking_lot::Mutex;

use super::budget::Budget;
use super::hooks::{Hook, HookStage};
use crate::registry::Registry;
use crate::source::SourceId;

/// How dispatch treats the calls of one registry. The default does everything.
///
/// A model's arguments need every check. A program that calls tools with arguments of its own writing, thousands of
/// times a second, has them checked by its compiler, and pays about a microsecond a call for nothing: it uses
/// [`DispatchPolicy::bare`], on a registry of its own if the same tools are also called by a model. Hooks, errors
/// and panics are treated alike under every policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DispatchPolicy {
    /// What is done with arguments before the call.
    pub arguments: Handling,
    /// How large arguments may be, in bytes, where they are looked at. A model writes a few kilobytes.
    pub max_argument_bytes: usize,
    /// What is done with results after it.
    pub results: Handling,
    /// How large results may be, where they are looked at.
    pub budget: Budget,
    /// How long a call may take if neither the call, nor the tool, nor its source says so.
    pub timeout: Option<Duration>,
    /// How long a call of a source's tools may take if neither the call nor the tool says so.
    pub source_timeouts: BTreeMap<SourceId, Duration>,
    /// How long one hook may take before a call. Time that it waited for a person does not count.
    pub hook_timeout: Duration,
}

/// Whether arguments or results are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// Arguments are parsed, coerced and validated; results are read and kept within the budget.
    Checked,
    /// They are passed on as they are. Arguments must still look like an object.
    AsGiven,
}

impl Default for DispatchPolicy {
    fn default() -> Self {
        DispatchPolicy {
            arguments: Handling::Checked,
            max_argument_bytes: 16 << 20,
            results: Handling::Checked,
            budget: Budget::default(),
            timeout: Some(Duration::from_secs(300)),
            source_timeouts: BTreeMap::new(),
            hook_timeout: Duration::from_secs(5),
        }
    }
}

impl DispatchPolicy {
    /// Nothing between a program and its tools but what keeps it alive: for arguments that are known to be good. A
    /// session's tool that has left the table is still called where its source still answers.
    pub fn bare() -> Self {
        DispatchPolicy {
            arguments: Handling::AsGiven,
            results: Handling::AsGiven,
            timeout: None,
            ..DispatchPolicy::default()
        }
    }
}

/// The policy and the hooks, swapped as one.
#[derive(Clone, Default)]
pub(crate) struct Around {
    pub(super) policy: DispatchPolicy,
    /// In the order in which they are asked.
    pub(super) hooks: Vec<Hooked>,
}

/// A hook, and what it said of itself when it was added.
#[derive(Clone)]
pub(super) struct Hooked {
    pub(super) name: String,
    pub(super) stage: HookStage,
    pub(super) hook: Arc<dyn Hook>,
}

impl Around {
    pub(super) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    /// Whether there is nothing around a call.
    fn is_plain(&self) -> bool {
        let DispatchPolicy { arguments, results, timeout, source_timeouts, .. } = &self.policy;
        self.hooks.is_empty()
            && (*arguments, *results) == (Handling::AsGiven, Handling::AsGiven)
            && timeout.is_none()
            && source_timeouts.is_empty()
    }
}

/// What surrounds calls now.
#[derive(Default)]
pub(crate) struct AroundCalls {
    now: ArcSwap<Around>,
    /// The same as [`Around::is_plain`], to be seen without taking a guard.
    plain: AtomicBool,
    /// Held while one change is made, so that `plain` is never that of an older one.
    changing: Mutex<()>,
}

impl AroundCalls {
    pub(super) fn load(&self) -> Guard<Arc<Around>> {
        self.now.load()
    }

    pub(super) fn load_full(&self) -> Arc<Around> {
        self.now.load_full()
    }

    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.plain.load(Ordering::Acquire)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Around) -> T) -> T {
        let changing = self.changing.lock();
        let mut around = (**self.now.load()).clone();
        let told = change(&mut around);
        let plain = around.is_plain();
        let old = self.now.swap(Arc::new(around));
        self.plain.store(plain, Ordering::Release);
        drop(changing);
        // The last handle on a hook may go with it: its code does not run under the lock.
        drop(old);
        told
    }
}

impl Registry {
    /// How the calls of this registry are treated.
    pub fn dispatch_policy(&self) -> DispatchPolicy {
        self.around().load().policy.clone()
    }

    /// Changes how calls are treated from now on; calls under way are not touched. Sessions share their registry's
    /// policy.
    pub fn set_dispatch_policy(&self, policy: DispatchPolicy) {
        self.around().change(|around| around.policy = policy);
    }

    /// Says where large results go, if nobody has said so.
    pub(crate) fn spill_into(&self, folder: &Path) {
        self.around().change(|around| {
            around.policy.budget.spill.get_or_insert_with(|| folder.to_owned());
        });
    }

    /// Adds a hook to every call from now on. One of the same name is replaced in its place.
    ///
    /// Hooks belong to the registry, not to a version of the table: they stay when tools come and go.
    pub fn add_hook(&self, hook: Arc<dyn Hook>) {
        let hooked = Hooked { name: hook.name().to_owned(), stage: hook.stage(), hook };
        self.around().change(|around| {
            match around.hooks.iter_mut().find(|known| known.name == hooked.name) {
                Some(known) => *known = hooked,
                None => around.hooks.push(hooked),
            }
            around.hooks.sort_by_key(|hooked| hooked.stage);
        });
    }

    /// Takes a hook out; says whether it was there.
    pub fn remove_hook(&self, name: &str) -> bool {
        self.around().change(|around| {
            let before = around.hooks.len();
            around.hooks.retain(|hooked| hooked.name != name);
            around.hooks.len() < before
        })
    }
}
