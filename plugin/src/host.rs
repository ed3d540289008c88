//! The host, as a plugin sees it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toolrack_abi::abi_stable::std_types::{RResult, RStr, RString, RVec};
use toolrack_abi::{LogLevel, ServiceError, ServiceResult, Services};

use crate::answer::{Answer, PendingAnswer};
use crate::arguments::{Fault, fault};
use crate::error::service_error;
use crate::state::StateMap;
use crate::{Selection, ToolError};

/// The host of a registration: its services, outside any call. Cheap to clone, and at home in other threads.
///
/// It does not end with the call it was taken from. After the registration has ended, each service answers an
/// error.
#[derive(Clone)]
pub struct Host(Arc<Registration>);

/// What one registration owns.
pub(crate) struct Registration {
    plugin: &'static str,
    services: Services,
    state: StateMap,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.state.clear();
    }
}

/// The plugin itself asks, not one of its calls.
pub(crate) const NO_CALL: u64 = 0;

impl Host {
    pub(crate) fn new(plugin: &'static str, services: Services) -> Self {
        Host(Arc::new(Registration { plugin, services, state: StateMap::default() }))
    }

    pub(crate) fn of(registration: Arc<Registration>) -> Self {
        Host(registration)
    }

    pub(crate) fn registration(&self) -> &Arc<Registration> {
        &self.0
    }

    /// The plugin's name.
    pub fn plugin(&self) -> &str {
        self.0.plugin
    }

