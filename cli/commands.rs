//! The commands, one a file.

mod add;
mod call;
mod child;
mod completions;
mod definitions;
mod explain;
mod inspect;
mod list;
mod probe;

use crate::args::{Args, Command};
use crate::exit::Exit;
use crate::output::{Output, complain};

/// Runs the command that was given.
pub(crate) fn run(args: &Args) -> Exit {
    let mut output = match Output::take(args.json) {
        Ok(output) => output,
        Err(e) => {
            let reason = "standard output can not be put aside for libraries that print";
            complain(args.json, &toolrack::Diagnosis::uncoded("stdout", reason).caused_by(e));
            return Exit::Nothing;
        }
    };
    let result = match &args.command {
        Command::Add(command) => add::run(args, command, &mut output),
        Command::List(command) => list::run(args, command, &mut output),
        Command::Call(command) => call::run(args, command, &mut output),
        Command::Probe(command) => probe::run(args, command, &mut output),
        Command::Inspect(command) => inspect::run(args, command, &mut output),
        Command::Definitions(command) => definitions::run(args, command, &mut output),
        Command::Explain(command) => explain::run(command, &mut output),
        Command::Completions(command) => completions::run(command, &mut output),
        Command::Child(command) => child::run(args, command, &mut output),
    };
    match result {
        Ok(_) if output.failed => Exit::Findings,
        Ok(exit) => exit,
        Err(diagnosis) => {
            complain(args.json, &diagnosis);
            Exit::Nothing
        }
    }
}

/// What a command comes to; an error is why it did not come to its work.
pub(crate) type Outcome = Result<Exit, toolrack::Diagnosis>;
