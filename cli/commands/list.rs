//! `toolrack list`

use std::sync::Arc;

use serde_json::{Value, json};
use toolrack::{Diagnosis, Source, ToolEntry, path_bytes_hex};

use super::Outcome;
use crate::args::{Args, List};
use crate::output::{Output, remark};
use crate::table;
use crate::workspace::{Loaded, Workspace, findings};

pub(crate) fn run(args: &Args, command: &List, output: &mut Output) -> Outcome {
    let workspace = Workspace::open(args)?;
    let loaded = workspace.load()?;
    let rows = rows(&loaded, command);
    if let Some(toolset) = &command.toolset
        && rows.is_empty()
        && loaded.snapshot.tools_in(toolset).is_none()
    {
        return Err(no_such_toolset(toolset, &loaded));
    }
    if output.json {
        let tools: Vec<Value> = rows.iter().map(Row::to_json).collect();
        output.document(&json!({
            "generation": loaded.registry.generation(),
            "tools": tools,
            "rejected": loaded.report.rejected,
        }));
    } else if rows.is_empty() {
        remark(match &command.toolset {
            Some(toolset) => format!("no tools in the toolset `{toolset}`"),
            None => workspace.no_tools(),
        });
    } else {
        let mut table = table::table(&["tool", "toolset", "source", "state"], output);
        for row in &rows {
            table.add_row(row.cells());
        }
        output.line(table::text(&table));
    }
    Ok(findings(&loaded.report.rejected))
}

/// A line of the table: a tool that is there, is hidden, or would be there.
struct Row<'a> {
    name: &'a str,
    toolset: Option<&'a str>,
    source: RowSource<'a>,
    state: &'static str,
    reason: Option<String>,
}

enum RowSource<'a> {
    Known(&'a Source),
    /// A plugin that did not load.
    Failed(&'a Diagnosis),
}

fn rows<'a>(loaded: &'a Loaded, command: &List) -> Vec<Row<'a>> {
    let snapshot = &loaded.snapshot;
    let members = command.toolset.as_deref().map(|toolset| snapshot.tools_in(toolset).unwrap_or_default());
    let tools: Vec<&Arc<ToolEntry>> = members.unwrap_or_else(|| snapshot.tools().iter().collect());
    // What a model would be shown, and what is printed here, are found out in one place.
    let pass = loaded.registry.availability(tools.iter().copied());
    let mut rows: Vec<Row<'_>> = tools
        .into_iter()
        .zip(&pass.verdicts)
        .map(|(entry, verdict)| match verdict.reason() {
            None => Row::of(entry, "ready", None),
            Some(why) => Row::of(entry, "unavailable", Some(why.to_owned())),
        })
        .collect();
    if command.all {
        let wanted =
            |entry: &ToolEntry| command.toolset.as_deref().is_none_or(|toolset| entry.toolset() == toolset);
        for hidden in snapshot.hidden().iter().filter(|hidden| wanted(&hidden.entry)) {
            rows.push(Row::of(&hidden.entry, "hidden", Some(format!("by {}", hidden.by))));
        }
    }
    if command.toolset.is_none() {
        for (name, diagnosis) in snapshot.missing_tools().filter(|(name, _)| snapshot.get(name).is_none()) {
            let code = diagnosis.code.map(|code| format!("{code} ")).unwrap_or_default();
            rows.push(Row {
                name,
                toolset: None,
                source: RowSource::Failed(diagnosis),
                state: "failed",
                reason: Some(format!("{code}{}", diagnosis.reason)),
            });
        }
    }
    rows.sort_by(|a, b| a.name.cmp(b.name));
    rows
}

impl<'a> Row<'a> {
    fn of(entry: &'a ToolEntry, state: &'static str, reason: Option<String>) -> Self {
        Row {
            name: entry.name(),
            toolset: Some(entry.toolset()),
            source: RowSource::Known(&entry.source),
            state,
            reason,
        }
    }

    fn cells(&self) -> [String; 4] {
        let source = match self.source {
            RowSource::Known(source) => format!("{} {}", source.id.kind.as_str(), source.id.name),
            RowSource::Failed(diagnosis) => toolrack::escaped(diagnosis.path()).to_string(),
        };
        let state = match &self.reason {
            Some(reason) => format!("{}: {reason}", self.state),
            None => self.state.to_owned(),
        };
        [self.name.to_owned(), self.toolset.unwrap_or("-").to_owned(), source, state]
    }

    fn to_json(&self) -> Value {
        let (kind, name, path) = match self.source {
            RowSource::Known(source) => {
                (source.id.kind.as_str(), Some(source.id.name.to_string()), source.path.as_deref())
            }
            RowSource::Failed(diagnosis) => ("plugin", None, Some(diagnosis.path())),
        };
        let mut source = json!({
            "kind": kind,
            "name": name,
            "path": path.map(|path| toolrack::escaped(path).to_string()),
        });
        if let Some(bytes) = path.and_then(path_bytes_hex) {
            source["path_bytes"] = bytes.into();
        }
        json!({
            "name": self.name,
            "toolset": self.toolset,
            "source": source,
            "state": self.state,
            "reason": self.reason,
        })
    }
}

fn no_such_toolset(toolset: &str, loaded: &Loaded) -> Diagnosis {
    let snapshot = &loaded.snapshot;
    let mut known = snapshot.toolsets();
    known.extend(snapshot.toolset_aliases().map(|(alias, _)| alias));
    let near = toolrack::near_names(toolset, known.iter().copied());
    let help = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the toolsets are {}", known.join(", ")),
    };
    Diagnosis::uncoded(toolset, "no such toolset").help(help)
}
