//! A host that offers nothing, and a call of which nothing is known: what a bare call needs.

use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::std_types::{RArc, ROption, RResult, RStr, RString, RVec};
use toolrack_abi::async_ffi::{FfiFuture, FutureExt};
use toolrack_abi::{
    CallContext, HostServices, HostServices_TO, LogLevel, ServiceError, ServiceErrorKind, ServiceResult,
    Services, ToolResult,
};

/// The call, and the host.
pub(crate) struct Nobody;

pub(super) fn services() -> Services {
    HostServices_TO::from_ptr(RArc::new(Nobody), TD_Opaque)
}

fn nothing<T>() -> ServiceResult<T> {
    RResult::RErr(ServiceError::new(ServiceErrorKind::UNSUPPORTED, "this host offers nothing"))
}

impl HostServices for Nobody {
    fn log(&self, _: LogLevel, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<()> {
        RResult::ROk(())
    }

    fn config(&self) -> ServiceResult<RString> {
        nothing()
    }

    fn data_dir(&self) -> ServiceResult<RVec<u8>> {
        nothing()
    }

    fn spill_dir(&self) -> ServiceResult<RVec<u8>> {
        nothing()
    }

    fn origin(&self) -> ServiceResult<RVec<u8>> {
        nothing()
    }

    fn call_tool(&self, _: u64, _: RStr<'_>, _: RStr<'_>) -> ToolResult {
        ToolResult::error("this host has no tools", "{}")
    }

    fn call_tool_async(&self, _: u64, _: RString, _: RString) -> FfiFuture<ToolResult> {
        async { ToolResult::error("this host has no tools", "{}") }.into_ffi()
    }

    fn definitions(&self, _: u64, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<RString> {
        nothing()
    }

    fn tools_changed(&self) -> ServiceResult<()> {
        nothing()
    }

    fn notify(&self, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<()> {
        nothing()
    }

    fn ask(&self, _: u64, _: RStr<'_>) -> ServiceResult<RString> {
        nothing()
    }

    fn request(&self, _: u64, _: RStr<'_>, _: RStr<'_>) -> ServiceResult<RString> {
        nothing()
    }
}

impl CallContext for Nobody {
    fn session(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn task(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn turn(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn call_id(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn parent_call(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn depth(&self) -> u32 {
        0
    }

    fn allowed_tools(&self) -> ROption<RVec<RString>> {
        ROption::RNone
    }

    fn trace_context(&self) -> RStr<'_> {
        RStr::empty()
    }

    fn remaining_nanos(&self) -> ROption<u64> {
        ROption::RNone
    }

    fn cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: f64, _: ROption<f64>, _: RStr<'_>) {}

    fn token(&self) -> u64 {
        0
    }
}
