//! `toolrack definitions --for PROVIDER`

use toolrack::{Profile, Provider as Shape, Selection};

use super::Outcome;
use crate::args::{Args, Definitions, Provider};
use crate::exit::Exit;
use crate::output::{Output, remark};
use crate::workspace::Workspace;

/// Providers refuse or degrade past this many.
const MANY_TOOLS: usize = 128;

pub(crate) fn run(args: &Args, command: &Definitions, output: &mut Output) -> Outcome {
    let loaded = Workspace::open(args)?.load()?;
    let selection = Selection { enabled: command.toolsets.clone(), disabled: command.disable.clone() };
    let session = loaded.registry.session(&selection);
    let shape = match command.provider {
        Provider::Openai => Shape::OpenAi,
        Provider::Responses => Shape::Responses,
        Provider::Anthropic => Shape::Anthropic,
        Provider::Gemini => Shape::Gemini,
        Provider::Mcp => Shape::Mcp,
    };
    let profile = Profile::from(shape);
    let definitions = session.definitions(if command.strict { profile.strict() } else { profile });
    output.line(&definitions.json);
    if command.tokens {
        remark(format!("{} tools, about {} tokens", definitions.count, definitions.estimated_tokens()));
    }
    if command.strict && !matches!(command.provider, Provider::Openai | Provider::Responses) {
        remark(format!("warning: {shape} has no strict mode; the definitions are as without --strict"));
    }
    if definitions.count > MANY_TOOLS {
        remark(format!(
            "warning: {} tools; providers take at most {MANY_TOOLS}, and models choose badly among so many: \
             narrow them with --toolsets or --disable",
            definitions.count
        ));
    }
    let clean = session.unknown_names().is_empty() && definitions.dropped.is_empty();
    Ok(if clean { Exit::Done } else { Exit::Findings })
}
