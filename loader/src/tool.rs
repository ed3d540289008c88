//! A tool as the table holds it.

mod description;
mod json;
mod name;

use std::sync::Arc;

pub use description::{Description, InvalidTool, JsonText, MaxResultSize, Timeout};
pub use name::is_valid_name;

use crate::availability::Gate;
use crate::call::Callable;
use crate::source::Source;

/// One row of the table: what a tool is, who registered it, and what runs when it is called.
pub struct ToolEntry {
    /// What the tool says of itself.
    pub description: Description,
    /// Who registered it.
    pub source: Arc<Source>,
    pub(crate) handler: Arc<dyn Callable>,
    pub(crate) gate: Gate,
}

impl ToolEntry {
    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// The toolset that it belongs to.
    pub fn toolset(&self) -> &str {
        &self.description.toolset
    }
}

impl std::fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolEntry")
            .field("name", &self.description.name)
            .field("toolset", &self.description.toolset)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}
