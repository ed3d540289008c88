//! `toolrack child FILE`: loads one library in this process, which may not survive it, and tells what came of it.
//!
//! Its result is complete or not there: whoever started it believes one JSON document on standard output, not an
//! exit status, since a library can end the process with any.

use std::path::absolute;

use serde_json::json;
use toolrack::Diagnosis;

use super::Outcome;
use crate::args::{Args, Child};
use crate::exit::Exit;
use crate::output::Output;
use crate::workspace::Workspace;

pub(crate) fn run(args: &Args, command: &Child, output: &mut Output) -> Outcome {
    let path = absolute(&command.path)
        .map_err(|e| Diagnosis::uncoded(&command.path, "is no path of a file").caused_by(e))?;
    let mut workspace = Workspace::open(args)?;
    // The library lies under a name for the time being; whoever started this has asked the patterns about its last.
    workspace.config.trust.allow.clear();
    workspace.config.trust.deny.clear();
    let (registry, loader) = workspace.loader()?;
    let report = loader.load_files(&[path], &mut |_| {});
    let tools: Vec<_> = registry.snapshot().tools().iter().map(|entry| entry.description.to_json()).collect();
    output.document(&json!({ "tools": tools, "rejected": report.rejected, "others": report.others }));
    Ok(Exit::Done)
}
