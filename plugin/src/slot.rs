//! A tool as the host holds it: its instance is made when it is first needed.

use std::sync::{Arc, OnceLock};

use toolrack_abi::abi_stable::std_types::{RResult, RStr, RString};
use toolrack_abi::async_ffi::{FfiFuture, FutureExt};
use toolrack_abi::{ContextArc, ContextRef, ToolResult};

use crate::future::{Guarded, block_on};
use crate::guard::{Panicked, guard, guarded_drop};
use crate::{Context, Host, Output, Tool, ToolError, arguments};

/// What the host gets. Its futures share the slot, so that they may outlive it.
pub(crate) struct Handle<T: Tool, F> {
    slot: Arc<Slot<T, F>>,
    description: RString,
}

struct Slot<T: Tool, F> {
    host: Host,
    make: F,
    tool: OnceLock<T>,
}

impl<T: Tool, F: Fn() -> T + Send + Sync + 'static> Handle<T, F> {
    pub(crate) fn new(host: &Host, make: F, description: String) -> Self {
        let slot = Arc::new(Slot { host: host.clone(), make, tool: OnceLock::new() });
        Handle { slot, description: description.into() }
    }
}

impl<T: Tool, F: Fn() -> T> Slot<T, F> {
    /// The instance. Only one thread makes it while others wait; if that panics, the next call tries again.
    #[inline]
    fn tool(&self) -> &T {
        self.tool.get_or_init(&self.make)
    }

    fn ask<R>(
        &self,
        what: &str,
        question: impl FnOnce(&T, &Host) -> Result<R, String>,
    ) -> RResult<R, RString> {
        let answer = guard(&self.host, || question(self.tool(), &self.host));
        answer
            .unwrap_or_else(|Panicked| Err(format!("the {what} of tool `{}` panicked", T::META.name)))
            .map_err(RString::from)
            .into()
    }
}

impl<T: Tool, F> Drop for Slot<T, F> {
    fn drop(&mut self) {
        if let Some(tool) = self.tool.take() {
            guarded_drop(Some(&self.host), tool);
        }
    }
}

impl<T: Tool, F: Fn() -> T + Send + Sync + 'static> toolrack_abi::Tool for Handle<T, F> {
    fn description(&self) -> RString {
        self.description.clone()
    }

    fn call(&self, context: ContextRef<'_>, args: RStr<'_>) -> ToolResult {
        let slot = &*self.slot;
        let answer = guard(&slot.host, || {
            let ctx = Context::lent(&context, &slot.host);
            let args = arguments::parse(args.as_str())?;
            if T::META.is_async {
                block_on(slot.tool().call_async(&ctx, args))
            } else {
                slot.tool().call(&ctx, args)
            }
        });
        // Outside the guard, as nothing of the author's is left in it: the large result is then written once.
        match answer {
            Ok(answer) => result(answer),
            Err(Panicked) => panicked(T::META.name),
        }
    }

    fn call_async(&self, context: ContextArc, args: RString) -> FfiFuture<ToolResult> {
        let slot = Arc::clone(&self.slot);
        let answer = async move {
            let ctx = Context::lent(&context, &slot.host);
            let args = match arguments::parse(args.as_str()) {
                Ok(args) => args,
                Err(error) => return error.into_result(),
            };
            result(if T::META.is_async {
                slot.tool().call_async(&ctx, args).await
            } else {
                slot.tool().call(&ctx, args)
            })
        };
        Guarded::new(&self.slot.host, Box::pin(answer), || panicked(T::META.name)).into_ffi()
    }

    fn check(&self) -> RResult<RString, RString> {
        self.slot.ask("check", |tool, host| tool.check(host).map(|()| RString::new()))
    }

    fn schema_overrides(&self) -> RResult<RString, RString> {
        self.slot.ask("overrides", |tool, host| {
            let keys = tool.overrides(host)?;
            Ok(keys.map(|keys| RString::from(keys.to_string())).unwrap_or_default())
        })
    }
}

#[inline]
fn result(answer: Result<Output, ToolError>) -> ToolResult {
    match answer {
        Ok(output) => output.into_result(),
        Err(error) => error.into_result(),
    }
}

/// What a model may know of a panic: its message may name what is nobody's business, and stands in the host's log.
#[cold]
fn panicked(name: &str) -> ToolResult {
    ToolResult::error(
        format!("the tool `{name}` panicked; the details are in the host's log"),
        r#"{"error_type":"panic"}"#,
    )
}
