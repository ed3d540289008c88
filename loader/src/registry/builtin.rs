//! Functions of the host as tools.

use std::future::Future;
use std::sync::Arc;

use crate::answer::{ErrorType, Failure, Outcome};
use crate::call::{ActiveCall, Call, Callable, LiveCall, OutcomeFuture};

pub(super) struct Function<F>(pub(super) F);

impl<F> Callable for Function<F>
where
    F: Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static,
{
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome {
        (self.0)(call.call(), args)
    }

    fn call_async(&self, _: Arc<LiveCall>, _: String) -> OutcomeFuture {
        Box::pin(std::future::ready(Err(mismatch("a plain function"))))
    }
}

pub(super) struct AsyncFunction<F>(pub(super) F);

impl<F, A> Callable for AsyncFunction<F>
where
    F: Fn(Arc<LiveCall>, String) -> A + Send + Sync + 'static,
    A: Future<Output = Outcome> + Send + 'static,
{
    fn call(&self, _: &ActiveCall<'_>, _: &str) -> Outcome {
        Err(mismatch("an asynchronous function"))
    }

    fn call_async(&self, call: Arc<LiveCall>, args: String) -> OutcomeFuture {
        Box::pin((self.0)(call, args))
    }
}

/// The description was changed behind the batch's back.
fn mismatch(what: &str) -> Failure {
    let message = format!("this tool is {what} of the host, and its description says otherwise");
    Failure::new(ErrorType::ToolResultContract, message)
}

/// Something callable, with a check beside it.
pub(super) struct WithCheck<F> {
    pub(super) inner: Arc<dyn Callable>,
    pub(super) check: F,
}

impl<F: Fn() -> Result<(), String> + Send + Sync + 'static> Callable for WithCheck<F> {
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome {
        self.inner.call(call, args)
    }

    fn call_async(&self, call: Arc<LiveCall>, args: String) -> OutcomeFuture {
        self.inner.call_async(call, args)
    }

    fn check(&self) -> Result<(), String> {
        (self.check)()
    }

    fn overrides(&self) -> Result<String, String> {
        self.inner.overrides()
    }
}

/// Something callable, with overrides of its description beside it.
pub(super) struct WithOverrides<F> {
    pub(super) inner: Arc<dyn Callable>,
    pub(super) overrides: F,
}

impl<F: Fn() -> Result<String, String> + Send + Sync + 'static> Callable for WithOverrides<F> {
    fn call(&self, call: &ActiveCall<'_>, args: &str) -> Outcome {
        self.inner.call(call, args)
    }

    fn call_async(&self, call: Arc<LiveCall>, args: String) -> OutcomeFuture {
        self.inner.call_async(call, args)
    }

    fn check(&self) -> Result<(), String> {
        self.inner.check()
    }

    fn overrides(&self) -> Result<String, String> {
        (self.overrides)()
    }
}
