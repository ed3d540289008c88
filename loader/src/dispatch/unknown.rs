//! The answer to a call of what is not there.

use crate::answer::{Answer, ErrorType, Failure};
use crate::near::near_names;
use crate::registry::Snapshot;
use crate::session::{Door, hint};

/// Names what was called, near names of the caller's own, and a failed plugin that would have brought it.
pub(super) fn answer(door: Door<'_>, name: &str) -> Answer {
    let (snapshot, near) = match door {
        Door::Host(registry) => {
            let snapshot = registry.snapshot();
            let near = owned(near_names(name, snapshot.names()));
            (snapshot, near)
        }
        Door::Session(session) => {
            let near = owned(near_names(name, session.tools().map(|entry| entry.name())));
            (session.snapshot().clone(), near)
        }
    };
    let shown: String = name.chars().take(100).collect();
    let shown = crate::escaped(std::path::Path::new(&shown)).to_string();
    let mut message = format!("Unknown tool `{shown}`{}", hint(&near));
    if let Some(why) = missing(&snapshot, name) {
        message.push_str(&why);
    }
    let failure = Failure::new(ErrorType::UnknownTool, message);
    if near.is_empty() { failure.into() } else { failure.with("near", near).into() }
}

fn missing(snapshot: &Snapshot, name: &str) -> Option<String> {
    let diagnosis = snapshot.missing(name)?;
    let code = diagnosis.code.map(|code| format!("{code}, ")).unwrap_or_default();
    Some(format!(
        "; the plugin that brings it is not loaded: {code}`{}`: {}",
        crate::escaped(&diagnosis.path),
        diagnosis.reason
    ))
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}
