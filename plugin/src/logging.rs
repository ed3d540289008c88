//! The library's log. `log` has one logger a library, and none is there when a library is loaded: this one hands
//! the records to the host.

use std::cell::Cell;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use log::{LevelFilter, Log, Metadata, Record};
use toolrack_abi::{LogLevel, ServiceErrorKind};

use crate::Host;
use crate::host::Registration;
use crate::meta::PluginMeta;

/// The registrations that may still take records, the latest last. Weak: a log keeps no registration alive.
static LIVE: Mutex<Vec<Weak<Registration>>> = Mutex::new(Vec::new());

static NAMES: OnceLock<Names> = OnceLock::new();

struct Names {
    crate_name: &'static str,
    plugin: &'static str,
    /// Whether the library's logger is ours; the author may have set another one.
    ours: bool,
}

/// Installs the logger, the first time. Until the host says otherwise, the level is `info`.
pub(crate) fn install(plugin: &PluginMeta) {
    names(plugin);
}

/// Lets the records go to this registration as well: to the latest that answers.
pub(crate) fn attach(host: &Host) {
    let mut live = live();
    live.retain(|other| other.strong_count() > 0);
    live.push(Arc::downgrade(host.registration()));
}

/// Sets the level from which on records are made at all.
pub(crate) fn set_level(plugin: &PluginMeta, level: LogLevel) {
    if names(plugin).ours {
        log::set_max_level(match level {
            LogLevel::OFF => LevelFilter::Off,
            LogLevel::ERROR => LevelFilter::Error,
            LogLevel::WARN => LevelFilter::Warn,
            LogLevel::INFO => LevelFilter::Info,
            LogLevel::DEBUG => LevelFilter::Debug,
            _ => LevelFilter::Trace,
        });
    }
}

/// The plugin's name, once there was a registration.
pub(crate) fn plugin() -> &'static str {
    NAMES.get().map_or("plugin", |names| names.plugin)
}

/// Hands a record to the latest registration that takes it; one that has ended is not asked again.
pub(crate) fn send(level: LogLevel, target: &str, message: &str) {
    loop {
        // No lock is held while the host works: its log may lead back into this library.
        let Some(host) = latest() else { return };
        match host.log(level, target, message) {
            Err(error) if error.kind == ServiceErrorKind::ENDED => forget(&host),
            _ => return,
        }
    }
}

fn names(plugin: &PluginMeta) -> &'static Names {
    NAMES.get_or_init(|| {
        let ours = log::set_logger(&HostLog).is_ok();
        if ours {
            log::set_max_level(LevelFilter::Info);
        }
        Names { crate_name: plugin.crate_name, plugin: plugin.name, ours }
    })
}

fn live() -> std::sync::MutexGuard<'static, Vec<Weak<Registration>>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn latest() -> Option<Host> {
    let mut live = live();
    while let Some(last) = live.last() {
        match last.upgrade() {
            Some(registration) => return Some(Host::of(registration)),
            None => live.pop(),
        };
    }
    None
}

fn forget(host: &Host) {
    live().retain(|other| other.as_ptr() != Arc::as_ptr(host.registration()));
}

struct HostLog;

impl Log for HostLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        thread_local! {
            static BUSY: Cell<bool> = const { Cell::new(false) };
        }
        // A host's log that calls back, or a value that logs while it is formatted, must not go round in circles.
        let busy = BUSY.try_with(|busy| busy.replace(true)).unwrap_or(true);
        if busy || !self.enabled(record.metadata()) {
            let _gone = BUSY.try_with(|flag| flag.set(busy));
            return;
        }
        let mut message = String::new();
        let written = catch_unwind(AssertUnwindSafe(|| write!(message, "{}", record.args())));
        match written {
            Ok(Ok(())) => {}
            Ok(Err(_)) => message.push_str(" (the rest could not be formatted)"),
            Err(payload) => {
                std::mem::forget(payload);
                message.push_str(" (the rest panicked while it was formatted)");
            }
        }
        send(LogLevel(record.level() as u8), &target(record.target()), &message);
        let _gone = BUSY.try_with(|flag| flag.set(false));
    }

    fn flush(&self) {}
}

/// The record's target, with the plugin's name in place of its crate's.
fn target(target: &str) -> std::borrow::Cow<'_, str> {
    let names = NAMES.get();
    let rest = names.and_then(|names| target.strip_prefix(names.crate_name));
    match (names, rest) {
        (Some(names), Some("")) => names.plugin.into(),
        (Some(names), Some(rest)) if rest.starts_with("::") => format!("{}{rest}", names.plugin).into(),
        _ => target.into(),
    }
}
