//! A host in the test's own process, that enters a plugin the way a loader does, and remembers what it is told.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use toolrack_abi::abi_stable::library::LibHeader;
use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::sabi_types::RRef;
use toolrack_abi::abi_stable::std_types::{RArc, ROption, RResult, RStr, RString, RVec};
use toolrack_abi::async_ffi::{FfiFuture, FutureExt};
use toolrack_abi::{
    CallContext, CallContext_TO, ContextArc, HostServices, HostServices_TO, LogLevel, PluginBox,
    PluginModule_Ref, ServiceError, ServiceErrorKind, ServiceResult, Services, ToolBox, ToolResult,
};
use toolrack_plugin::Value;

/// What a host remembers.
#[derive(Default)]
pub struct Memory {
    logs: Mutex<Vec<(LogLevel, String, String)>>,
    pub ended: AtomicBool,
    pub config: Mutex<String>,
    pub events: Mutex<Vec<String>>,
}

impl Memory {
    pub fn logs(&self) -> Vec<(LogLevel, String, String)> {
        self.logs.lock().unwrap().clone()
    }

    /// The one record that contains this text.
    pub fn log_with(&self, text: &str) -> Option<(LogLevel, String, String)> {
        let found: Vec<_> =
            self.logs().into_iter().filter(|(_, _, message)| message.contains(text)).collect();
        assert!(found.len() <= 1, "told twice: {found:?}");
        found.into_iter().next()
    }

    fn answer<T>(&self, value: T) -> ServiceResult<T> {
        if self.ended.load(Ordering::SeqCst) {
            RResult::RErr(ServiceError::new(ServiceErrorKind::ENDED, "the registration has ended"))
        } else {
            RResult::ROk(value)
        }
    }
}

struct Host(Arc<Memory>);

pub fn services(memory: &Arc<Memory>) -> Services {
    HostServices_TO::from_ptr(RArc::new(Host(Arc::clone(memory))), TD_Opaque)
}

impl HostServices for Host {
    fn log(&self, level: LogLevel, target: RStr<'_>, message: RStr<'_>) -> ServiceResult<()> {
        let answer = self.0.answer(());
        if answer.is_ok() {
            self.0.logs.lock().unwrap().push((level, target.to_string(), message.to_string()));
        }
        answer
    }

    fn config(&self) -> ServiceResult<RString> {
        self.0.answer(self.0.config.lock().unwrap().clone().into())
    }

    fn data_dir(&self) -> ServiceResult<RVec<u8>> {
        self.0.answer(b"/data".as_slice().into())
    }

    fn spill_dir(&self) -> ServiceResult<RVec<u8>> {
        RResult::RErr(ServiceError::new(ServiceErrorKind::UNSUPPORTED, "nothing is spilled"))
    }

    fn origin(&self) -> ServiceResult<RVec<u8>> {
        self.0.answer(b"/tools".as_slice().into())
    }

    fn call_tool(&self, token: u64, name: RStr<'_>, args: RStr<'_>) -> ToolResult {
        match name.as_str() {
            "echo" => ToolResult::json(format!(r#"{{"token":{token},"args":{args}}}"#)),
            _ => ToolResult::error(
                "Kind: gone",
                r#"{"error_type":"unknown_tool","kind":"Kind","near":["echo"]}"#,
            ),
        }
    }

    fn call_tool_async(&self, token: u64, name: RString, args: RString) -> FfiFuture<ToolResult> {
        std::future::ready(self.call_tool(token, name.as_rstr(), args.as_rstr())).into_ffi()
    }

    fn definitions(&self, _token: u64, selection: RStr<'_>, provider: RStr<'_>) -> ServiceResult<RString> {
        self.0.answer(
            format!(r#"["{provider}",{}]"#, if selection.is_empty() { "null" } else { selection.as_str() })
                .into(),
        )
    }

    fn tools_changed(&self) -> ServiceResult<()> {
        self.0.events.lock().unwrap().push("tools_changed".to_owned());
        self.0.answer(())
    }

    fn notify(&self, session: RStr<'_>, event: RStr<'_>) -> ServiceResult<()> {
        self.0.events.lock().unwrap().push(format!("{session}: {event}"));
        self.0.answer(())
    }

    fn ask(&self, token: u64, question: RStr<'_>) -> ServiceResult<RString> {
        self.0.answer(format!(r#"{{"asked":{question},"token":{token}}}"#).into())
    }

    fn request(&self, _token: u64, name: RStr<'_>, _json: RStr<'_>) -> ServiceResult<RString> {
        RResult::RErr(ServiceError::new(ServiceErrorKind::REFUSED, format!("`{name}` is refused")))
    }
}

/// A call's circumstances.
#[derive(Clone, Default)]
pub struct Call {
    pub remaining: Option<u64>,
    pub cancelled: bool,
    pub allowed: Option<Vec<String>>,
    pub progress: Arc<Mutex<Vec<String>>>,
}

impl CallContext for Call {
    fn session(&self) -> RStr<'_> {
        "s1".into()
    }

    fn task(&self) -> RStr<'_> {
        "t1".into()
    }

    fn turn(&self) -> RStr<'_> {
        "u1".into()
    }

    fn call_id(&self) -> RStr<'_> {
        "c1".into()
    }

    fn parent_call(&self) -> RStr<'_> {
        "c0".into()
    }

