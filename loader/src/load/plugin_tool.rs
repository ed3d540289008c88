//! A tool of a library, behind the trait that everything callable stands behind.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::sabi_types::RRef;
use toolrack_abi::abi_stable::std_types::{RArc, RStr, RString};
use toolrack_abi::{CallContext_TO, ResultKind, ToolBox, ToolResult};

use super::instance::Instance;
use crate::answer::{ErrorType, Failure, Outcome, Output, OutputKind};
use crate::call::{ActiveCall, Callable, LiveCall, OutcomeFuture};
use crate::services::SharedCall;

pub(super) struct PluginTool {
    // Before the instance: a tool goes before the plugin that it belongs to.
    tool: ToolBox,
    instance: Arc<Instance>,
}

impl PluginTool {
    pub(super) fn new(tool: ToolBox, instance: Arc<Instance>) -> Self {
        PluginTool { tool, instance }
    }

    #[inline]
    fn begin(&self) -> Result<(), Failure> {
        if self.instance.is_retired() {
            return Err(self.removed());
        }
        self.instance.follow_log_level();
        Ok(())
    }

    #[cold]
    fn removed(&self) -> Failure {
        let message = format!("the plugin `{}` that brought this tool was removed", self.instance.name());
        Failure::new(ErrorType::Unavailable, message)
    }
}

impl Callable for PluginTool {
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome {
        self.begin()?;
        let context = CallContext_TO::from_ptr(RRef::new(call), TD_Opaque);
        outcome(self.tool.call(context, RStr::from_str(args)))
    }

    fn check(&self) -> Result<(), String> {
        self.begin().map_err(|failure| failure.message)?;
        self.tool.check().into_result().map(drop).map_err(RString::into_string)
    }

    fn call_async(&self, call: Arc<LiveCall>, args: String) -> OutcomeFuture {
        if let Err(failure) = self.begin() {
            return Box::pin(std::future::ready(Err(failure)));
        }
        let context = CallContext_TO::from_ptr(RArc::new(SharedCall(call)), TD_Opaque);
        let future = self.tool.call_async(context, RString::from(args));
        let instance = self.instance.clone();
        Box::pin(async move {
            let result = future.await;
            drop(instance);
            outcome(result)
        })
    }

    fn overrides(&self) -> Result<String, String> {
        self.begin().map_err(|failure| failure.message)?;
        self.tool.schema_overrides().into_result().map(RString::into_string).map_err(RString::into_string)
    }
}

#[inline]
fn outcome(result: ToolResult) -> Outcome {
    if result.is_error {
        return Err(failure(result));
    }
    let kind = match result.kind {
        ResultKind::TEXT => OutputKind::Text,
        ResultKind::JSON => OutputKind::Json,
        ResultKind::BLOCKS => OutputKind::Blocks,
        ResultKind(other) => return Err(unknown_kind(other)),
    };
    Ok(Output {
        kind,
        body: result.body.into(),
        structured: result.structured.into_option().map(Into::into),
        meta: result.meta.into_option().map(Into::into),
    })
}

#[cold]
fn unknown_kind(kind: u8) -> Failure {
    let message = format!("the tool gave a kind of result ({kind}) that this host does not know");
    Failure::new(ErrorType::ToolResultContract, message)
}

/// The body says what happened; the object beside it says of what type that is, and more.
fn failure(result: ToolResult) -> Failure {
    let meta = result.meta.into_option().map(RString::into_string).unwrap_or_default();
    let mut extra: Map<String, Value> = serde_json::from_str(&meta).unwrap_or_default();
    let named = extra.remove("error_type");
    let error_type = named.as_ref().and_then(Value::as_str).and_then(ErrorType::from_name);
    Failure { error_type: error_type.unwrap_or(ErrorType::Failed), message: result.body.into_string(), extra }
}
