//! `toolrack inspect PLUGIN`

use std::path::Path;

use serde_json::{Value, json};
use toolrack::open::Limits;
use toolrack::probe::{FileProbe, Target, probe_file};
use toolrack::{Diagnosis, LoadedPlugin, near_names, path_bytes_hex};

use super::Outcome;
use crate::args::{Args, Inspect};
use crate::output::Output;
use crate::workspace::{Loaded, Workspace, findings};

pub(crate) fn run(args: &Args, command: &Inspect, output: &mut Output) -> Outcome {
    let workspace = Workspace::open(args)?;
    let loaded = workspace.load()?;
    let name = &command.plugin;
    let plugin = match find(&loaded, name) {
        Some(plugin) => of_loaded(plugin, &loaded),
        None => {
            let limits = workspace.config.limits();
            of_file(&path_of(&loaded, name).ok_or_else(|| unknown(name, &loaded))?, &loaded, &limits)
        }
    };
    let exit = findings(&plugin.diagnoses);
    if output.json {
        output.document(&plugin.to_json());
    } else {
        output.line(plugin.to_text());
    }
    Ok(exit)
}

/// What there is to say of a plugin, loaded or not.
struct Plugin {
    path: std::path::PathBuf,
    name: Option<String>,
    version: Option<String>,
    abi: Option<[u16; 2]>,
    rustc: Option<String>,
    sha256: Option<String>,
    tools: Vec<Value>,
    diagnoses: Vec<Diagnosis>,
}

fn find<'a>(loaded: &'a Loaded, name: &Path) -> Option<&'a LoadedPlugin> {
    let by_name = |plugin: &&LoadedPlugin| Path::new(&plugin.name) == name;
    let by_path = |plugin: &&LoadedPlugin| same_file(&plugin.path, name);
    loaded.report.loaded.iter().find(by_name).or_else(|| loaded.report.loaded.iter().find(by_path))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The path of a file that is not loaded: one that was rejected, by its path or by the plugin's name in its
/// manifest, or any file that is there.
fn path_of(loaded: &Loaded, name: &Path) -> Option<std::path::PathBuf> {
    let rejected = loaded.report.rejected.iter().map(|diagnosis| diagnosis.path());
    let limits = Limits::default();
    let manifest_name =
        |path: &Path| probe_file(path, &limits, Target::host()).probe?.manifest.map(|it| it.name);
    rejected
        .into_iter()
        .find(|path| manifest_name(path).is_some_and(|found| Path::new(&found) == name))
        .map(Path::to_owned)
        .or_else(|| name.symlink_metadata().is_ok().then(|| name.to_owned()))
}

fn of_loaded(plugin: &LoadedPlugin, loaded: &Loaded) -> Plugin {
    let of_this = |path: Option<&Path>| path == Some(&plugin.path);
    let visible = loaded.snapshot.tools().iter().map(|entry| &**entry);
    let hidden = loaded.snapshot.hidden().iter().map(|hidden| &*hidden.entry);
    let mut tools: Vec<_> =
        visible.chain(hidden).filter(|entry| of_this(entry.source.path.as_deref())).collect();
    tools.sort_by(|a, b| a.name().cmp(b.name()));
    Plugin {
        path: plugin.path.clone(),
        name: Some(plugin.name.clone()),
        version: Some(plugin.version.clone()),
        abi: Some(plugin.abi),
        rustc: Some(plugin.rustc.clone()),
        sha256: Some(plugin.sha256.clone()),
        tools: tools.into_iter().map(|entry| entry.description.to_json()).collect(),
        diagnoses: diagnoses_of(&plugin.path, loaded),
    }
}

