//! One registration of a plugin, alive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolrack_abi::PluginBox;
use toolrack_abi::abi_stable::std_types::{RArc, RStr};

use super::image::Image;
use crate::services::HostSide;

/// What all tools of one registration share. Dropped with the last of them, which retires the plugin.
pub(crate) struct Instance {
    name: Arc<str>,
    plugin: PluginBox,
    services: RArc<HostSide>,
    image: Image,
    retired: AtomicBool,
}

impl Instance {
    pub(super) fn new(name: Arc<str>, plugin: PluginBox, services: RArc<HostSide>, image: Image) -> Self {
        Instance { name, plugin, services, image, retired: AtomicBool::new(false) }
    }

    /// The plugin's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether no call may begin any more.
    #[inline]
    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Relaxed)
    }

    /// Tells the library of the host's log level, if that has changed since it was last told.
    #[inline]
    pub(super) fn follow_log_level(&self) {
        self.image.follow_log_level();
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
