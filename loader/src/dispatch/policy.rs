//! What surrounds the calls of one registry.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::budget::Budget;
use super::hooks::Hook;
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
            results: Handling::Checked,
            budget: Budget::default(),
            timeout: Some(Duration::from_secs(300)),
            source_timeouts: BTreeMap::new(),
            hook_timeout: Duration::from_secs(5),
        }
    }
}

impl DispatchPolicy {
    /// Nothing between a program and its tools but what keeps it alive: for arguments that are known to be good.
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
    pub(super) hooks: Vec<Arc<dyn Hook>>,
}

impl Around {
    pub(super) fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
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
        self.around().rcu(|around| Around { policy: policy.clone(), ..(**around).clone() });
    }

    /// Says where large results go, if nobody has said so.
    pub(crate) fn spill_into(&self, folder: &Path) {
        self.around().rcu(|around| {
            let mut around = (**around).clone();
            around.policy.budget.spill.get_or_insert_with(|| folder.to_owned());
            around
        });
    }

    /// Adds a hook to every call from now on. One of the same name is replaced in its place.
    ///
    /// Hooks belong to the registry, not to a version of the table: they stay when tools come and go.
    pub fn add_hook(&self, hook: Arc<dyn Hook>) {
        self.around().rcu(|around| {
            let mut around = (**around).clone();
            match around.hooks.iter_mut().find(|known| known.name() == hook.name()) {
                Some(known) => *known = hook.clone(),
                None => around.hooks.push(hook.clone()),
            }
            around.hooks.sort_by_key(|hook| hook.stage());
            around
        });
    }

    /// Takes a hook out; says whether it was there.
    pub fn remove_hook(&self, name: &str) -> bool {
        let before = self.around().rcu(|around| {
            let mut around = (**around).clone();
            around.hooks.retain(|hook| hook.name() != name);
            around
        });
        before.hooks.iter().any(|hook| hook.name() == name)
    }
}
