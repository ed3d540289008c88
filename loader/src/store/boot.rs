//! Which boot of the machine this is.

use std::fmt;

/// Text that differs between two boots of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootId(String);

impl BootId {
    /// A boot by a name of the caller's choosing.
    pub fn new(text: impl Into<String>) -> Self {
        BootId(text.into())
    }

    /// The boot this process runs in.
    ///
    /// Linux names its boots. Other Unix systems tell how long they run, from which follows when they started, to
    /// the minute. Windows tells neither to safe code: there each process counts as a boot of its own, which costs
    /// hashing a copy once a process and is never wrong.
    pub fn current() -> Self {
        BootId(named_by_the_kernel().unwrap_or_else(from_the_clock))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn named_by_the_kernel() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let name = text.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// The minute the machine started in. If the clock is set, or the start lies where one minute becomes the next, it
/// looks like another boot; copies are then hashed once more.
#[cfg(unix)]
fn from_the_clock() -> String {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Realtime).tv_sec;
    let since_start = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic).tv_sec;
    format!("minute-{}", (now - since_start).div_euclid(60))
}

#[cfg(not(unix))]
fn from_the_clock() -> String {
    use std::time::{SystemTime, UNIX_EPOCH};

    // The moment this process first asked, so that every store of the process agrees.
    static ASKED: std::sync::OnceLock<u128> = std::sync::OnceLock::new();
    let asked = ASKED
        .get_or_init(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos()));
    format!("process-{}-{asked}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_same_throughout_a_boot() {
        assert_eq!(BootId::current(), BootId::current());
        assert!(!BootId::current().as_str().contains('\n'));
    }
}
