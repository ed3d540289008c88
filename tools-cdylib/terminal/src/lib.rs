//! The tool `terminal`: runs a command in the machine's shell.
//!
//! This file is all that knows of Toolrack: it takes the arguments, asks the host for its configuration and for the
//! state of this registration, and turns a `Failure` into what a model reads. All else is plain Rust that can be
//! tested without a host; `call.rs` is one call of it.
//!
//! It runs what it is told with the rights of the host. The configured root confines the argument `workdir` alone:
//! what contains a command is a sandbox around the process, not this plugin.

mod budget;
mod call;
mod config;
mod directory;
mod environment;
mod group;
mod meaning;
mod output;
mod reader;
mod report;
mod run;
mod shell;

use toolrack_plugin::{Context, Host, ToolError, Value, export_tools, json, tool};

use call::{Failure, Request, call};
use config::Config;
use directory::Directories;
use group::Stdout;
use report::Report;
use shell::Shell;

export_tools! { end_session = forget, tools = [terminal] }

/// Runs a command in the shell and returns what it printed, its exit code and how long it took.
///
/// Standard output and standard error come as one text, without colours; of long output the head and the tail.
/// Standard input is closed, so a command that asks questions needs options that answer them. A `cd` holds for the
/// next call. An exit code other than 0 is not an error of the tool: read `exit_code` and `meaning`. When the command
/// ends or its time is over, everything it started is ended too, background processes included.
#[tool(
    title = "Terminal",
    toolset = "terminal",
    emoji = "💻",
    read_only = false,
    destructive,
    idempotent = false,
    open_world,
    parallel_safe = false,
    timeout = arg("timeout"),
    check = ready,
    examples(r#"{"command":"git status --short"}"#, r#"{"command":"make test","timeout":600,"workdir":"server"}"#)
)]
fn terminal(
    ctx: &Context,
    /// The command, as typed into the shell; it may have several lines.
    command: String,
    /// After how many seconds to end it: 1 to 600.
    #[default(180)]
    #[schemars(range(min = 1, max = 600))]
    timeout: u32,
    /// The directory for this one command, absolute or relative to where the last command ended.
    workdir: Option<String>,
    /// Give it a pseudo-terminal as its output, for programs that print otherwise without one. Its input is closed all
    /// the same.
    #[default(false)]
    pty: bool,
) -> Result<Report, ToolError> {
    let config = configured(&ctx.host())?;
    let request = Request {
        command: &command,
        timeout,
        workdir: workdir.as_deref(),
        stdout: if pty { Stdout::Terminal } else { Stdout::Pipe },
        task: if ctx.task().is_empty() { ctx.session() } else { ctx.task() },
        session: ctx.session(),
        remaining: ctx.remaining(),
    };
    call(&request, &config, &ctx.state::<Directories>(), &|| ctx.cancelled()).map_err(ToolError::from)
}

/// Can commands be run? The host asks now and then.
fn ready(host: &Host) -> Result<(), String> {
    let config = configured(host).map_err(|error| error.to_string())?;
    Shell::find(config.shell.as_deref()).map(drop).map_err(|error| error.to_string())
}

/// A session is over: nobody will ask for its directories.
fn forget(host: &Host, session: &str) {
    host.state::<Directories>().forget(session);
}

fn configured(host: &Host) -> Result<Config, ToolError> {
    let mut config: Config = host.config()?;
    config.root = config.root.map(|root| host.config_path(root)).transpose()?;
    config.check().map_err(|fault| ToolError::new(format!("plugins.terminal.config: {fault}")))
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        let error = ToolError::new(failure.to_string());
        match failure {
            Failure::Arguments(_) => error.with_error_type("invalid_arguments"),
            Failure::Start(_) => error,
            Failure::NoTime => error.with_error_type("timeout"),
            Failure::TimedOut(_, report) => with_report(error.with_error_type("timeout"), &report),
            Failure::Cancelled(report) => with_report(error.with_error_type("cancelled"), &report),
        }
    }
}

/// What was printed goes beside the message, because the host shortens long messages.
fn with_report(error: ToolError, report: &Report) -> ToolError {
    let Value::Object(fields) = json!(report) else { return error };
    fields.into_iter().fold(error, |error, (key, value)| error.with(key, value))
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    mod call;
    mod directory;
    mod output;
    #[cfg(target_os = "linux")]
    mod run;
    #[cfg(unix)]
    mod tool;
}
