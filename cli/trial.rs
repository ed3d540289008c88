//! A library's first load, in a child process: it may crash, hang or end it.

use std::io::{self, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use toolrack::{Code, Diagnosis};

use crate::args::Args;

/// How long a library may take to load and register.
const PATIENCE: Duration = Duration::from_secs(30);

/// The largest answer of a child that is read, in bytes.
const MAX_ANSWER: u64 = 256 << 20;

/// Loads the library in a child process.
///
/// # Errors
/// What the child says is wrong with it, or how it ended the child: T6001, T6002, T6003.
pub(crate) fn run(args: &Args, library: &Path, shown: &Path) -> Result<(), Diagnosis> {
    let mut child = spawn(args, library).map_err(|e| {
        Diagnosis::uncoded(shown, "the process that tries the library could not be started").caused_by(e)
    })?;
    let answer = answer(&mut child);
    let in_time = answer.is_some();
    if !in_time {
        // It may have ended by itself just now; then there is nobody to kill.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|e| Diagnosis::uncoded(shown, "the trial was lost").caused_by(e))?;
    let document = answer.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    match document {
        Some(document) => judge(&document, shown),
        None if !in_time => Err(Diagnosis::new(
            Code::T6002,
            shown,
            format!("it did not finish loading within {} seconds", PATIENCE.as_secs()),
        )
        .help("a library must not wait for anything in its constructors or while it registers")),
        None => Err(ended(status, shown)),
    }
}

fn spawn(args: &Args, library: &Path) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    if let Some(config) = &args.config {
        command.arg("--config").arg(config);
    }
    command.arg("child").arg("--").arg(library);
    // Its log would say again what the answer says.
    command.env("RUST_LOG", "off").stdin(Stdio::null()).stdout(Stdio::piped()).spawn()
}

/// Everything that the child says, or nothing if it does not come to an end.
fn answer(child: &mut Child) -> Option<Vec<u8>> {
    let mut stdout = child.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.by_ref().take(MAX_ANSWER).read_to_end(&mut text);
        // Nobody listens any more when it took too long.
        let _ = sender.send(read.map(|_| text).unwrap_or_default());
    });
    receiver.recv_timeout(PATIENCE).ok()
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
        Some(signal) => {
            Diagnosis::new(Code::T6001, shown, format!("it crashed while loading (signal {signal})"))
                .help("what it wrote to standard error is above; ask its author, or run it under a debugger")
        }
        None => Diagnosis::new(Code::T6003, shown, format!("it ended the process while loading ({status})"))
            .help("a library must not call `exit`; a panic in a constructor does so too"),
    }
}
