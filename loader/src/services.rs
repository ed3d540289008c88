//! What the host offers to one registration of a plugin.
//!
//! Every method is entered from a plugin through abi_stable, where a panic would end the process: each one runs
//! under a guard.

mod context;
mod directories;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Map, Value};
use toolrack_abi::abi_stable::std_types::{RResult, RStr, RString, RVec};
use toolrack_abi::async_ffi::{FfiFuture, FutureExt};
use toolrack_abi::{
    HostServices, LogLevel, ResultKind, ServiceError, ServiceErrorKind, ServiceResult, ToolResult,
};

pub(crate) use context::SharedCall;
pub use directories::Directories;

use crate::answer::{Answer, OutputKind, Text};
use crate::call::LiveCall;
use crate::dispatch;

/// The services of one registration.
pub(crate) struct HostSide {
    plugin: Arc<str>,
    around: Surroundings,
    ended: AtomicBool,
}

/// What a plugin can learn of where it is.
pub(crate) struct Surroundings {
    /// `plugins.NAME.config`, the text of a JSON object.
    pub(crate) config: String,
    /// The folder of the configuration file, which paths in it are relative to.
    pub(crate) config_dir: Option<PathBuf>,
    /// The folder that the library's file was dropped into.
    pub(crate) origin: PathBuf,
    /// The folders that it is lent.
    pub(crate) directories: Directories,
}

impl HostSide {
    pub(crate) fn new(plugin: &str, around: Surroundings) -> Self {
        HostSide { plugin: plugin.into(), around, ended: AtomicBool::new(false) }
    }

    /// From now on every service answers that the registration has ended.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    fn serve<T>(&self, service: impl FnOnce() -> Result<T, ServiceError>) -> ServiceResult<T> {
        if self.ended.load(Ordering::Acquire) {
            let message = format!("the registration of plugin `{}` has ended", self.plugin);
            return RResult::RErr(ServiceError::new(ServiceErrorKind::ENDED, message));
        }
        guard(service).unwrap_or_else(Err).into()
    }

    /// The folder of the configuration file as a JSON string, or `null`.
    fn config_dir(&self) -> Result<RString, ServiceError> {
        let Some(folder) = &self.around.config_dir else { return Ok("null".into()) };
        let text = folder.to_str().ok_or_else(|| {
            let message = format!("the configuration's folder `{}` is not UTF-8", crate::escaped(folder));
            ServiceError::new(ServiceErrorKind::FAILED, message)
        })?;
        Ok(Value::from(text).to_string().into())
    }

    fn call(&self, token: u64) -> Result<Arc<LiveCall>, ServiceError> {
        LiveCall::by_token(token).ok_or_else(|| {
            let message = "tools are called on behalf of a call: this one has ended, or there was none";
            ServiceError::new(ServiceErrorKind::REFUSED, message)
        })
    }
}

fn guard<T>(service: impl FnOnce() -> T) -> Result<T, ServiceError> {
    catch_unwind(AssertUnwindSafe(service)).map_err(|payload| {
        std::mem::forget(payload);
        log::error!("a service of the host panicked");
        ServiceError::new(ServiceErrorKind::FAILED, "the host's service panicked")
    })
}

fn unsupported<T>(service: &str) -> Result<T, ServiceError> {
    Err(ServiceError::new(ServiceErrorKind::UNSUPPORTED, format!("this host does not offer `{service}`")))
}

impl HostServices for HostSide {
    fn log(&self, level: LogLevel, target: RStr<'_>, message: RStr<'_>) -> ServiceResult<()> {
        self.serve(|| {
            if let Some(level) = level_of(level) {
                log::log!(target: &under(&self.plugin, target.as_str()), level, "{}", message.as_str());
            }
            Ok(())
        })
    }

    fn config(&self) -> ServiceResult<RString> {
        self.serve(|| Ok(self.around.config.as_str().into()))
    }

    fn data_dir(&self) -> ServiceResult<RVec<u8>> {
        self.serve(|| self.around.directories.data(&self.plugin))
    }

    fn spill_dir(&self) -> ServiceResult<RVec<u8>> {
        self.serve(|| self.around.directories.spill())
    }

