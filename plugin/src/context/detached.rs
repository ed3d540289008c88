//! A context without a host, for an author's own tests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::Value;
use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::std_types::{RArc, ROption, RResult, RStr, RString, RVec};
use toolrack_abi::async_ffi::{FfiFuture, FutureExt};
use toolrack_abi::{
    CallContext, HostServices, HostServices_TO, LogLevel, ServiceError, ServiceErrorKind, ServiceResult,
    ToolResult,
};

use super::{Context, Source};
use crate::{Host, Output, ToolError};

#[derive(Default)]
pub(super) struct Detached {
    call: Call,
    services: NoHost,
    /// Made when it is first needed, after the services are known.
    host: OnceLock<Host>,
}

impl Detached {
    pub(super) fn call(&self) -> &(dyn CallContext + Send + Sync) {
        &self.call
    }

    pub(super) fn host(&self) -> &Host {
        self.host.get_or_init(|| {
            Host::new("detached", HostServices_TO::from_ptr(RArc::new(self.services.clone()), TD_Opaque))
        })
    }
}

/// For an author's own tests.
impl Context<'static> {
    /// A context without a host: there are no ids, services answer an error, state works.
    pub fn detached() -> Self {
        Context(Source::Detached(Box::default()))
    }

    /// Gives the plugin this configuration.
    #[must_use]
    pub fn with_config(self, config: Value) -> Self {
        self.set(|detached| detached.services.config = Some(config.to_string()))
    }

    /// Gives the plugin this folder as [`data_dir`](Context::data_dir).
    #[must_use]
    pub fn with_data_dir(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|detached| detached.services.data_dir = Some(folder.into()))
    }

    /// Gives the plugin this folder as [`spill_dir`](Context::spill_dir).
    #[must_use]
    pub fn with_spill_dir(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|detached| detached.services.spill_dir = Some(folder.into()))
    }

    /// Gives the plugin this folder as [`origin`](Context::origin).
    #[must_use]
    pub fn with_origin(self, folder: impl Into<PathBuf>) -> Self {
        self.set(|detached| detached.services.origin = Some(folder.into()))
    }

    /// Lets [`call_tool`](Context::call_tool) find a tool of that name.
    #[must_use]
    pub fn with_tool(
        self,
        name: &str,
        tool: impl Fn(Value) -> Result<Output, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.set(|detached| {
            detached.services.tools.insert(name.to_owned(), Arc::new(tool));
        })
    }

    /// Sets the session's id.
    #[must_use]
    pub fn with_session(self, id: &str) -> Self {
        self.set(|detached| detached.call.session = id.to_owned())
    }

    /// Sets the task's id.
    #[must_use]
    pub fn with_task(self, id: &str) -> Self {
        self.set(|detached| detached.call.task = id.to_owned())
    }

    /// Sets the turn's id.
    #[must_use]
    pub fn with_turn(self, id: &str) -> Self {
        self.set(|detached| detached.call.turn = id.to_owned())
    }

    /// Sets the call's id.
    #[must_use]
    pub fn with_call_id(self, id: &str) -> Self {
        self.set(|detached| detached.call.call_id = id.to_owned())
    }

    /// Sets what this call may call; without it, everything.
    #[must_use]
    pub fn with_allowed_tools<S: Into<String>>(self, names: impl IntoIterator<Item = S>) -> Self {
        self.set(|detached| detached.call.allowed = Some(names.into_iter().map(Into::into).collect()))
    }

    /// Sets the time that is left. None left is past the deadline.
    #[must_use]
    pub fn with_remaining(self, remaining: Duration) -> Self {
        self.set(|detached| detached.call.remaining = Some(remaining))
    }

    /// Makes it a call whose answer is no longer wanted.
    #[must_use]
    pub fn with_cancelled(self) -> Self {
        self.set(|detached| detached.call.cancelled = true)
    }

    fn set(self, change: impl FnOnce(&mut Detached)) -> Self {
        let mut detached = match self.0 {
            Source::Detached(detached) => detached,
            Source::Lent { .. } => Box::default(),
        };
        change(&mut detached);
        detached.host = OnceLock::new();
        Context(Source::Detached(detached))
    }
}

#[derive(Default)]
struct Call {
    session: String,
    task: String,
    turn: String,
    call_id: String,
    allowed: Option<Vec<String>>,
    remaining: Option<Duration>,
    cancelled: bool,
}

