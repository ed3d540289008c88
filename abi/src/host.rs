//! What a plugin can ask of its host.

use abi_stable::StableAbi;
use abi_stable::sabi_trait;
use abi_stable::std_types::{RArc, RResult, RStr, RString, RVec};
use async_ffi::FfiFuture;

use crate::{LogLevel, ToolResult};

/// The services of a host, one object a registration. After the registration has ended each one answers
/// [`ServiceErrorKind::ENDED`]; one that this host does not offer answers [`ServiceErrorKind::UNSUPPORTED`].
///
/// `token` is [`CallContext::token`](crate::CallContext::token) of the call on whose behalf the plugin asks; 0
/// stands for the plugin itself, outside any call.
#[sabi_trait]
pub trait HostServices: Send + Sync + 'static {
    /// Hands a record to the host's log. `target` is the plugin's name, and perhaps `::` and a module inside it.
    fn log(&self, level: LogLevel, target: RStr<'_>, message: RStr<'_>) -> ServiceResult<()>;
    /// `plugins.NAME.config` of the operator's configuration, as a JSON object.
    fn config(&self) -> ServiceResult<RString>;
    /// A folder of the plugin's own that outlives it, as an operating system's path. Made when asked for.
    fn data_dir(&self) -> ServiceResult<RVec<u8>>;
    /// A folder for results too large to be shown, readable by the file tools. Made when asked for.
    fn spill_dir(&self) -> ServiceResult<RVec<u8>>;
    /// The folder that the library's file was dropped into. The library itself runs from a copy elsewhere.
    fn origin(&self) -> ServiceResult<RVec<u8>>;
    /// Calls another tool, on this thread, never more than the caller of `token` may call.
    fn call_tool(&self, token: u64, name: RStr<'_>, args: RStr<'_>) -> ToolResult;
    /// The same as a future.
    fn call_tool_async(&self, token: u64, name: RString, args: RString) -> FfiFuture<ToolResult>;
    /// Definitions of tools in a provider's shape, as JSON. `selection` is a JSON object with `enabled` and
    /// `disabled`, or an empty text for what the caller may call.
    fn definitions(&self, token: u64, selection: RStr<'_>, provider: RStr<'_>) -> ServiceResult<RString>;
    /// What the plugin's tools answer to checks or overrides has changed.
    fn tools_changed(&self) -> ServiceResult<()>;
    /// Tells a session something outside any call. `event` is a JSON object.
    fn notify(&self, session: RStr<'_>, event: RStr<'_>) -> ServiceResult<()>;
    /// Asks the person behind the call; blocks until there is an answer. Both are JSON objects.
    fn ask(&self, token: u64, question: RStr<'_>) -> ServiceResult<RString>;
    /// Whatever is thought of later: a name, and JSON both ways.
    #[sabi(last_prefix_field)]
    fn request(&self, token: u64, name: RStr<'_>, json: RStr<'_>) -> ServiceResult<RString>;
}

/// [`HostServices`], counted: held by a plugin's instance, lent to each of its calls.
pub type Services = HostServices_TO<RArc<()>>;

/// What a service answers.
pub type ServiceResult<T> = RResult<T, ServiceError>;

/// Why a service did not answer.
#[repr(C)]
#[derive(StableAbi, Clone, Debug, PartialEq, Eq)]
pub struct ServiceError {
    /// What kind of failure it is.
    pub kind: ServiceErrorKind,
    /// The failure in words.
    pub message: RString,
    /// What is thought of later, as the text of a JSON object; empty if nothing.
    pub meta: RString,
}

impl ServiceError {
    /// An error with nothing but its kind and its words.
    pub fn new(kind: ServiceErrorKind, message: impl Into<String>) -> Self {
        ServiceError { kind, message: RString::from(message.into()), meta: RString::new() }
    }
}

/// The kinds of [`ServiceError`]. A number, so that a kind not yet known is no fault.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceErrorKind(pub u8);

impl ServiceErrorKind {
    /// The service failed.
    pub const FAILED: ServiceErrorKind = ServiceErrorKind(0);
    /// The registration has ended.
    pub const ENDED: ServiceErrorKind = ServiceErrorKind(1);
    /// This host does not offer the service.
    pub const UNSUPPORTED: ServiceErrorKind = ServiceErrorKind(2);
    /// The caller may not do that.
    pub const REFUSED: ServiceErrorKind = ServiceErrorKind(3);
}
