//! `toolrack completions SHELL`

use clap::CommandFactory as _;

use super::Outcome;
use crate::args::{Args, Completions};
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(command: &Completions, output: &mut Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Args::command(), "toolrack", &mut script);
    output.line(String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
