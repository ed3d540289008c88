//! One registration of a plugin, alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use toolrack_abi::abi_stable::std_types::{RArc, RStr};
use toolrack_abi::{PluginBox, PluginModule_Ref};

use crate::services::{HostSide, current_level};

/// What all tools of one registration share. Dropped with the last of them, which retires the plugin.
pub(crate) struct Instance {
    name: Arc<str>,
    plugin: PluginBox,
    services: RArc<HostSide>,
    module: PluginModule_Ref,
    /// The log level that the library was last told.
    level: AtomicU8,
    retired: AtomicBool,
}

impl Instance {
    pub(super) fn new(
        name: Arc<str>,
        plugin: PluginBox,
        services: RArc<HostSide>,
        module: PluginModule_Ref,
    ) -> Self {
        let level = AtomicU8::new(current_level().0);
        Instance { name, plugin, services, module, level, retired: AtomicBool::new(false) }
    }

    /// The plugin's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether no call may begin any more.
    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    /// Tells the library of the host's log level, if that has changed since it was last told.
    pub(super) fn follow_log_level(&self) {
        let level = current_level();
        if self.level.load(Ordering::Relaxed) != level.0 {
            self.level.store(level.0, Ordering::Relaxed);
            self.module.set_log_level()(level);
        }
    }

    /// The session is over.
    pub(crate) fn end_session(&self, id: &str) {
        self.plugin.end_session(RStr::from_str(id));
    }

    /// Ends the registration, once: the plugin lets go of what it holds, then its services end.
    pub(crate) fn retire(&self) {
        if !self.retired.swap(true, Ordering::AcqRel) {
            self.plugin.retire();
            self.services.end();
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.retire();
    }
}
