//! A command and all the processes that it starts, as one thing that can be ended.
//!
//! On Unix it is a *session* of its own: the command leads a process group that can be signalled as one, and it has no
//! terminal, so that a program that wants to ask the operator for a password fails instead of waiting. On Windows it
//! is a job object.

use std::fs::File;
use std::process::Command;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(crate) use unix::Group;

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(crate) use windows::Group;

#[cfg(target_os = "linux")]
mod session;

/// What happens to a group or to its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The process that leads the group has ended; others may still run.
    Exited,
    /// No process is left that could print.
    Closed,
}

/// What the output of a command goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stdout {
    /// One pipe for both streams: they come out in the order in which they were written.
    Pipe,
    /// A pseudo-terminal of 120 × 40, for programs that behave otherwise on a pipe.
    Terminal,
}

/// A command that was started: its group, and where to read what it prints.
pub(crate) struct Started {
    pub(crate) group: Group,
    pub(crate) output: File,
}

/// Gives `command` one pipe for both of its streams.
fn piped(command: &mut Command) -> std::io::Result<std::io::PipeReader> {
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    Ok(reader)
}