    fn origin(&self) -> ServiceResult<RVec<u8>> {
        self.serve(|| directories::path_bytes(&self.around.origin))
    }

    fn call_tool(&self, token: u64, name: RStr<'_>, args: RStr<'_>) -> ToolResult {
        let answer = self.serve(|| {
            let caller = self.call(token)?;
            Ok(dispatch::call_nested(&caller, name.as_str(), args.as_str()))
        });
        result_of(answer)
    }

    fn call_tool_async(&self, token: u64, name: RString, args: RString) -> FfiFuture<ToolResult> {
        match self.serve(|| self.call(token)) {
            RResult::ROk(caller) => async move {
                let answer =
                    dispatch::call_nested_async(caller, name.into_string(), args.into_string()).await;
                result_of(RResult::ROk(answer))
            }
            .into_ffi(),
            RResult::RErr(e) => async move { result_of(RResult::RErr(e)) }.into_ffi(),
        }
    }

    fn definitions(&self, _: u64, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<RString> {
        self.serve(|| unsupported("definitions"))
    }

    fn tools_changed(&self) -> ServiceResult<()> {
        self.serve(|| unsupported("tools_changed"))
    }

    fn notify(&self, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<()> {
        self.serve(|| unsupported("notify"))
    }

    fn ask(&self, _: u64, _: RStr<'_>) -> ServiceResult<RString> {
        self.serve(|| unsupported("ask"))
    }

    fn request(&self, _: u64, name: RStr<'_>, _: RStr<'_>) -> ServiceResult<RString> {
        self.serve(|| match name.as_str() {
            "config_dir" => self.config_dir(),
            other => unsupported(other),
        })
    }
}

/// The plugin's name, then what is not that name already.
fn under(plugin: &str, target: &str) -> String {
    match target.strip_prefix(plugin) {
        Some(rest) if rest.is_empty() || rest.starts_with("::") => target.to_owned(),
        _ if target.is_empty() => plugin.to_owned(),
        _ => format!("{plugin}::{target}"),
    }
}

/// Nothing for a level below all that are known: it asks for no record.
fn level_of(level: LogLevel) -> Option<log::Level> {
    Some(match level.0 {
        0 => return None,
        1 => log::Level::Error,
        2 => log::Level::Warn,
        3 => log::Level::Info,
        4 => log::Level::Debug,
        _ => log::Level::Trace,
    })
}

/// The level of the host's log, for a plugin to follow.
pub(crate) fn current_level() -> LogLevel {
    LogLevel(log::max_level() as u8)
}

fn result_of(answer: ServiceResult<Answer>) -> ToolResult {
    match answer {
        RResult::ROk(Answer { error: Some(_), text, .. }) => failed(&text),
        RResult::ROk(answer) => {
            let kind = match answer.kind {
                OutputKind::Text => ResultKind::TEXT,
                OutputKind::Json => ResultKind::JSON,
                OutputKind::Blocks => ResultKind::BLOCKS,
            };
            let mut result = ToolResult::text(RString::from(answer.text));
            result.kind = kind;
            result.structured = answer.structured.map(RString::from).into();
            result.meta = answer.meta.map(RString::from).into();
            result
        }
        RResult::RErr(e) => {
            let error_type = if e.kind == ServiceErrorKind::REFUSED { "refused" } else { "unavailable" };
            let meta = serde_json::json!({ "error_type": error_type });
            ToolResult::error(e.message, meta.to_string())
        }
    }
}

/// The answer of a call that failed, as the failing tool itself gave it: the words, and beside them the object. So an
/// error that passes through several tools stays as long as it was.
fn failed(answer: &str) -> ToolResult {
    let mut object: Map<String, Value> = serde_json::from_str(answer).unwrap_or_default();
    let words = object.remove("error").and_then(|words| words.as_str().map(str::to_owned));
    ToolResult::error(words.unwrap_or_else(|| answer.to_owned()), Value::Object(object).to_string())
}

impl From<Text> for RString {
    fn from(text: Text) -> Self {
        text.into_inner()
    }
}
