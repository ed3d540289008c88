//! What a tool says of itself at the moment, among the others that are there.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answer::{FOR_LOG, shorten};
use crate::tool::{Description, JsonText, ToolEntry};

impl ToolEntry {
    /// The description with what the tool overrides at the moment; asked each time. The name stays; if the tool
    /// cannot say, the description is as it was registered, and a warning logged.
    pub fn current_description(&self) -> Cow<'_, Description> {
        if self.description.dynamic {
            self.description_with(&self.overrides())
        } else {
            Cow::Borrowed(&self.description)
        }
    }

    /// What a dynamic tool overrides at the moment: the text of a JSON object, or an empty one.
    pub(super) fn overrides(&self) -> String {
        let said = catch_unwind(AssertUnwindSafe(|| self.handler.overrides())).unwrap_or_else(|payload| {
            // A payload may panic when it is dropped; nobody needs it.
            std::mem::forget(payload);
            Err("it panicked".to_owned())
        });
        said.unwrap_or_else(|why| {
            self.warn(&why);
            String::new()
        })
    }

    pub(super) fn description_with(&self, overrides: &str) -> Cow<'_, Description> {
        let overrides = overrides.trim();
        if overrides.is_empty() {
            return Cow::Borrowed(&self.description);
        }
        overridden(&self.description, overrides).map(Cow::Owned).unwrap_or_else(|why| {
            self.warn(&why);
            Cow::Borrowed(&self.description)
        })
    }

    fn warn(&self, why: &str) {
        log::warn!("tool `{}`: its overrides do not count: {}", self.name(), shorten(why, FOR_LOG));
    }
}

/// The description with the keys of `text` in the place of its own.
fn overridden(known: &Description, text: &str) -> Result<Description, String> {
    let overrides: BTreeMap<String, JsonText> =
        serde_json::from_str(text).map_err(|e| format!("they are no JSON object: {e}"))?;
    let mut new = known.clone();
    for (key, value) in overrides {
        match key.as_str() {
            "description" => new.description = read(&key, &value)?,
            "title" => new.title = read(&key, &value)?,
            "schema" => {
                // The rules of a registration hold here too.
                let checked = Description::new(&known.name, &known.toolset, "", value.get());
                new.schema = checked.map_err(|invalid| invalid.fault)?.schema;
            }
            "output_schema" => new.output_schema = read(&key, &value)?,
            "read_only" => new.read_only = read(&key, &value)?,
            "destructive" => new.destructive = read(&key, &value)?,
            "idempotent" => new.idempotent = read(&key, &value)?,
            "open_world" => new.open_world = read(&key, &value)?,
            "hints" | "examples" => _ = new.extra.insert(key, value),
            // Not what a model is shown.
            _ => log::debug!("tool `{}`: `{}` cannot be overridden", known.name, key.escape_debug()),
        }
    }
    Ok(new)
}

fn read<T: DeserializeOwned>(key: &str, value: &JsonText) -> Result<T, String> {
    serde_json::from_str(value.get()).map_err(|e| format!("`{key}`: {e}"))
}

/// Text that is shown only where these tools are.
#[derive(Deserialize)]
struct Hint {
    tools: Vec<String>,
    text: String,
}

/// Whether the tool has hints at all.
pub(super) fn has_hints(tool: &Description) -> bool {
    tool.extra.contains_key("hints")
}

/// Adds to the tool's description the hints whose tools are all `present`.
pub(super) fn with_hints<'a>(tool: &'a Description, present: &BTreeSet<&str>) -> Cow<'a, Description> {
    let Some(text) = tool.extra.get("hints") else { return Cow::Borrowed(tool) };
    let hints: Vec<Hint> = serde_json::from_str(text.get()).unwrap_or_else(|e| {
        log::warn!("tool `{}`: its hints do not count: {e}", tool.name);
        Vec::new()
    });
    let fits = |hint: &Hint| hint.tools.iter().all(|name| present.contains(name.as_str()));
    let texts: Vec<String> = hints.into_iter().filter(fits).map(|hint| hint.text).collect();
    if texts.is_empty() {
        return Cow::Borrowed(tool);
    }
    let mut told = tool.clone();
    told.description =
        format!("{}\n\n{}", tool.description.trim_end(), texts.join(" ")).trim_start().to_owned();
    Cow::Owned(told)
}
