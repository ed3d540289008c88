//! The group as a job object.

use std::fs::File;
use std::io;
use std::os::windows::io::OwnedHandle;
use std::process::{Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};

use super::{Event, Started, Stdout, piped};

/// How often to look whether the command has ended: a job cannot be waited for and be terminated by two threads.
const LOOK: Duration = Duration::from_millis(20);

/// A command and what it started.
///
/// Dropped, it is terminated.
pub(crate) struct Group {
    terminate: Sender<()>,
    status: Receiver<ExitStatus>,
}

impl Group {
    /// Starts `command` in a job of its own. [`Event::Exited`] tells when it has ended.
    ///
    /// # Errors
    /// The system's, from opening the pipe or from starting the process or a thread; there is no terminal.
    pub(crate) fn start(mut command: Command, stdout: Stdout, events: Sender<Event>) -> io::Result<Started> {
        if stdout == Stdout::Terminal {
            return Err(io::Error::new(io::ErrorKind::Unsupported, "`pty` is not available on Windows"));
        }
        let (terminate, orders) = channel();
        let (tell, status) = channel();
        let (hand_over, child) = channel::<Box<dyn ChildWrapper>>();
        thread::Builder::new().name("terminal-wait".into()).spawn(move || {
            let Ok(child) = child.recv() else { return };
            keep(child, &orders, &events, &tell);
        })?;
        let reader = piped(&mut command)?;
        let mut wrapped = CommandWrap::from(command);
        let child = wrapped.wrap(JobObject).spawn()?;
        let _ = hand_over.send(child);
        Ok(Started { group: Group { terminate, status }, output: File::from(OwnedHandle::from(reader)) })
    }

    /// Terminates what still runs. Windows has no gentle way for processes without a window, so there is no grace,
    /// and a job does not tell whether there was anything.
    pub(crate) fn end(&self, _grace: Duration) -> bool {
        let _ = self.terminate.send(());
        false
    }

    /// The exit status of the command; nothing if the system does not give it in time.
    pub(crate) fn reap(self, patience: Duration) -> Option<ExitStatus> {
        let _ = self.terminate.send(());
        self.status.recv_timeout(patience).ok()
    }
}

/// Looks after the child until nobody holds the group any more.
fn keep(
    mut child: Box<dyn ChildWrapper>,
    orders: &Receiver<()>,
    events: &Sender<Event>,
    tell: &Sender<ExitStatus>,
) {
    let mut ended = false;
    loop {
        let order = if ended {
            orders.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            orders.recv_timeout(LOOK)
        };
        if order != Err(RecvTimeoutError::Timeout) {
            let _ = child.start_kill();
        }
        if order == Err(RecvTimeoutError::Disconnected) {
            let _ = child.wait();
            return;
        }
        if !ended && let Ok(Some(status)) = child.try_wait() {
            ended = true;
            let _ = tell.send(status);
            let _ = events.send(Event::Exited);
        }
    }
}