    fn depth(&self) -> u32 {
        1
    }

    fn allowed_tools(&self) -> ROption<RVec<RString>> {
        self.allowed.clone().map(|names| names.into_iter().map(RString::from).collect()).into()
    }

    fn trace_context(&self) -> RStr<'_> {
        r#"{"traceparent":"00"}"#.into()
    }

    fn remaining_nanos(&self) -> ROption<u64> {
        self.remaining.into()
    }

    fn cancelled(&self) -> bool {
        self.cancelled
    }

    fn progress(&self, done: f64, total: ROption<f64>, message: RStr<'_>) {
        self.progress.lock().unwrap().push(format!("{done}/{:?} {message}", total.into_option()));
    }

    fn token(&self) -> u64 {
        77
    }
}

pub fn shared(call: Call) -> ContextArc {
    CallContext_TO::from_ptr(RArc::new(call), TD_Opaque)
}

/// A registration, as a host holds it.
pub struct Registered {
    pub memory: Arc<Memory>,
    pub plugin: PluginBox,
    tools: Vec<(String, Value, ToolBox)>,
}

pub fn module(root: &LibHeader) -> PluginModule_Ref {
    root.init_root_module::<PluginModule_Ref>().unwrap()
}

/// Registers a plugin, or says why it can not be.
pub fn try_register(root: &LibHeader) -> Result<Registered, (String, Arc<Memory>)> {
    let memory = Arc::new(Memory::default());
    match (module(root).register())(services(&memory)) {
        RResult::ROk(plugin) => {
            let tools = plugin
                .tools()
                .into_iter()
                .map(|tool| {
                    let description: Value = serde_json_from(tool.description().as_str());
                    (description["name"].as_str().unwrap().to_owned(), description, tool)
                })
                .collect();
            Ok(Registered { memory, plugin, tools })
        }
        RResult::RErr(error) => Err((error.to_string(), memory)),
    }
}

pub fn register(root: &LibHeader) -> Registered {
    try_register(root).map_err(|(error, _)| error).unwrap()
}

fn serde_json_from(text: &str) -> Value {
    toolrack_plugin::serde_json::from_str(text).unwrap()
}

impl Registered {
    pub fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|(name, _, _)| name.as_str()).collect()
    }

    pub fn tool(&self, name: &str) -> &ToolBox {
        &self.tools.iter().find(|(known, _, _)| known == name).unwrap().2
    }

    pub fn description(&self, name: &str) -> &Value {
        &self.tools.iter().find(|(known, _, _)| known == name).unwrap().1
    }

    pub fn call(&self, name: &str, args: &str) -> ToolResult {
        self.call_in(name, args, &Call::default())
    }

    pub fn call_in(&self, name: &str, args: &str, call: &Call) -> ToolResult {
        let context = CallContext_TO::from_ptr(RRef::new(call), TD_Opaque);
        self.tool(name).call(context, args.into())
    }

    pub fn call_async(&self, name: &str, args: &str) -> FfiFuture<ToolResult> {
        self.tool(name).call_async(shared(Call::default()), args.into())
    }

    /// Drops a tool, as a host does that lets the registration go.
    pub fn drop_tool(&mut self, name: &str) {
        self.tools.retain(|(known, _, _)| known != name);
    }
}

/// The value of a result's meta.
pub fn meta(result: &ToolResult) -> Value {
    serde_json_from(result.meta.as_ref().into_option().expect("there is no meta").as_str())
}

pub fn json(result: &ToolResult) -> Value {
    serde_json_from(result.body.as_str())
}