impl CallContext for Call {
    fn session(&self) -> RStr<'_> {
        RStr::from_str(&self.session)
    }

    fn task(&self) -> RStr<'_> {
        RStr::from_str(&self.task)
    }

    fn turn(&self) -> RStr<'_> {
        RStr::from_str(&self.turn)
    }

    fn call_id(&self) -> RStr<'_> {
        RStr::from_str(&self.call_id)
    }

    fn parent_call(&self) -> RStr<'_> {
        RStr::from_str("")
    }

    fn depth(&self) -> u32 {
        0
    }

    fn allowed_tools(&self) -> ROption<RVec<RString>> {
        self.allowed
            .as_ref()
            .map(|names| names.iter().map(|name| RString::from(name.as_str())).collect())
            .into()
    }

    fn trace_context(&self) -> RStr<'_> {
        RStr::from_str("")
    }

    fn remaining_nanos(&self) -> ROption<u64> {
        self.remaining.map(|left| u64::try_from(left.as_nanos()).unwrap_or(u64::MAX)).into()
    }

    fn cancelled(&self) -> bool {
        self.cancelled || self.remaining == Some(Duration::ZERO)
    }

    fn progress(&self, _done: f64, _total: ROption<f64>, _message: RStr<'_>) {}

    fn token(&self) -> u64 {
        1
    }
}

type FakeTool = Arc<dyn Fn(Value) -> Result<Output, ToolError> + Send + Sync>;

#[derive(Clone, Default)]
struct NoHost {
    config: Option<String>,
    data_dir: Option<PathBuf>,
    spill_dir: Option<PathBuf>,
    origin: Option<PathBuf>,
    tools: BTreeMap<String, FakeTool>,
}

impl HostServices for NoHost {
    fn log(&self, _level: LogLevel, _target: RStr<'_>, _message: RStr<'_>) -> ServiceResult<()> {
        RResult::ROk(())
    }

    fn config(&self) -> ServiceResult<RString> {
        RResult::ROk(self.config.clone().unwrap_or_default().into())
    }

    fn data_dir(&self) -> ServiceResult<RVec<u8>> {
        folder(self.data_dir.as_ref())
    }

    fn spill_dir(&self) -> ServiceResult<RVec<u8>> {
        folder(self.spill_dir.as_ref())
    }

    fn origin(&self) -> ServiceResult<RVec<u8>> {
        folder(self.origin.as_ref())
    }

    fn call_tool(&self, _token: u64, name: RStr<'_>, args: RStr<'_>) -> ToolResult {
        let answer = match self.tools.get(name.as_str()) {
            Some(tool) => {
                serde_json::from_str(args.as_str()).map_err(ToolError::from).and_then(|args| tool(args))
            }
            None => Err(ToolError::new(format!("Unknown tool `{name}`: there is no host"))
                .with_error_type("unknown_tool")),
        };
        match answer {
            Ok(output) => output.into_result(),
            Err(error) => error.into_result(),
        }
    }

    fn call_tool_async(&self, token: u64, name: RString, args: RString) -> FfiFuture<ToolResult> {
        std::future::ready(self.call_tool(token, name.as_rstr(), args.as_rstr())).into_ffi()
    }

    fn definitions(&self, _token: u64, _selection: RStr<'_>, _provider: RStr<'_>) -> ServiceResult<RString> {
        none()
    }

    fn tools_changed(&self) -> ServiceResult<()> {
        none()
    }

    fn notify(&self, _session: RStr<'_>, _event: RStr<'_>) -> ServiceResult<()> {
        none()
    }

    fn ask(&self, _token: u64, _question: RStr<'_>) -> ServiceResult<RString> {
        none()
    }

    fn request(&self, _token: u64, _name: RStr<'_>, _json: RStr<'_>) -> ServiceResult<RString> {
        none()
    }
}

fn folder(path: Option<&PathBuf>) -> ServiceResult<RVec<u8>> {
    match path {
        Some(path) => RResult::ROk(path.as_os_str().as_encoded_bytes().into()),
        None => none(),
    }
}

fn none<T>() -> ServiceResult<T> {
    RResult::RErr(ServiceError::new(ServiceErrorKind::UNSUPPORTED, "there is no host"))
}
