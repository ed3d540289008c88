//! What `export_tools!` expands to, as far as it need not stand in the plugin itself.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::std_types::{RResult, RStr, RString, RVec};
use toolrack_abi::{LogLevel, Plugin, Plugin_TO, PluginBox, PluginEntry, Services, Tool_TO, ToolBox};

use crate::describe::describe;
use crate::guard::{self, Panicked, guard, guard_for};
use crate::meta::PluginMeta;
use crate::slot::Handle;
use crate::{Host, Tool, logging};

/// A plugin. Implemented by `export_tools!`.
pub trait Exported: 'static {
    /// What the manifest says.
    const META: PluginMeta;

    /// Adds each tool.
    fn tools(tools: &mut Tools<'_>);

    /// The session is over.
    fn end_session(host: &Host, session: &str) {
        let _unused = (host, session);
    }

    /// The registration is over.
    fn retire(host: &Host) {
        let _unused = host;
    }
}

/// The tools of one registration, as they are listed.
pub struct Tools<'a> {
    host: &'a Host,
    boxes: RVec<ToolBox>,
    fault: Option<String>,
}

impl Tools<'_> {
    /// Adds a tool that `make` builds when it is first needed. Describing it builds nothing.
    pub fn add<T: Tool, F: Fn() -> T + Send + Sync + 'static>(&mut self, make: F) {
        let described = guard(self.host, || describe::<T>(self.host.plugin())).unwrap_or_else(|Panicked| {
            Err("describing it panicked; the details are in the host's log".to_owned())
        });
        match described {
            Ok(description) => {
                let handle = Handle::new(self.host, make, description);
                self.boxes.push(Tool_TO::from_value(handle, TD_Opaque));
            }
            Err(fault) => {
                self.fault.get_or_insert_with(|| format!("tool `{}`: {fault}", T::META.name));
            }
        }
    }

    fn list<P: Exported>(host: &Host) -> Result<RVec<ToolBox>, String> {
        let mut tools = Tools { host, boxes: RVec::new(), fault: None };
        P::tools(&mut tools);
        match tools.fault {
            Some(fault) => Err(fault),
            None => Ok(tools.boxes),
        }
    }
}

/// The way into the plugin `P`.
pub struct Entry<P>(PhantomData<P>);

impl<P: Exported> PluginEntry for Entry<P> {
    fn register(services: Services) -> RResult<PluginBox, RString> {
        guard::install();
        let registered = guard_for(None, || {
            logging::install(&P::META);
            let host = Host::new(P::META.name, services);
            logging::attach(&host);
            let tools = Tools::list::<P>(&host)?;
            let instance = Instance::<P> {
                host,
                tools: tools.into(),
                retired: AtomicBool::new(false),
                plugin: PhantomData,
            };
            Ok(Plugin_TO::from_value(instance, TD_Opaque))
        });
        registered
            .unwrap_or_else(|Panicked| {
                Err("registering panicked; the details are in the host's log".to_owned())
            })
            .map_err(RString::from)
            .into()
    }

    fn set_log_level(level: LogLevel) {
        let _panicked = guard_for(None, || logging::set_level(&P::META, level));
    }
}

/// One registration.
struct Instance<P> {
    host: Host,
    /// Handed over once.
    tools: std::sync::Mutex<RVec<ToolBox>>,
    retired: AtomicBool,
    plugin: PhantomData<fn() -> P>,
}

impl<P: Exported> Plugin for Instance<P> {
    fn tools(&self) -> RVec<ToolBox> {
        let mut ready = self.tools.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if ready.is_empty() {
            let again = guard(&self.host, || Tools::list::<P>(&self.host).unwrap_or_default());
            return again.unwrap_or_default();
        }
        std::mem::take(&mut *ready)
    }

    fn end_session(&self, id: RStr<'_>) {
        let _panicked = guard(&self.host, || P::end_session(&self.host, id.as_str()));
    }

    fn retire(&self) {
        if !self.retired.swap(true, Ordering::AcqRel) {
            let _panicked = guard(&self.host, || P::retire(&self.host));
            self.host.clear_state();
        }
    }
}
