//! The exit status: a contract.

use std::process::ExitCode;

use toolrack::Diagnosis;

use crate::output::complain;

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
///
/// Whoever asks for JSON gets the error as a diagnosis too. That can only be guessed, of a line that is not
/// understood.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Done.into();
    }
    if std::env::args_os().any(|arg| arg == "--json") {
        let text = error.to_string();
        let (reason, rest) = text.trim().split_once("\n\n").unwrap_or((text.trim(), ""));
        let reason = reason.trim_start_matches("error: ");
        complain(true, &Diagnosis::uncoded("toolrack", reason).help(rest));
    } else {
        let _ = error.print();
    }
    Exit::Nothing.into()
}
