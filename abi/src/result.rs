//! What a call gives back.

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString};

/// The outcome of a call, of fixed size: what is thought of later goes into `meta`.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// How `body` is to be read.
    pub kind: ResultKind,
    /// Whether the call failed. The body then says why, and `meta` has an `error_type`.
    pub is_error: bool,
    /// The text for the model: plain, or JSON, as `kind` says.
    pub body: RString,
    /// The same as a JSON value, for a program.
    pub structured: ROption<RString>,
    /// A JSON object beside the result, not for the model.
    pub meta: ROption<RString>,
}

impl ToolResult {
    /// A text as it is.
    #[inline]
    pub fn text(body: impl Into<RString>) -> Self {
        Self::new(ResultKind::TEXT, body)
    }

    /// The text of a JSON value.
    pub fn json(body: impl Into<RString>) -> Self {
        Self::new(ResultKind::JSON, body)
    }

    /// MCP content blocks: the text of a JSON array.
    pub fn blocks(body: impl Into<RString>) -> Self {
        Self::new(ResultKind::BLOCKS, body)
    }

    /// A failure in words. `meta` is the text of a JSON object that names the `error_type`.
    pub fn error(body: impl Into<RString>, meta: impl Into<RString>) -> Self {
        ToolResult { is_error: true, meta: ROption::RSome(meta.into()), ..Self::text(body) }
    }

    #[inline]
    fn new(kind: ResultKind, body: impl Into<RString>) -> Self {
        ToolResult {
            kind,
            is_error: false,
            body: body.into(),
            structured: ROption::RNone,
            meta: ROption::RNone,
        }
    }
}

/// How a result's body is to be read. A number, so that a kind not yet known is no fault.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultKind(pub u8);

impl ResultKind {
    /// Plain text.
    pub const TEXT: ResultKind = ResultKind(0);
    /// The text of one JSON value.
    pub const JSON: ResultKind = ResultKind(1);
    /// MCP content blocks (`text`, `image`, `audio`, `resource`, `resource_link`): the text of a JSON array.
    pub const BLOCKS: ResultKind = ResultKind(2);
}
