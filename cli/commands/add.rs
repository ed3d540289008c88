//! `toolrack add PATH...`

mod source;

use std::path::{Path, PathBuf};

use serde_json::json;
use toolrack::open::{self, Limits};
use toolrack::probe::{Target, Verdict, probe};
use toolrack::{Admit, Code, Diagnosis, LoadedPlugin, path_bytes_hex};

use self::source::Source;
use super::Outcome;
use crate::args::{Add, Args};
use crate::drop_in::DropIn;
use crate::exit::Exit;
use crate::output::{Output, complain, remark};
use crate::workspace::{Loaded, Workspace};
use crate::{package, trial};

pub(crate) fn run(args: &Args, command: &Add, output: &mut Output) -> Outcome {
    let sources = command.paths.iter().map(|path| Source::of(path)).collect::<Result<Vec<_>, _>>()?;
    let workspace = Workspace::open(args)?;
    let folder = workspace.folders.folders.first().ok_or_else(no_folder)?;
    let limits = workspace.config.limits();
    let policy = Admit::new(&workspace.config.trust)?;
    let adding = Adding { args, command, folder, limits, policy };
    let mut dropped = Vec::new();
    let mut rejected = Vec::new();
    for (done, source) in sources.iter().enumerate() {
        if sources.len() > 1 && !args.json {
            remark(format!("[{}/{}] {}", done + 1, sources.len(), toolrack::escaped(source.path())));
        }
        match adding.add(source) {
            Ok(path) => dropped.push(path),
            Err(diagnosis) => rejected.push(diagnosis),
        }
    }
    let loaded = if dropped.is_empty() { None } else { Some(load(&workspace, &dropped)?) };
    let (added, more) = loaded.as_ref().map(|loaded| outcome(loaded, &dropped)).unwrap_or_default();
    if !args.json {
        // What loading rejects is in the log; what did not come so far is not.
        rejected.iter().for_each(|diagnosis| complain(false, diagnosis));
    }
    if !args.json {
        // In the log this is no warning, but whoever added the file has asked.
        more.iter().filter(|it| it.code == Some(Code::T1007)).for_each(|copy| remark(copy.to_string()));
    }
    rejected.extend(more);
    report(&added, &rejected, output);
    Ok(if rejected.iter().all(|it| it.code == Some(Code::T1007)) { Exit::Done } else { Exit::Findings })
}

/// What is the same for each path.
struct Adding<'a> {
    args: &'a Args,
    command: &'a Add,
    folder: &'a Path,
    limits: Limits,
    policy: Admit,
}

impl Adding<'_> {
    /// Builds what is to be built, checks the library, and drops it into the folder under its own name.
    fn add(&self, source: &Source) -> Result<PathBuf, Diagnosis> {
        let library = match source {
            Source::Package(path) => package::build(path, &self.command.profile)?,
            Source::Library(path) => path.clone(),
        };
        let opened = open::regular(&library, &self.limits)?;
        match probe(&opened, Target::host()).verdict {
            Verdict::Plugin => {}
            Verdict::Rejected(finding) => return Err(finding.at(&library)),
            Verdict::Other(hint) => return Err(no_plugin(&library, hint.map(|hint| hint.at(&library)))),
        }
        let drop_in = DropIn::copy(&opened, self.folder)?;
        self.policy.by_name(drop_in.target())?;
        trial::run(self.args, drop_in.path(), &library, self.command.patience)?;
        drop_in.finish()
    }
}

fn no_plugin(library: &Path, hint: Option<Diagnosis>) -> Diagnosis {
    hint.unwrap_or_else(|| {
        Diagnosis::uncoded(library, "the library is no plugin: it does not define `register_tools`")
            .help("write `toolrack_plugin::export_tools![...]` in it, and build it as a cdylib")
    })
}

fn no_folder() -> Diagnosis {
    Diagnosis::uncoded("tools", "the configuration names no tools folder")
        .help("name one with `--tools DIR`, or under `tools` in `toolrack.toml`")
}

/// Loads the folders; again, if another `add` replaced a file just now.
fn load(workspace: &Workspace, dropped: &[PathBuf]) -> Result<Loaded, Diagnosis> {
    let mut loaded = workspace.load()?;
    for _ in 0..3 {
        let (_, rejected) = outcome(&loaded, dropped);
        if !rejected.iter().any(|it| it.code == Some(Code::T1006)) {
            break;
        }
        loaded = workspace.load()?;
    }
    Ok(loaded)
}

/// What became of the files that were dropped in.
fn outcome<'a>(loaded: &'a Loaded, dropped: &[PathBuf]) -> (Vec<&'a LoadedPlugin>, Vec<Diagnosis>) {
    let ours = |path: &Path| dropped.iter().any(|dropped| dropped == path);
    let added = loaded.report.loaded.iter().filter(|plugin| ours(&plugin.path)).collect();
    let rejected = loaded.report.rejected.iter().filter(|it| ours(it.path())).cloned().collect();
    (added, rejected)
}

fn report(added: &[&LoadedPlugin], rejected: &[Diagnosis], output: &mut Output) {
    if output.json {
        let added: Vec<_> = added
            .iter()
            .map(|plugin| {
                let mut object = json!({
                    "path": toolrack::escaped(&plugin.path).to_string(),
                    "plugin": plugin.name,
                    "version": plugin.version,
                    "tools": plugin.tools,
                });
                if let Some(bytes) = path_bytes_hex(&plugin.path) {
                    object["path_bytes"] = bytes.into();
                }
                object
            })
            .collect();
        output.document(&json!({ "added": added, "rejected": rejected }));
        return;
    }
    for plugin in added {
        let path = toolrack::escaped(&plugin.path);
        output.line(format!("added {} {} as `{path}`", plugin.name, plugin.version));
        for tool in &plugin.tools {
            output.line(format!("  {tool}"));
        }
    }
}
