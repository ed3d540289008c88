//! A tool as the table holds it.

mod description;
mod json;
mod name;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

pub use description::{Description, InvalidTool, JsonText, MaxResultSize, Timeout};
pub use name::is_valid_name;

use crate::answer::{FOR_LOG, shorten};
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

    /// What the tool says of itself at the moment: a dynamic one is asked. If that fails, it is what the tool said
    /// when it was registered, with a warning in the log. The name stays, whatever it says.
    pub fn current_description(&self) -> Cow<'_, Description> {
        if !self.description.dynamic {
            return Cow::Borrowed(&self.description);
        }
        match self.asked() {
            Ok(Some(description)) => Cow::Owned(description),
            Ok(None) => Cow::Borrowed(&self.description),
            Err(why) => {
                let why = shorten(&why, FOR_LOG);
                log::warn!("tool `{}`: its description stays as it was registered: {why}", self.name());
                Cow::Borrowed(&self.description)
            }
        }
    }

    fn asked(&self) -> Result<Option<Description>, String> {
        let answer = catch_unwind(AssertUnwindSafe(|| self.handler.overrides())).unwrap_or_else(|payload| {
            std::mem::forget(payload);
            Err("it panicked when it was asked".to_owned())
        });
        let Some(keys) = answer? else { return Ok(None) };
        self.description.overridden(&keys).map(Some).map_err(|invalid| invalid.fault)
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
