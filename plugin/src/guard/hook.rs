//! The panic hook of the library: what a guard will catch goes to the host's log instead of to stderr.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::Once;

use toolrack_abi::LogLevel;

use crate::{Host, logging};

thread_local! {
    /// What panicked inside the guard that this thread is in. The hook does not know whose call that is; the guard does.
    static REPORTS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Sets the hook, once a library. A panic outside every guard, on a thread of the author's, goes where it went before.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(
            move |info| {
                if super::is_guarded() { keep(report(info)) } else { previous(info) }
            },
        ));
    });
}

/// Hands what was kept to the host's log.
#[cold]
pub(super) fn flush(host: Option<&Host>) {
    let reports = REPORTS
        .try_with(|reports| {
            reports.try_borrow_mut().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default()
        })
        .unwrap_or_default();
    for report in reports {
        match host {
            Some(host) => drop(host.log(LogLevel::ERROR, host.plugin(), &report)),
            None => logging::send(LogLevel::ERROR, logging::plugin(), &report),
        }
    }
}

fn keep(report: String) {
    let _gone = REPORTS.try_with(|reports| {
        if let Ok(mut kept) = reports.try_borrow_mut() {
            kept.push(report);
        }
    });
    super::set_reported();
}

fn report(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)");
    let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
    format!("panicked{place}: {message}\nbacktrace:\n{}", Backtrace::force_capture())
}
