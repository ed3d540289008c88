//! The plugin's own tokio runtime. A host's can not be used: each library has its own copy of tokio.

use std::sync::OnceLock;

use tokio::runtime::{Builder, EnterGuard, Runtime};

/// Makes the runtime reachable on this thread. It is started at the first use and never ends, like the library.
pub(crate) fn enter() -> Option<EnterGuard<'static>> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| {
        let started = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name(format!("{}-tokio", crate::logging::plugin()))
            .enable_all()
            .build();
        if let Err(error) = &started {
            log::error!("the tokio runtime can not be started: {error}");
        }
        started.ok()
    });
    runtime.as_ref().map(Runtime::enter)
}
