//! The exit status: a contract.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Done, with findings: a tool answered with an error; something was rejected.
    Findings,
    /// Not understood, or nothing to do.
    Nothing,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::Nothing => 2,
        })
    }
}

/// Prints what clap says of a command line. `--help` and `--version` are no error; a closed pipe is none either.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { Exit::Nothing.into() } else { Exit::Done.into() }
}
