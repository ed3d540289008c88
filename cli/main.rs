//! The program `toolrack`: what people type, and the child processes that the library starts.

mod args;
mod commands;
mod drop_in;
mod exit;
mod logging;
mod output;
mod package;
mod progress;
mod real_stdout;
mod table;
mod trial;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(e) => return exit::usage(&e),
    };
    logging::start();
    commands::run(&args).into()
}
