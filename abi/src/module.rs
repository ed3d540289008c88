//! The root module: how a host enters a plugin.

use abi_stable::StableAbi;
use abi_stable::library::RootModule;
use abi_stable::package_version_strings;
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RString};

use crate::{PluginBox, Services};

/// The functions of a plugin. One a library; made once, never dropped.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginModule_Ref, prefix_fields = PluginModule_Prefix)))]
pub struct PluginModule {
    /// Starts a registration: describes, but does nothing else. May be called again at any time, from any
    /// thread, also while earlier registrations are in use.
    pub register: extern "C" fn(Services) -> RResult<PluginBox, RString>,

    /// Sets the level of the library's log. The one thing that all registrations of a library share.
    #[sabi(last_prefix_field)]
    pub set_log_level: extern "C" fn(LogLevel),
}

impl RootModule for PluginModule_Ref {
    abi_stable::declare_root_module_statics! { PluginModule_Ref }
    const BASE_NAME: &'static str = "toolrack";
    const NAME: &'static str = "toolrack";
    const VERSION_STRINGS: VersionStrings = package_version_strings!();
}

/// How much of a log is wanted, or how grave a record is. A number, so that a level not yet known is no fault.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogLevel(pub u8);

impl LogLevel {
    /// Nothing.
    pub const OFF: LogLevel = LogLevel(0);
    /// What went wrong.
    pub const ERROR: LogLevel = LogLevel(1);
    /// What may go wrong.
    pub const WARN: LogLevel = LogLevel(2);
    /// What happened.
    pub const INFO: LogLevel = LogLevel(3);
    /// What helps to find a fault.
    pub const DEBUG: LogLevel = LogLevel(4);
    /// Everything.
    pub const TRACE: LogLevel = LogLevel(5);
}
