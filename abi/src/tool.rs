//! One tool.

use abi_stable::sabi_trait;
use abi_stable::std_types::{RBox, RResult, RStr, RString};
use async_ffi::FfiFuture;

use crate::{ContextArc, ContextRef, ToolResult};

/// A tool, as a plugin hands it over. Its instance is built at the first call, check or override, not before.
#[sabi_trait]
pub trait Tool: Send + Sync + 'static {
    /// One JSON object: `name`, `toolset`, `description`, `schema` and the other fields of a tool's description.
    /// A host keeps the keys that it does not know. Pure: two calls give the same text.
    fn description(&self) -> RString;

    /// Calls the tool on this thread. `args` is the text of a JSON object.
    fn call(&self, context: ContextRef<'_>, args: RStr<'_>) -> ToolResult;

    /// Calls the tool as a future. Dropping the future cancels the call.
    fn call_async(&self, context: ContextArc, args: RString) -> FfiFuture<ToolResult>;

    /// Whether the tool can be used now. `Ok` carries nothing yet (an empty text); `Err` says why it can not.
    /// Asked only if the description has `"check": true`.
    fn check(&self) -> RResult<RString, RString>;

    /// The keys of the description that are different at the moment, as a JSON object; an empty text if none
    /// is. Asked only if the description has `"dynamic": true`.
    #[sabi(last_prefix_field)]
    fn schema_overrides(&self) -> RResult<RString, RString>;
}

/// A [`Tool`] that the host owns.
pub type ToolBox = Tool_TO<RBox<()>>;