    /// The value of type `T` that belongs to this registration. It is made when it is first asked for, shared by
    /// all tools, and let go when the registration is retired. Two registrations have two.
    pub fn state<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.0.state.get()
    }

    /// The operator's `plugins.NAME.config`, an empty object if there is none.
    ///
    /// # Errors
    /// If the host does not answer, or the configuration is no `T`: the message names the place.
    pub fn config<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        let text = service(self.0.services.config())?;
        let text = if text.as_str().trim_ascii().is_empty() { "{}" } else { text.as_str() };
        serde_json::from_str(text).map_err(|error| {
            let words = match fault::<T>(text) {
                Some(Fault::Syntax(words) | Fault::Data(words)) => words,
                None => error.to_string(),
            };
            ToolError::new(format!("the configuration of plugin `{}`: {words}", self.plugin()))
                .with_error_type("unavailable")
        })
    }

    /// A folder of the plugin's own that outlives it.
    ///
    /// # Errors
    /// If the host has none or can not make it.
    pub fn data_dir(&self) -> Result<PathBuf, ToolError> {
        path(self.0.services.data_dir())
    }

    /// A folder for results too large to be shown, which the file tools can read.
    ///
    /// # Errors
    /// If the host has none or can not make it.
    pub fn spill_dir(&self) -> Result<PathBuf, ToolError> {
        path(self.0.services.spill_dir())
    }

    /// The folder that the library's file was dropped into. The library runs from a copy elsewhere.
    ///
    /// # Errors
    /// If the host does not know it.
    pub fn origin(&self) -> Result<PathBuf, ToolError> {
        path(self.0.services.origin())
    }

    /// The folder that paths in the operator's configuration are relative to; nothing if there is no configuration.
    ///
    /// # Errors
    /// If the host does not know it.
    pub fn config_dir(&self) -> Result<Option<PathBuf>, ToolError> {
        self.request("config_dir", &serde_json::Map::new())
    }

    /// A path that stands in the operator's configuration: relative to that file, as all paths in it are.
    ///
    /// # Errors
    /// If the path is relative and the host has no configuration file, or does not know where it is.
    pub fn config_path(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        let path = path.as_ref();
        if path.is_absolute() {
            return Ok(path.to_owned());
        }
        match self.config_dir()? {
            Some(folder) => Ok(folder.join(path)),
            None => Err(ToolError::new(format!(
                "the path `{}` is relative, and there is no configuration file that it could be relative to",
                path.display()
            ))),
        }
    }

    /// Tells the host that what checks or overrides answer has changed.
    ///
    /// # Errors
    /// If the host does not answer.
    pub fn tools_changed(&self) -> Result<(), ToolError> {
        service(self.0.services.tools_changed())
    }

    /// Tells a session something. `event` is written as a JSON object.
    ///
    /// # Errors
    /// If the host does not answer, or there is no such session.
    pub fn notify<T: Serialize + ?Sized>(&self, session: &str, event: &T) -> Result<(), ToolError> {
        let event = written(event)?;
        service(self.0.services.notify(RStr::from_str(session), RStr::from_str(&event)))
    }

    /// Calls a tool on this thread. `args` are written as a JSON object.
    ///
    /// # Errors
    /// If there is no such tool, the plugin may not call it, or it fails: the error is then the tool's own.
    pub fn call_tool<T: Serialize + ?Sized>(&self, name: &str, args: &T) -> Result<Answer, ToolError> {
        self.call_tool_as(NO_CALL, name, args)
    }

    /// Calls a tool as a future.
    pub fn call_tool_async<T: Serialize + ?Sized>(&self, name: &str, args: &T) -> PendingAnswer {
        self.call_tool_async_as(NO_CALL, name, args)
    }

    /// Definitions of tools in a provider's shape (`openai`, `anthropic`, `mcp`, ...).
    ///
    /// # Errors
    /// If the host does not answer, or does not know the provider.
    pub fn definitions(&self, selection: &Selection, provider: &str) -> Result<serde_json::Value, ToolError> {
        self.definitions_as(NO_CALL, selection, provider)
    }

    /// Asks for whatever a host offers beyond the other methods, by name.
    ///
    /// # Errors
    /// If the host does not offer it, or its answer is no `R`.
    pub fn request<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        name: &str,
        json: &T,
    ) -> Result<R, ToolError> {
        self.request_as(NO_CALL, name, json)
    }

    pub(crate) fn log(&self, level: LogLevel, target: &str, message: &str) -> Result<(), ServiceError> {
        self.0.services.log(level, RStr::from_str(target), RStr::from_str(message)).into_result()
    }

    pub(crate) fn clear_state(&self) {
        self.0.state.clear();
    }

    pub(crate) fn call_tool_as<T: Serialize + ?Sized>(
        &self,
        token: u64,
        name: &str,
        args: &T,
    ) -> Result<Answer, ToolError> {
        let args = written(args)?;
        Answer::from_result(self.0.services.call_tool(token, RStr::from_str(name), RStr::from_str(&args)))
    }

    pub(crate) fn call_tool_async_as<T: Serialize + ?Sized>(
        &self,
        token: u64,
        name: &str,
        args: &T,
    ) -> PendingAnswer {
        PendingAnswer::new(
            written(args)
                .map(|args| self.0.services.call_tool_async(token, RString::from(name), RString::from(args))),
        )
    }

    pub(crate) fn definitions_as(
        &self,
        token: u64,
        selection: &Selection,
        provider: &str,
    ) -> Result<serde_json::Value, ToolError> {
        let selection = selection.to_text()?;
        let text = service(self.0.services.definitions(
            token,
            RStr::from_str(&selection),
            RStr::from_str(provider),
        ))?;
        read(&text)
    }

    pub(crate) fn ask_as<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        token: u64,
        question: &T,
    ) -> Result<R, ToolError> {
        let question = written(question)?;
        read(&service(self.0.services.ask(token, RStr::from_str(&question)))?)
    }

    pub(crate) fn request_as<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        token: u64,
        name: &str,
        json: &T,
    ) -> Result<R, ToolError> {
        let json = written(json)?;
        read(&service(self.0.services.request(token, RStr::from_str(name), RStr::from_str(&json)))?)
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("plugin", &self.plugin()).finish_non_exhaustive()
    }
}

fn service<T>(answer: ServiceResult<T>) -> Result<T, ToolError> {
    match answer {
        RResult::ROk(value) => Ok(value),
        RResult::RErr(error) => Err(service_error(error)),
    }
}

fn written<T: Serialize + ?Sized>(value: &T) -> Result<String, ToolError> {
    serde_json::to_string(value).map_err(|error| {
        ToolError::invalid_arguments(format!("what was asked can not be written as JSON: {error}"))
    })
}

fn read<R: DeserializeOwned>(text: &RString) -> Result<R, ToolError> {
    let text = if text.as_str().is_empty() { "null" } else { text.as_str() };
    serde_json::from_str(text)
        .map_err(|error| ToolError::new(format!("the host's answer is not what was expected: {error}")))
}

fn path(answer: ServiceResult<RVec<u8>>) -> Result<PathBuf, ToolError> {
    os_path(service(answer)?.into_vec())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every sequence of bytes is a path")]
fn os_path(bytes: Vec<u8>) -> Result<PathBuf, ToolError> {
    use std::os::unix::ffi::OsStringExt;
    Ok(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn os_path(bytes: Vec<u8>) -> Result<PathBuf, ToolError> {
    String::from_utf8(bytes)
        .map(PathBuf::from)
        .map_err(|_| ToolError::new("the folder's name is not Unicode"))
}
