//! One command from its start to the end of the last process that it started.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::group::{Event, Group, Started, Stdout};
use crate::output::Printed;
use crate::reader::Reader;

/// How often to ask whether the call was cancelled: the host has no way to wake us.
const TICK: Duration = Duration::from_millis(50);
/// How long the system may take to report what has already happened.
const PATIENCE: Duration = Duration::from_secs(1);

/// What to run, and for how long.
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) dir: &'a Path,
    /// All of it: nothing is inherited.
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) stdout: Stdout,
    /// How long the command may take.
    pub(crate) timeout: Duration,
    /// How long processes that it left in the background may go on printing.
    pub(crate) drain: Duration,
    /// How long its processes may take to end once they are asked to.
    pub(crate) grace: Duration,
    /// How many characters of output to keep.
    pub(crate) limit: usize,
}

/// How a command went.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    pub(crate) printed: Printed,
    pub(crate) duration: Duration,
    /// Were there processes in the background that had to be ended when the shell had?
    pub(crate) left_behind: bool,
}

/// Why a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself; nothing if the system does not tell how (a host that reaps all its children).
    Exited(Option<ExitStatus>),
    /// At its timeout.
    TimedOut,
    /// Because the call was cancelled.
    Cancelled,
}

/// Runs a command, and returns when none of its processes is left (but for those that left its session).
///
/// Standard input is closed. `cancelled` is asked every 50 ms.
///
/// # Errors
/// The command could not be started.
pub(crate) fn run(job: Job<'_>, cancelled: &dyn Fn() -> bool) -> io::Result<Outcome> {
    let mut command = Command::new(job.program);
    command.args(job.arguments).current_dir(job.dir).env_clear().envs(job.environment).stdin(Stdio::null());
    let (tell, events) = channel();
    let (reader, hand_over) = Reader::new(job.limit, tell.clone())?;
    let started_at = Instant::now();
    let Started { group, output } = Group::start(command, job.stdout, tell)?;
    let _ = hand_over.send(output); // the thread waits for it

    let mut news = News { events, exited: false, closed: false };
    let ending = wait(&mut news, started_at + job.timeout, cancelled);
    let left_behind = match ending {
        None => {
            news.wait_for(job.drain, |news| news.closed);
            group.end(job.grace) || !news.closed
        }
        Some(_) => {
            group.end(job.grace);
            news.wait_for(PATIENCE, |news| news.exited);
            false
        }
    };
    news.wait_for(PATIENCE / 4, |news| news.closed); // what was printed last
    let ending = ending.unwrap_or_else(|| Ending::Exited(group.reap(PATIENCE)));
    Ok(Outcome { ending, printed: reader.finish(), duration: started_at.elapsed(), left_behind })
}

/// Waits until the command has ended by itself (nothing), or must be ended.
fn wait(news: &mut News, deadline: Instant, cancelled: &dyn Fn() -> bool) -> Option<Ending> {
    while !news.exited {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Some(Ending::TimedOut);
        }
        if cancelled() {
            return Some(Ending::Cancelled);
        }
        news.wait(left.min(TICK));
    }
    None
}

/// What has been heard of a group so far.
struct News {
    events: Receiver<Event>,
    exited: bool,
    closed: bool,
}

impl News {
    /// Waits for the next event; false when none came in time.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.events.recv_timeout(patience) {
            Ok(Event::Exited) => self.exited = true,
            Ok(Event::Closed) => self.closed = true,
            Err(RecvTimeoutError::Timeout) => return false,
            // Both threads have told all they had to tell, or are gone.
            Err(RecvTimeoutError::Disconnected) => (self.exited, self.closed) = (true, true),
        }
        true
    }

    fn wait_for(&mut self, patience: Duration, mut heard: impl FnMut(&Self) -> bool) {
        let until = Instant::now() + patience;
        while !heard(self) && self.wait(until.saturating_duration_since(Instant::now())) {}
    }
}
