//! The group as a session and its process groups.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Event, Started, Stdout, piped};

/// How long to wait for processes that were killed to be gone: the system may be slow, but it is not asked twice.
const KILLED: Duration = Duration::from_secs(1);

/// A command and what it started.
///
/// Dropped, it is killed.
pub(crate) struct Group {
    /// The leader, and so the number of session and group. It is not reaped before `reap`: until then the system
    /// cannot give the number to another process, and no signal can hit a stranger.
    leader: Pid,
    may_reap: Option<Sender<()>>,
    status: Receiver<ExitStatus>,
}

impl Group {
    /// Starts `command` in a session of its own. [`Event::Exited`] tells when it has ended.
    ///
    /// # Errors
    /// The system's, from opening the pipe or the terminal, or from starting the process or a thread.
    pub(crate) fn start(mut command: Command, stdout: Stdout, events: Sender<Event>) -> io::Result<Started> {
        let (may_reap, reaping) = channel();
        let (tell, status) = channel();
        let (hand_over, child) = channel::<(Pid, Box<dyn ChildWrapper>)>();
        // The thread first: once there is a process, nothing can fail any more.
        thread::Builder::new().name("terminal-wait".into()).spawn(move || {
            let Ok((leader, mut child)) = child.recv() else { return };
            wait_for_end(leader);
            let _ = events.send(Event::Exited);
            let _ = reaping.recv(); // ends when the other side is dropped
            if let Ok(status) = child.wait() {
                let _ = tell.send(status);
            }
        })?;
        let (child, output) = match stdout {
            Stdout::Pipe => on_pipe(command)?,
            Stdout::Terminal => {
                command.env("PAGER", "cat").env("GIT_PAGER", "cat"); // a pager would wait for keys for ever
                on_terminal(command)?
            }
        };
        let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = leader.ok_or_else(|| io::Error::other("the process has no number"))?;
        let _ = hand_over.send((leader, child));
        Ok(Started { group: Group { leader, may_reap: Some(may_reap), status }, output: File::from(output) })
    }

    /// Ends what still runs: SIGTERM, and SIGKILL for what is there after `grace`. Was there anything?
    pub(crate) fn end(&self, grace: Duration) -> bool {
        if !self.is_alive() {
            return false;
        }
        self.signal(Signal::TERM);
        self.wait_until_gone(grace);
        self.kill();
        true
    }

    /// The exit status of the command, which must have ended; nothing if the system does not give it in time.
    pub(crate) fn reap(mut self, patience: Duration) -> Option<ExitStatus> {
        self.may_reap = None;
        self.status.recv_timeout(patience).ok()
    }

    fn kill(&self) {
        let until = Instant::now() + KILLED;
        // Again and again: a process may leave its group while the list is read. What is dead starts nothing more.
        loop {
            self.signal(Signal::KILL);
            if !self.wait_until_gone(Duration::from_millis(20)) || Instant::now() > until {
                return;
            }
        }
    }

    /// Waits at most `patience`. Is anything still there?
    fn wait_until_gone(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut pause = Duration::from_millis(1);
        while self.is_alive() {
            if Instant::now() >= until {
                return true;
            }
            // These are not our children: the system tells nobody here when they end.
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
        false
    }

    fn signal(&self, signal: Signal) {
        // An error only says that nobody is left.
        let _ = kill_process_group(self.leader, signal);
        #[cfg(target_os = "linux")]
        for group in super::session::groups(self.leader).unwrap_or_default() {
            if group != self.leader {
                let _ = kill_process_group(group, signal);
            }
        }
    }

    #[cfg(target_os = "linux")]
    fn is_alive(&self) -> bool {
        // Without /proc nobody can tell: then everything gets both signals.
        super::session::groups(self.leader).is_none_or(|groups| !groups.is_empty())
    }

    /// Of the leader's own group only. Where zombies count, this says yes until the leader is reaped, and costs the
    /// whole grace.
    #[cfg(not(target_os = "linux"))]
    fn is_alive(&self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.may_reap.is_some() {
            self.kill();
        }
    }
}

fn on_pipe(mut command: Command) -> io::Result<(Box<dyn ChildWrapper>, OwnedFd)> {
    let reader = piped(&mut command)?;
    let mut wrapped = CommandWrap::from(command);
    let child = wrapped.wrap(ProcessSession).spawn()?;
    Ok((child, reader.into())) // drops the command, and with it our writing ends
}

fn on_terminal(command: Command) -> io::Result<(Box<dyn ChildWrapper>, OwnedFd)> {
    let (terminal, process_side) = pty_process::blocking::open().map_err(io::Error::other)?;
    terminal.resize(pty_process::Size::new(40, 120)).map_err(io::Error::other)?;
    let child = pty_process::blocking::Command::from(command)
        .stdin(std::process::Stdio::null())
        .spawn(process_side)
        .map_err(|error| match error {
            pty_process::Error::Io(error) => error,
            other => io::Error::other(other),
        })?;
    Ok((Box::new(child), terminal.into()))
}

/// Returns when the process has ended, and leaves it unreaped.
fn wait_for_end(leader: Pid) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    // Any other error means that the host reaps all its children itself: it has ended too.
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(leader), options) {}
}
