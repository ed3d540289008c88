//! What may be registered at all.

use std::collections::HashSet;
use std::path::PathBuf;

use super::Batch;
use crate::Code;
use crate::diagnosis::Diagnosis;
use crate::source::{Source, SourceKind};
use crate::tool::{ToolEntry, is_valid_name};
use crate::toolsets::is_everything;

/// Refuses a batch of which one tool is not valid.
///
/// # Errors
/// T6006, which names the tool and what is wrong with it.
pub(super) fn check(batch: &Batch) -> Result<(), Diagnosis> {
    let mut seen = HashSet::new();
    for entry in batch.tools() {
        let fault =
            if seen.insert(entry.name()) { fault(entry) } else { Some("the name is there twice".to_owned()) };
        if let Some(fault) = fault {
            let source = &batch.source;
            let path = source.path.clone().unwrap_or_else(|| PathBuf::from(&*source.id.name));
            let name = crate::escaped(entry.name().as_ref()).to_string();
            return Err(Diagnosis::new(Code::T6006, path, format!("tool `{name}`: {fault}"))
                .help("none of the tools that come with it is registered; mend that one"));
        }
    }
    Ok(())
}

fn fault(entry: &ToolEntry) -> Option<String> {
    let (name, toolset, source) = (entry.name(), entry.toolset(), &entry.source);
    // A description can be changed after it was read.
    if !is_valid_name(name) {
        return Some("no model can use the name".to_owned());
    }
    if toolset.is_empty() {
        return Some("it names no toolset".to_owned());
    }
    if is_everything(toolset) {
        return Some(format!("the toolset `{toolset}` means every toolset"));
    }
    if toolset.starts_with("mcp-") && !is_servers_toolset(source, toolset) {
        return Some("toolsets that begin `mcp-` belong to MCP servers, each its own".to_owned());
    }
    if name.starts_with("mcp__") && !is_servers_name(source, name) {
        return Some("names that begin `mcp__` belong to MCP servers, each its own".to_owned());
    }
    if matches!(name, "tool_search" | "tool_describe" | "tool_call") {
        return Some("the name belongs to the search over the table itself".to_owned());
    }
    None
}

fn is_servers_toolset(source: &Source, toolset: &str) -> bool {
    source.id.kind == SourceKind::Mcp && toolset.strip_prefix("mcp-") == Some(&source.id.name)
}

/// Whether the name is one that the tools of this server get: `mcp__SERVER__TOOL`, of which 55 characters are left
/// when it is shortened.
fn is_servers_name(source: &Source, name: &str) -> bool {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut prefix: String = source.id.name.chars().map(plain).collect();
    prefix = format!("mcp__{prefix}__");
    prefix.truncate(55);
    source.id.kind == SourceKind::Mcp && name.starts_with(&prefix)
}
