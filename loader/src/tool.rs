//! A tool as the table holds it.

mod description;
mod json;
mod name;

use std::sync::{Arc, OnceLock};

pub use description::{Description, InvalidTool, JsonText, MaxResultSize, Timeout};
pub use name::is_valid_name;

use crate::arguments::ArgumentSchema;
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
    /// What says whether it can be used.
    pub(crate) gate: Gate,
    /// The schema of its arguments, compiled when they are first looked at.
    pub(crate) arguments: OnceLock<ArgumentSchema>,
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

    /// The schema of its arguments, ready for use. Of several first callers one compiles it.
    pub(crate) fn arguments(&self) -> &ArgumentSchema {
        self.arguments.get_or_init(|| ArgumentSchema::compile(self.name(), self.description.schema.get()))
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
