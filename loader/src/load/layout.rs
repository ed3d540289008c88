//! Whether plugin and host mean the same by the types that cross.

use std::path::Path;

use toolrack_abi::PluginModule_Ref;
use toolrack_abi::abi_stable::StableAbi;
use toolrack_abi::abi_stable::abi_stability::abi_checking::{
    AbiInstabilityErrors, CheckingGlobals, check_layout_compatibility_with_globals,
};
use toolrack_abi::abi_stable::library::LibHeader;
use toolrack_abi::abi_stable::type_layout::TypeLayout;

use crate::Code;
use crate::diagnosis::Diagnosis;

/// Compares layouts, first for a plugin that is as new as the host or newer, then for an older one: each only
/// ever adds, and abi_stable's comparison goes one way.
///
/// The comparison keeps what it has seen in "globals", and one old plugin would make later good ones fail: each
/// pair gets fresh ones.
pub(super) fn compare(header: &LibHeader, shown: &Path) -> Result<(), Diagnosis> {
    let Some(theirs) = header.layout() else {
        return Err(Diagnosis::new(Code::T4007, shown, "the library opted out of the layout check")
            .help("build it with `export_tools!`, which does not opt out"));
    };
    let ours = <PluginModule_Ref as StableAbi>::LAYOUT;
    let Err(newer) = fits(ours, theirs) else { return Ok(()) };
    let Err(_) = fits(theirs, ours) else { return Ok(()) };
    let report = newer.to_string();
    log::debug!("layouts of `{}`:\n{report}", crate::escaped(shown));
    Err(Diagnosis::new(Code::T4007, shown, "its types are laid out otherwise than this host's")
        .caused_by(digest(&report))
        .help("build the plugin again with the toolrack-plugin of this host's version; `RUST_LOG=debug` shows all"))
}

fn fits(interface: &'static TypeLayout, library: &'static TypeLayout) -> Result<(), AbiInstabilityErrors> {
    check_layout_compatibility_with_globals(interface, library, &CheckingGlobals::new())
}

/// abi_stable's report has tens of kilobytes; the first thing that it names is what differs.
fn digest(report: &str) -> String {
    let lines = report.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut kept: Vec<&str> = Vec::new();
    for line in lines {
        let telling = line.starts_with("Error")
            || line.starts_with("Type:")
            || line.starts_with("field")
            || line.contains("Expected")
            || line.contains("Found");
        if telling || kept.is_empty() {
            kept.push(line);
        }
        if kept.len() == 5 {
            break;
        }
    }
    kept.join("; ").chars().take(300).collect()
}
