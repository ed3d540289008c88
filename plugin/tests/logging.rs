//! The log of a library: one for all its registrations. One test at a time, as there is one log a process.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "a test is no library")]

#[path = "support/host.rs"]
mod host;

use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolrack_abi::LogLevel;
use toolrack_plugin::{export_tools, log, tool};

/// Logs at each level.
#[tool]
fn logs() {
    log::error!("e");
    log::warn!("w");
    log::info!("i");
    log::debug!("d");
    log::trace!(target: "elsewhere", "t");
}

mod inner {
    /// Logs from within.
    #[toolrack_plugin::tool]
    pub fn deeper() {
        toolrack_plugin::log::warn!("from {}", "within");
    }
}

struct LogsItself;

impl std::fmt::Display for LogsItself {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        log::error!("inside");
        f.write_str("outside")
    }
}

struct Panics;

impl std::fmt::Display for Panics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("so far")?;
        panic!("not formatted")
    }
}

/// Logs what logs, and what panics.
#[tool]
fn awkward() -> &'static str {
    log::error!("{LogsItself}");
    log::error!("{Panics}");
    "done"
}

export_tools! { name = "logger", tools = [logs, inner::deeper, awkward] }

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn set_level(level: LogLevel) {
    host::module(register_tools.root()).set_log_level()(level);
}

fn messages(registered: &host::Registered) -> Vec<String> {
    registered
        .memory
        .logs()
        .into_iter()
        .map(|(level, target, text)| format!("{} {target} {text}", level.0))
        .collect()
}

#[test]
fn records_reach_the_host_under_the_plugins_name_and_follow_its_level() {
    let _alone = alone();
    let registered = host::register(register_tools.root());
    for (level, count) in [
        (LogLevel::OFF, 0),
        (LogLevel::ERROR, 1),
        (LogLevel::INFO, 3),
        (LogLevel::TRACE, 5),
        (LogLevel(9), 5),
    ] {
        let before = registered.memory.logs().len();
        set_level(level);
        registered.call("logs", "{}");
        assert_eq!(registered.memory.logs().len() - before, count, "{level:?}");
    }
    let last: Vec<String> = messages(&registered).split_off(9);
    assert_eq!(last, ["1 logger e", "2 logger w", "3 logger i", "4 logger d", "5 elsewhere t"]);
    registered.call("deeper", "{}");
    assert_eq!(messages(&registered).last().unwrap(), "2 logger::inner from within");
}

#[test]
fn the_latest_registration_that_lives_gets_the_records() {
    let _alone = alone();
    set_level(LogLevel::ERROR);
    let (old, new) = (host::register(register_tools.root()), host::register(register_tools.root()));
    old.call("logs", "{}");
    assert_eq!((messages(&old).len(), messages(&new).len()), (0, 1));
    new.memory.ended.store(true, Ordering::SeqCst);
    old.call("logs", "{}");
    assert_eq!((messages(&old).len(), messages(&new).len()), (1, 1), "one that has ended is passed over");
    new.memory.ended.store(false, Ordering::SeqCst);
    old.call("logs", "{}");
    assert_eq!((messages(&old).len(), messages(&new).len()), (2, 1), "and not asked again");
}

#[test]
fn a_registration_that_was_let_go_is_forgotten() {
    let _alone = alone();
    set_level(LogLevel::ERROR);
    let old = host::register(register_tools.root());
    let new = host::register(register_tools.root());
    let memory = std::sync::Arc::clone(&new.memory);
    drop(new);
    assert_eq!(std::sync::Arc::strong_count(&memory), 1, "the log keeps no registration alive");
    old.call("logs", "{}");
    assert_eq!(messages(&old), ["1 logger e"]);
}

#[test]
fn a_record_that_logs_or_panics_while_it_is_formatted_does_no_harm() {
    let _alone = alone();
    set_level(LogLevel::ERROR);
    let registered = host::register(register_tools.root());
    assert_eq!(registered.call("awkward", "{}").body.as_str(), "done");
    let told = messages(&registered);
    assert_eq!(told[..2], ["1 logger outside", "1 logger so far (the rest panicked while it was formatted)"]);
    assert!(told[2].contains("not formatted"), "{told:?}");
}

#[test]
fn nothing_happens_without_any_registration() {
    let _alone = alone();
    set_level(LogLevel::ERROR);
    drop(host::register(register_tools.root()));
    log::error!("nobody hears it");
}
