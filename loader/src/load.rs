//! From stored bytes to tools in a staging set: the only place where a library's code begins to run.

mod image;
mod instance;
mod layout;
mod plugin_tool;
mod system_error;

use std::path::Path;
use std::sync::Arc;

use toolrack_abi::HostServices_TO;
use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::std_types::{RArc, RResult};

pub(crate) use image::{Image, LayoutCheck};
pub(crate) use instance::Instance;

use crate::Code;
use crate::answer::{FOR_LOG, shorten};
use crate::diagnosis::Diagnosis;
use crate::registry::Batch;
use crate::services::HostSide;
use crate::source::Source;
use crate::tool::Description;
use plugin_tool::PluginTool;

/// A registration that is described and not yet published.
pub(crate) struct Staged {
    pub(crate) batch: Batch,
    pub(crate) instance: Arc<Instance>,
    /// What every tool said of itself, as it came.
    pub(crate) descriptions: Vec<String>,
}

/// Lets the plugin in `image` describe its tools for a registration of its own.
///
/// # Errors
/// T6004 with the plugin's own words if it refuses, T6006 if a tool is not valid. `source` names the file.
pub(crate) fn register(image: Image, source: Source, services: HostSide) -> Result<Staged, Diagnosis> {
    let path = source.path.clone().unwrap_or_default();
    let plugin_name = source.id.name.clone();
    let services = RArc::new(services);
    let module = image.module();
    // Set first, so that what it logs while it registers is heard.
    image.follow_log_level();
    let lent = HostServices_TO::from_ptr(services.clone(), TD_Opaque);
    let plugin = match module.register()(lent) {
        RResult::ROk(plugin) => plugin,
        RResult::RErr(words) => {
            services.end();
            return Err(failed_registration(&path, &words));
        }
    };
    let tools = plugin.tools();
    let instance = Arc::new(Instance::new(plugin_name.clone(), plugin, services, image));
    let mut batch = Batch::new(source);
    let mut descriptions = Vec::with_capacity(tools.len());
    for tool in tools {
        let text = tool.description().into_string();
        let description = Description::from_json(&text, &plugin_name).map_err(|invalid| {
            Diagnosis::new(Code::T6006, &*path, invalid.to_string())
                .help("none of the plugin's tools is registered; mend that one and build it again")
        })?;
        descriptions.push(text);
        batch = batch.callable(description, Arc::new(PluginTool::new(tool, instance.clone())));
    }
    Ok(Staged { batch, instance, descriptions })
}

fn failed_registration(path: &Path, words: &str) -> Diagnosis {
    Diagnosis::new(Code::T6004, path, "the plugin could not register")
        .caused_by(shorten(words, FOR_LOG))
        .help("these are the plugin's own words; ask its author, or look at its configuration in `toolrack.toml`")
}
