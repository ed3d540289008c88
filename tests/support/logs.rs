//! The log of the test's own process: the host's log, that plugins write into.

use std::sync::{Mutex, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use log::{LevelFilter, Log, Metadata};

/// What was logged.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) level: log::Level,
    pub(crate) target: String,
    pub(crate) message: String,
}

static RECORDS: Mutex<Vec<Record>> = Mutex::new(Vec::new());
static LEVEL: RwLock<()> = RwLock::new(());

/// Begins to keep what is logged, from `debug` on.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        log::set_logger(&Keeper).expect("nobody else sets a logger");
        log::set_max_level(LevelFilter::Debug);
    });
}

/// What was logged with this text in it, by any test: the text tells whose it is.
pub(crate) fn logged(text: &str) -> Vec<Record> {
    let records = RECORDS.lock().unwrap_or_else(PoisonError::into_inner);
    records.iter().filter(|record| record.message.contains(text)).cloned().collect()
}

/// While it is held, the level stays `debug`.
pub(crate) fn at_debug_level() -> RwLockReadGuard<'static, ()> {
    listen();
    LEVEL.read().unwrap_or_else(PoisonError::into_inner)
}

/// While it is held, nobody else relies on the level. It is `debug` again afterwards.
pub(crate) fn own_level() -> OwnLevel {
    listen();
    OwnLevel(LEVEL.write().unwrap_or_else(PoisonError::into_inner))
}

pub(crate) struct OwnLevel(#[expect(dead_code, reason = "held")] RwLockWriteGuard<'static, ()>);

impl Drop for OwnLevel {
    fn drop(&mut self) {
        log::set_max_level(LevelFilter::Debug);
    }
}

struct Keeper;

impl Log for Keeper {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let kept = Record {
            level: record.level(),
            target: record.target().to_owned(),
            message: record.args().to_string(),
        };
        RECORDS.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    }

    fn flush(&self) {}
}
