//! The log, on standard error.

use std::io::{self, IsTerminal as _, Write as _};

use env_logger::fmt::style::{AnsiColor, Style};
use env_logger::{Target, WriteStyle};

use crate::progress::BesideBar;

/// What is logged unless `RUST_LOG` says otherwise. Dispatch warns of calls that fail, and those have an answer.
const DEFAULT: &str = "warn,toolrack::dispatch=error";

/// Starts the log.
pub(crate) fn start() {
    let filter = std::env::var("RUST_LOG").ok().filter(|filter| !filter.trim().is_empty());
    let mut builder = env_logger::Builder::new();
    builder.parse_filters(filter.as_deref().unwrap_or(DEFAULT));
    if let Ok(style) = std::env::var("RUST_LOG_STYLE") {
        builder.parse_write_style(&style);
    }
    if io::stderr().is_terminal() {
        builder.target(Target::Pipe(Box::new(BesideBar)));
        // Of a pipe, which this is to the logger, it would think that nobody sees colours.
        if std::env::var_os("RUST_LOG_STYLE").is_none() {
            builder.write_style(if wants_colour() { WriteStyle::Always } else { WriteStyle::Never });
        }
    }
    let whole = std::env::var_os("RUST_BACKTRACE").is_some_and(|set| set != "0");
    builder
        .format(move |out, record| {
            let text = record.args().to_string();
            let text = if whole { &text } else { without_backtrace(&text) };
            let (word, colour) = match record.level() {
                log::Level::Error => ("error", AnsiColor::Red),
                log::Level::Warn => ("warning", AnsiColor::Yellow),
                log::Level::Info => ("info", AnsiColor::Green),
                log::Level::Debug => ("debug", AnsiColor::Blue),
                log::Level::Trace => ("trace", AnsiColor::Cyan),
            };
            let style = Style::new().bold().fg_color(Some(colour.into()));
            // The target tells plugins apart; the host's own messages name what they are of.
            match record.target() {
                target if target.starts_with("toolrack") => {
                    writeln!(out, "{style}{word}{style:#}: {text}")
                }
                target => writeln!(out, "{style}{word}{style:#}: [{target}] {text}"),
            }
        })
        .init();
}

/// The text of a panic without the pages below it, for those who did not ask for them.
fn without_backtrace(text: &str) -> &str {
    text.split_once("\nbacktrace:\n").map_or(text, |(text, _)| text)
}

fn wants_colour() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|terminal| terminal != "dumb")
}
