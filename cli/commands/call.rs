//! `toolrack call NAME [JSON|-]`

use std::io::Read as _;

use toolrack::{Call as Circumstances, Diagnosis, ErrorType};

use super::Outcome;
use crate::args::{Args, Call};
use crate::exit::Exit;
use crate::output::{Output, remark};
use crate::workspace::Workspace;

/// The largest arguments that are read from standard input.
const MAX_ARGUMENTS: u64 = 64 << 20;

pub(crate) fn run(args: &Args, command: &Call, output: &mut Output) -> Outcome {
    let arguments = match command.arguments.as_str() {
        "-" => from_stdin()?,
        text => text.to_owned(),
    };
    let workspace = Workspace::open(args)?;
    let loaded = workspace.load()?;
    let call = Circumstances::new().session("cli").task("cli");
    // A person, or a program behind a pipe, wants the result itself: only the hard cap holds. How much may go in was
    // decided above.
    let mut policy = loaded.registry.dispatch_policy();
    policy.max_argument_bytes = usize::MAX;
    policy.budget.max_result_chars = Some(u64::MAX);
    loaded.registry.set_dispatch_policy(policy);
    let answer = loaded.registry.call(&command.name, &arguments, &call);
    output.text(answer.as_str());
    if answer.error == Some(ErrorType::UnknownTool) && loaded.snapshot.tools().is_empty() && !args.json {
        remark(workspace.no_tools());
    }
    Ok(match answer.error {
        None => Exit::Done,
        Some(ErrorType::UnknownTool) => Exit::Nothing,
        Some(_) => Exit::Findings,
    })
}

fn from_stdin() -> Result<String, Diagnosis> {
    let mut text = String::new();
    std::io::stdin().lock().take(MAX_ARGUMENTS + 1).read_to_string(&mut text).map_err(|e| {
        Diagnosis::uncoded("stdin", "the arguments could not be read")
            .caused_by(e)
            .help("give them as JSON text")
    })?;
    if text.len() as u64 > MAX_ARGUMENTS {
        return Err(Diagnosis::uncoded(
            "stdin",
            format!("the arguments are larger than {MAX_ARGUMENTS} bytes"),
        ));
    }
    Ok(text)
}
