//! One call of `terminal`: from its arguments to its report.

use std::fmt;
use std::time::Duration;

use crate::budget::{Budget, TIMEOUT, budget};
use crate::config::Config;
use crate::directory::{Directories, DirectoryError, start};
use crate::group::Stdout;
use crate::report::Report;
use crate::run::{Ending, Job, run};
use crate::shell::{Scratch, Shell};

/// How long processes that were left in the background may go on printing after the shell has ended.
const DRAIN: Duration = Duration::from_millis(500);

/// What the model asks for, and in which conversation.
pub(crate) struct Request<'a> {
    pub(crate) command: &'a str,
    /// In seconds.
    pub(crate) timeout: u32,
    pub(crate) workdir: Option<&'a str>,
    pub(crate) stdout: Stdout,
    pub(crate) task: &'a str,
    pub(crate) session: &'a str,
    /// What the call itself has left.
    pub(crate) remaining: Option<Duration>,
}

/// Why there is no report of a command that ended by itself.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments cannot be meant so.
    Arguments(String),
    /// It could not be started.
    Start(String),
    /// It was ended at its timeout; what it printed until then.
    TimedOut(Budget, Box<Report>),
    /// The call was cancelled; what it printed until then.
    Cancelled(Box<Report>),
    /// There was no time left to start it.
    NoTime,
}

/// Runs the command of one call.
///
/// An exit code that is not 0 is no failure: the model reads it.
///
/// # Errors
/// [`Failure`].
pub(crate) fn call(
    request: &Request<'_>,
    config: &Config,
    directories: &Directories,
    cancelled: &dyn Fn() -> bool,
) -> Result<Report, Failure> {
    check(request)?;
    let budget = budget(Duration::from_secs(request.timeout.into()), request.remaining);
    if budget.timeout.is_zero() {
        return Err(Failure::NoTime);
    }
    let shell = Shell::find(config.shell.as_deref()).map_err(|error| Failure::Start(error.to_string()))?;
    let start = start(request.workdir, directories.of(request.task), config.root.as_deref())?;
    let scratch = Scratch::new().map_err(|error| Failure::Start(format!("no temporary folder: {error}")))?;
    let could_not =
        |error| Failure::Start(format!("`{}` could not be started: {error}", shell.program().display()));
    let job = Job {
        program: shell.program(),
        arguments: shell.arguments(request.command, &scratch).map_err(could_not)?,
        dir: &start.dir,
        environment: config.environment(request.stdout),
        stdout: request.stdout,
        timeout: budget.timeout,
        grace: budget.grace,
        drain: DRAIN,
        limit: config.max_output_chars,
    };
    let outcome = run(job, cancelled).map_err(could_not)?;

    let next = match request.workdir {
        Some(_) => start.base, // for this call only
        None => {
            let ended = scratch.ended_in().unwrap_or(start.dir);
            directories.keep(request.task, request.session, ended.clone());
            ended
        }
    };
    let ending = outcome.ending;
    let mut report = Report::new(request.command, outcome, &next);
    if let Some(gone) = start.vanished {
        report.notes.push(format!("`{}`, where the last command ended, is gone", gone.display()));
    }
    match ending {
        Ending::Exited(_) => Ok(report),
        Ending::TimedOut => Err(Failure::TimedOut(budget, Box::new(report))),
        Ending::Cancelled => Err(Failure::Cancelled(Box::new(report))),
    }
}

fn check(request: &Request<'_>) -> Result<(), Failure> {
    let fault = |text: String| Err(Failure::Arguments(text));
    if request.command.trim().is_empty() {
        return fault("command: it is empty".to_owned());
    }
    if request.command.contains('\0') {
        return fault("command: it has a NUL character, which no shell can be given".to_owned());
    }
    if !TIMEOUT.contains(&request.timeout) {
        let (least, most) = (TIMEOUT.start(), TIMEOUT.end());
        return fault(format!("timeout: {} is not within {least} and {most} seconds", request.timeout));
    }
    if request.stdout == Stdout::Terminal && !cfg!(unix) {
        return fault("pty: there is none on this system".to_owned());
    }
    Ok(())
}

impl From<DirectoryError> for Failure {
    fn from(error: DirectoryError) -> Self {
        let text = error.to_string();
        match error {
            DirectoryError::Root(..) => Failure::Start(text),
            _ => Failure::Arguments(text),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Arguments(text) | Failure::Start(text) => f.write_str(text),
            Failure::TimedOut(Budget { timeout, shortened, .. }, _) => {
                write!(f, "timed out after {} s", timeout.as_secs_f64())?;
                f.write_str(if *shortened { ", because the call itself ends then" } else { "" })?;
                f.write_str("; the command and all it started were ended, `output` is what it printed until then")
            }
            Failure::Cancelled(_) => {
                f.write_str("cancelled; the command and all it started were ended, `output` is what it printed until then")
            }
            Failure::NoTime => f.write_str("the call has no time left; the command was not started"),
        }
    }
}
