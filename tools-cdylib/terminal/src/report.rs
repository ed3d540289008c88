//! What a call tells the model.

use std::path::Path;
use std::process::ExitStatus;

use toolrack_plugin::output;

use crate::meaning::meaning;
use crate::run::{Ending, Outcome};

/// The result of a command, whatever its exit code.
#[output]
#[derive(Debug)]
pub(crate) struct Report {
    /// What it printed, both streams in order.
    pub(crate) output: String,
    /// Its exit code; 128 and the signal's number if a signal ended it, as shells say it. Not there if it did not end
    /// by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
    /// What the exit code means, where that is known and not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meaning: Option<String>,
    /// How long it took, in seconds.
    pub(crate) duration_s: f64,
    /// Where the next command of the task starts.
    pub(crate) cwd: String,
    /// How many characters of `output` were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) omitted_chars: u64,
    /// What else the model should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

impl Report {
    /// Puts into words how `command` went.
    pub(crate) fn new(command: &str, outcome: Outcome, cwd: &Path) -> Self {
        let exit_code = match outcome.ending {
            Ending::Exited(status) => status.and_then(code),
            Ending::TimedOut | Ending::Cancelled => None,
        };
        let mut notes = Vec::new();
        if outcome.printed.not_utf8 {
            notes.push("the output is not all UTF-8: what is not stands as U+FFFD".to_owned());
        }
        if outcome.left_behind {
            notes.push("processes that it left in the background were ended with it".to_owned());
        }
        Report {
            output: outcome.printed.text,
            exit_code,
            meaning: exit_code.and_then(|code| meaning(command, code)),
            duration_s: (outcome.duration.as_secs_f64() * 1000.0).round() / 1000.0,
            cwd: cwd.display().to_string(),
            omitted_chars: outcome.printed.omitted,
            notes,
        }
    }
}

#[cfg(unix)]
fn code(status: ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
}

#[cfg(not(unix))]
fn code(status: ExitStatus) -> Option<i32> {
    status.code()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}
