//! A thread that reads what a command prints.

use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::group::Event;
use crate::output::{Output, Printed};

/// Reads until the last process that could print has ended, or until it is dropped.
pub(crate) struct Reader {
    output: Arc<Mutex<Option<Output>>>,
    stop: Stop,
}

impl Reader {
    /// Makes the reader, and the channel on which it waits for what to read. In two steps, so that nothing can fail
    /// any more once a command runs.
    ///
    /// # Errors
    /// The system has no thread or pipe left.
    pub(crate) fn new(limit: usize, events: Sender<Event>) -> io::Result<(Reader, Sender<File>)> {
        let output = Arc::new(Mutex::new(Some(Output::new(limit))));
        let (stop, stopped) = stop()?;
        let (hand_over, source) = std::sync::mpsc::channel::<File>();
        let shared = Arc::clone(&output);
        thread::Builder::new().name("terminal-read".into()).spawn(move || {
            let Ok(mut source) = source.recv() else { return };
            let mut buffer = vec![0; 64 * 1024];
            while stopped.wait_for_bytes(&source) {
                match source.read(&mut buffer) {
                    Ok(0) => break,
                    Ok(count) => match shared.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                        Some(output) => output.feed(&buffer[..count]),
                        None => return,
                    },
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => break, // the end of a pseudo-terminal is an error on Linux
                }
            }
            let _ = events.send(Event::Closed);
        })?;
        Ok((Reader { output, stop }, hand_over))
    }

    /// Stops reading, and gives what was read. A process that still holds the other end keeps nobody waiting.
    pub(crate) fn finish(self) -> Printed {
        let Reader { output, stop: _stop } = self; // stops the thread when this function returns
        let output = output.lock().unwrap_or_else(PoisonError::into_inner).take();
        output.unwrap_or_else(|| Output::new(0)).finish()
    }
}

/// Stops the thread when it is dropped: a pipe of which the thread watches the other end.
#[cfg(unix)]
struct Stop(#[expect(dead_code, reason = "held for its drop")] std::io::PipeWriter);
#[cfg(unix)]
struct Stopped(std::io::PipeReader);

#[cfg(unix)]
fn stop() -> io::Result<(Stop, Stopped)> {
    let (reader, writer) = std::io::pipe()?;
    Ok((Stop(writer), Stopped(reader)))
}

#[cfg(unix)]
impl Stopped {
    /// Waits until there is something to read, or the end; false when the thread was stopped.
    fn wait_for_bytes(&self, source: &File) -> bool {
        use rustix::event::{PollFd, PollFlags, poll};
        loop {
            let mut watched = [PollFd::new(source, PollFlags::IN), PollFd::new(&self.0, PollFlags::IN)];
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
                Ok(_) => return watched[1].revents().is_empty(),
            }
        }
    }
}

/// On Windows nothing need be stopped: the job is terminated before, and with it every process that holds the pipe.
#[cfg(windows)]
struct Stop;
#[cfg(windows)]
struct Stopped;

#[cfg(windows)]
fn stop() -> io::Result<(Stop, Stopped)> {
    Ok((Stop, Stopped))
}

#[cfg(windows)]
impl Stopped {
    fn wait_for_bytes(&self, _source: &File) -> bool {
        true
    }
}
