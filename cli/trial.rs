//! A library's first load, in a child process: it may crash, hang or end it.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolrack::{Code, Diagnosis};

use crate::args::Args;

/// The largest answer of a child that is read, in bytes.
const MAX_ANSWER: u64 = 256 << 20;

/// Loads the library in a child process, which has as long as `patience`.
///
/// # Errors
/// What the child says is wrong with it, or how it ended the child: T6001, T6002, T6003.
pub(crate) fn run(args: &Args, library: &Path, shown: &Path, patience: Duration) -> Result<(), Diagnosis> {
    let deadline = Instant::now() + patience;
    let mut child = spawn(args, library).map_err(|e| {
        Diagnosis::uncoded(shown, "the process that tries the library could not be started").caused_by(e)
    })?;
    let answer = answer(&mut child, deadline);
    let document = answer.as_ref().and_then(|text| serde_json::from_slice::<Value>(text).ok());
    let status = match (&document, &answer) {
        // It closed its end: now it ends, unless the library keeps it from that.
        (None, Some(_)) => ended_by(&mut child, deadline),
        _ => None,
    };
    // It has said what it had to say, or had its time. It may also have ended by itself; then there is nobody to kill.
    let _ = child.kill();
    let _ = child.wait();
    match (document, status) {
        (Some(document), _) => judge(&document, shown),
        (None, Some(status)) => Err(ended(status, shown)),
        (None, None) => {
            let reason = format!("it did not finish loading within {} s", patience.as_secs_f64());
            Err(Diagnosis::new(Code::T6002, shown, reason)
                .help("a library must not wait for anything in its constructors or while it registers"))
        }
    }
}

/// How the child ends, if it does.
fn ended_by(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

fn spawn(args: &Args, library: &Path) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(config) = &args.config {
        command.arg("--config").arg(config);
    }
    command.arg("child").arg("--").arg(library);
    // The host's log would say again what the answer says; what the plugin says of itself stands nowhere else.
    command.env("RUST_LOG", "error,toolrack=off").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

/// Everything that the child says, or nothing if it does not come to an end.
fn answer(child: &mut Child, deadline: Instant) -> Option<Vec<u8>> {
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.by_ref().take(MAX_ANSWER).read_to_end(&mut text);
        // Nobody listens any more when it took too long.
        let _ = sender.send(read.map(|_| text).unwrap_or_default());
    });
    receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok()
}

fn judge(document: &Value, shown: &Path) -> Result<(), Diagnosis> {
    let Some(rejected) = document["rejected"].as_array().and_then(|rejected| rejected.first()) else {
        return match document["others"].as_u64() {
            Some(0) => Ok(()),
            _ => {
                Err(Diagnosis::new(Code::T1006, shown, "it changed while it was added").help("add it again"))
            }
        };
    };
    let text = |key: &str| rejected[key].as_str();
    let reason = text("reason").unwrap_or("the trial rejects it");
    let mut diagnosis = match text("code").and_then(|code| code.parse().ok()) {
        Some(code) => Diagnosis::new(code, shown, reason),
        None => Diagnosis::uncoded(shown, reason),
    };
    if let Some(detail) = text("detail") {
        diagnosis = diagnosis.caused_by(detail);
    }
    if let Some(help) = text("help") {
        diagnosis = diagnosis.help(help);
    }
    Err(diagnosis)
}

fn ended(status: ExitStatus, shown: &Path) -> Diagnosis {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    match signal {
        Some(_) => Diagnosis::new(Code::T6001, shown, format!("it crashed while loading ({status})"))
            .help("what it wrote to standard error is above; ask its author, or run it under a debugger"),
        None => Diagnosis::new(Code::T6003, shown, format!("it ended the process while loading ({status})"))
            .help("a library must not call `exit`; a panic in a constructor does so too"),
    }
}