/// A file that is not in the table: what can be said without running it.
fn of_file(path: &Path, loaded: &Loaded, limits: &Limits) -> Plugin {
    let FileProbe { probe, diagnosis, .. } = probe_file(path, limits, Target::host());
    let mut diagnoses = diagnoses_of(path, loaded);
    if diagnoses.is_empty() {
        diagnoses.extend(diagnosis);
    }
    let manifest = probe.as_ref().and_then(|probe| probe.manifest.as_ref());
    let stamp = probe.as_ref().and_then(|probe| probe.stamp.as_ref());
    let tools = manifest.map(|manifest| serde_json::to_value(&manifest.tools).unwrap_or_default());
    Plugin {
        path: path.to_owned(),
        name: manifest.map(|manifest| manifest.name.clone()),
        version: manifest.map(|manifest| manifest.version.clone()),
        abi: stamp.map(|stamp| stamp.abi),
        rustc: stamp.map(|stamp| stamp.rustc.clone()),
        sha256: None,
        tools: tools.and_then(|tools| tools.as_array().cloned()).unwrap_or_default(),
        diagnoses,
    }
}

fn diagnoses_of(path: &Path, loaded: &Loaded) -> Vec<Diagnosis> {
    loaded.report.rejected.iter().filter(|diagnosis| same_file(diagnosis.path(), path)).cloned().collect()
}

impl Plugin {
    fn to_json(&self) -> Value {
        let mut object = json!({
            "path": toolrack::escaped(&self.path).to_string(),
            "plugin": self.name,
            "version": self.version,
            "abi": self.abi.map(|[major, minor]| format!("{major}.{minor}")),
            "rustc": self.rustc,
            "sha256": self.sha256,
            "tools": self.tools,
            "diagnoses": self.diagnoses,
        });
        if let Some(bytes) = path_bytes_hex(&self.path) {
            object["path_bytes"] = bytes.into();
        }
        object
    }

    fn to_text(&self) -> String {
        let mut lines = Vec::new();
        let mut field = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                lines.push(format!("{name:<9}{value}"));
            }
        };
        field("plugin", self.name.clone());
        field("version", self.version.clone());
        field("file", Some(toolrack::escaped(&self.path).to_string()));
        field("abi", self.abi.map(|[major, minor]| format!("{major}.{minor}")));
        field("rustc", self.rustc.clone());
        field("sha256", self.sha256.clone());
        for tool in &self.tools {
            lines.push(String::new());
            lines.push(tool_text(tool));
        }
        for diagnosis in &self.diagnoses {
            lines.push(format!("\n{diagnosis}"));
        }
        lines.join("\n")
    }
}

fn tool_text(tool: &Value) -> String {
    let text = |key: &str| tool[key].as_str().unwrap_or_default();
    let emoji = match text("emoji") {
        "" => String::new(),
        emoji => format!("{emoji} "),
    };
    let mut lines = vec![format!("{emoji}{} [{}]", text("name"), text("toolset"))];
    let said: Vec<String> = ["read_only", "destructive", "idempotent", "open_world"]
        .into_iter()
        .filter_map(|hint| tool[hint].as_bool().map(|yes| format!("{}{hint}", if yes { "" } else { "not " })))
        .collect();
    if !said.is_empty() {
        lines.push(format!("  {}", said.join(", ")));
    }
    lines.extend(text("description").lines().map(|line| format!("  {line}").trim_end().to_owned()));
    if let Some(properties) = tool["schema"]["properties"].as_object() {
        let required = |name: &str| {
            tool["schema"]["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name))
        };
        for (name, schema) in properties {
            let kind = schema["type"].as_str().map(|kind| format!(" ({kind})")).unwrap_or_default();
            let mark = if required(name) { ", required" } else { "" };
            let about = schema["description"].as_str().map(|text| format!(": {text}")).unwrap_or_default();
            lines.push(format!("    {name}{kind}{mark}{}", about.replace('\n', " ")));
        }
    }
    lines.join("\n")
}

fn unknown(name: &Path, loaded: &Loaded) -> Diagnosis {
    let known = loaded.report.loaded.iter().map(|plugin| plugin.name.as_str());
    let near = near_names(&name.to_string_lossy(), known.clone());
    let known: Vec<&str> = known.collect();
    let help = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => {
            "no plugin is loaded; `toolrack add PATH` puts one into the folder".to_owned()
        }
        None => format!("the plugins are {}", known.join(", ")),
    };
    Diagnosis::uncoded(name, "no plugin of that name, and no such file").help(help)
}
