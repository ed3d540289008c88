//! The log, on standard error.

use std::io::Write as _;

use env_logger::fmt::style::{AnsiColor, Style};

/// Starts the log: warnings and worse, or what `RUST_LOG` says.
pub(crate) fn start() {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn"))
        .format(|out, record| {
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
                    writeln!(out, "{style}{word}{style:#}: {}", record.args())
                }
                target => writeln!(out, "{style}{word}{style:#}: [{target}] {}", record.args()),
            }
        })
        .init();
}
