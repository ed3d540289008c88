//! `toolrack explain CODE`

use serde_json::json;
use toolrack::{Code, Diagnosis, Explanation};

use super::Outcome;
use crate::args::Explain;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(command: &Explain, output: &mut Output) -> Outcome {
    let code: Code = command.code.parse().map_err(|_| unknown(&command.code))?;
    let Explanation { cause, example, remedy } = toolrack::explain(code);
    if output.json {
        output.document(&json!({
            "code": code, "title": code.title(), "cause": cause, "example": example, "remedy": remedy,
        }));
    } else {
        output.line(format!(
            "{code}: {}\n\nCause\n{}\n\nExample\n{}\n\nRemedy\n{}",
            code.title(),
            indented(cause),
            indented(example),
            indented(remedy)
        ));
    }
    Ok(Exit::Done)
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn unknown(text: &str) -> Diagnosis {
    let near = toolrack::near_names(&text.to_ascii_uppercase(), Code::ALL.iter().map(|code| code.as_str()));
    let help = match near.as_slice() {
        [] => format!("codes go from {} to {}", Code::ALL[0], Code::ALL[Code::ALL.len() - 1]),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    Diagnosis::uncoded(text, "no such code").help(help)
}
