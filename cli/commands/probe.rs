//! `toolrack probe PATH...`

use std::path::Path;

use serde_json::json;
use toolrack::probe::{FileProbe, Target, probe_paths_with};
use toolrack::{Code, Config, process_env};

use super::Outcome;
use crate::args::{Args, Probe};
use crate::exit::Exit;
use crate::output::{Output, complain, remark};
use crate::progress::Bar;
use crate::table;

pub(crate) fn run(args: &Args, command: &Probe, output: &mut Output) -> Outcome {
    let config = Config::find(args.config.as_deref(), &process_env)?;
    let limits = config.limits();
    let mut bar = Bar::new("probing");
    let mut progress = |done, total, path: &Path| bar.at(done, total, path);
    let probes = probe_paths_with(&command.paths, &limits, Target::host(), &mut progress);
    drop(bar);
    for missing in &probes.missing {
        complain(args.json, missing);
    }
    if output.json {
        output.document(&json!({ "files": probes.files }));
    } else if probes.files.is_empty() && probes.missing.is_empty() {
        remark("no libraries there");
    } else {
        show(&probes.files, output);
    }
    Ok(match probes.missing.is_empty() {
        true if probes.files.iter().any(is_finding) => Exit::Findings,
        true => Exit::Done,
        false => Exit::Nothing,
    })
}

/// A hint beside `other` is none, nor is a second copy.
fn is_finding(file: &FileProbe) -> bool {
    file.verdict() == "rejected" && file.code() != Some(Code::T1007)
}

fn show(files: &[FileProbe], output: &mut Output) {
    let mut table = table::table(&["file", "verdict", "what"], output);
    for file in files {
        let what = match (&file.diagnosis, file.probe.as_ref().and_then(|probe| probe.manifest.as_ref())) {
            (Some(diagnosis), _) => {
                let code = diagnosis.code.map(|code| format!("{code} ")).unwrap_or_default();
                let help = diagnosis.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
                format!("{code}{}{help}", diagnosis.reason)
            }
            (None, Some(manifest)) => {
                let tools: Vec<&str> = manifest.tools.iter().map(|tool| tool.name.as_str()).collect();
                format!("{} {}: {}", manifest.name, manifest.version, tools.join(", "))
            }
            (None, None) => String::new(),
        };
        table.add_row([toolrack::escaped(&file.path).to_string(), file.verdict().to_owned(), what]);
    }
    if !files.is_empty() {
        output.line(table::text(&table));
    }
}
