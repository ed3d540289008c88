//! How much of a result a model is shown. Sizes are in Unicode scalar values.

mod readable;
mod spill;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::name;
use super::steps::Over;
use crate::answer::{Output, OutputKind};
use crate::source::SourceKind;
use crate::tool::{MaxResultSize, ToolEntry};

/// What is shown where nobody says otherwise.
const DEFAULT: u64 = 100_000;

/// The same of an MCP server's tools.
const DEFAULT_MCP: u64 = 50_000;

/// What nobody can lift.
const HARD_CAP: u64 = 2_000_000;

/// A model of few tokens is shown this much all the same.
const FLOOR: u64 = 8_000;

/// What is shown of a result that is too large: of its head, and of its tail.
const HEAD: usize = 1_000;
const TAIL: usize = 500;

/// How many bytes an image may have. They count apart from the text.
const MAX_IMAGE: usize = 5_000_000;

/// How large results may be, and where they go that are larger.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Budget {
    /// Limits of single tools, which stand above everything else.
    pub pinned: BTreeMap<String, MaxResultSize>,
    /// A limit for all others.
    pub max_result_chars: Option<u64>,
    /// How many tokens the model's context has: results get 15 % of it, at four characters a token.
    pub context_tokens: Option<u64>,
    /// The folder where the whole text of a large result goes, if any.
    pub spill: Option<PathBuf>,
}

impl Budget {
    /// How large a result of the tool may be: pinned, else configured, else the tool's own, which is at most the
    /// default unless it is unlimited, else the default. Never above the hard cap of 2,000,000.
    pub fn limit(&self, tool: &ToolEntry) -> u64 {
        self.limit_of(tool.name(), tool.source.id.kind, tool.description.max_result_size_chars)
    }

    fn limit_of(&self, name: &str, kind: SourceKind, own: Option<MaxResultSize>) -> u64 {
        let for_context = self
            .context_tokens
            .map_or(u64::MAX, |tokens| (u128::from(tokens) * 4 * 15 / 100).try_into().unwrap_or(u64::MAX))
            .max(FLOOR);
        let default = if kind == SourceKind::Mcp { DEFAULT_MCP } else { DEFAULT };
        let limit = match (self.pinned.get(name), self.max_result_chars, own) {
            (Some(MaxResultSize::Chars(pinned)), _, _) => *pinned,
            (Some(MaxResultSize::Unlimited), _, _) => HARD_CAP,
            (None, Some(configured), _) => configured.min(for_context),
            (None, None, Some(MaxResultSize::Unlimited)) => HARD_CAP,
            (None, None, Some(MaxResultSize::Chars(own))) => own.min(default).min(for_context),
            (None, None, None) => default.min(for_context),
        };
        limit.min(HARD_CAP)
    }
}

/// The result, or what a model is shown of it. Errors never come here: they are shortened, not put away.
pub(super) fn apply(budget: &Budget, over: &Over<'_>, output: Output) -> Output {
    // A tool that calls another wants the result itself: the model is shown what comes of it.
    let limit = if over.call.depth > 0 { HARD_CAP } else { budget.limit(over.tool) };
    match output.kind {
        OutputKind::Blocks => of_blocks(budget, over, output, limit),
        _ if is_within(&output.body, limit) => output,
        kind => {
            let text = match kind {
                OutputKind::Json => readable::lines(&output.body),
                _ => output.body.to_string(),
            };
            let shown = put_away(budget, over, &text, limit);
            Output { kind: OutputKind::Text, body: shown.into(), structured: None, meta: output.meta }
        }
    }
}

fn is_within(text: &str, limit: u64) -> bool {
    text.len() as u64 <= limit || text.chars().count() as u64 <= limit
}

/// Writes the whole text into a file; gives what is shown in its place.
fn put_away(budget: &Budget, over: &Over<'_>, text: &str, limit: u64) -> String {
    let total = text.chars().count();
    let kept = budget.spill.as_deref().and_then(|folder| {
        spill::write(folder, over.tool.name(), text)
            .inspect_err(|e| {
                log::warn!("a large result could not be written into `{}`: {e}", crate::escaped(folder))
            })
            .ok()
    });
    let can_read = || name::find(over.door, "read_file").is_some();
    let place = match kept.filter(|_| can_read()) {
        Some(path) => format!(
            "The whole text is in `{}`: read parts of it with read_file, or find lines with search_files.",
            crate::escaped(&path)
        ),
        None => "Ask for less at a time.".to_owned(),
    };
    let (head, tail) = readable::ends(text, HEAD, TAIL);
    let left_out = total - head.chars().count() - tail.chars().count();
    format!(
        "[The result has {total} characters, more than the {limit} that are shown at once. {place}]\n\n\
         {head}\n[... {left_out} characters left out ...]\n{tail}"
    )
}

/// Text of blocks counts together; an image stands for itself.
fn of_blocks(budget: &Budget, over: &Over<'_>, output: Output, limit: u64) -> Output {
    // Most are small, and then nothing is parsed: a character has at least one byte.
    if output.body.len() as u64 <= limit.min(MAX_IMAGE as u64) {
        return output;
    }
    let Ok(blocks) = serde_json::from_str::<Vec<Value>>(&output.body) else {
        let shown = put_away(budget, over, &output.body, limit);
        return Output { kind: OutputKind::Text, body: shown.into(), structured: None, meta: output.meta };
    };
    let mut changed = false;
    let mut texts = String::new();
    let mut others = Vec::new();
    for block in &blocks {
        match text_of(block) {
            Some(text) => {
                if !texts.is_empty() {
                    texts.push('\n');
                }
                texts.push_str(text);
            }
            None => match encoded(block).filter(|data| data.len() / 4 * 3 > MAX_IMAGE) {
                Some(data) => {
                    changed = true;
                    let bytes = data.len() / 4 * 3;
                    let text = format!("[left out: a file of {bytes} bytes, more than {MAX_IMAGE}]");
                    others.push(json!({"type": "text", "text": text}));
                }
                None => others.push(block.clone()),
            },
        }
    }
    let shown = if is_within(&texts, limit) {
        if !changed {
            return output;
        }
        (!texts.is_empty()).then_some(texts)
    } else {
        Some(put_away(budget, over, &texts, limit))
    };
    let first = shown.map(|text| json!({"type": "text", "text": text}));
    let body = Value::Array(first.into_iter().chain(others).collect()).to_string();
    Output { body: body.into(), structured: None, ..output }
}

fn text_of(block: &Value) -> Option<&str> {
    let of_resource = || block.pointer("/resource/text").and_then(Value::as_str);
    block.get("text").and_then(Value::as_str).or_else(of_resource)
}

fn encoded(block: &Value) -> Option<&str> {
    let of_resource = || block.pointer("/resource/blob").and_then(Value::as_str);
    block.get("data").and_then(Value::as_str).or_else(of_resource)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pinned_then_configured_then_the_tools_own_then_the_default() {
        use MaxResultSize::{Chars, Unlimited};
        let budget = |pinned: Option<MaxResultSize>, configured, context_tokens| Budget {
            pinned: pinned.map(|pinned| ("t".to_owned(), pinned)).into_iter().collect(),
            max_result_chars: configured,
            context_tokens,
            spill: None,
        };
        for (budget, own, expected) in [
            (budget(Some(Chars(7)), Some(9), None), Some(Chars(5)), 7),
            (budget(Some(Unlimited), Some(9), None), Some(Chars(5)), HARD_CAP),
            (budget(None, Some(9), None), Some(Chars(5)), 9),
            (budget(None, None, None), Some(Chars(5)), 5),
            (budget(None, None, None), Some(Chars(500_000)), 100_000),
            (budget(None, None, None), Some(Unlimited), HARD_CAP),
            (budget(None, None, None), None, 100_000),
            (budget(None, None, Some(100_000)), None, 60_000),
            (budget(None, None, Some(1_000)), None, FLOOR),
            (budget(None, None, Some(u64::MAX)), None, 100_000),
            (budget(Some(Chars(3_000_000)), None, Some(1_000)), None, HARD_CAP),
        ] {
            assert_eq!(budget.limit_of("t", SourceKind::Plugin, own), expected, "{budget:?} {own:?}");
        }
        let none = Budget::default();
        assert_eq!(none.limit_of("t", SourceKind::Mcp, None), 50_000);
        assert_eq!(none.limit_of("t", SourceKind::Mcp, Some(Chars(80_000))), 50_000);
    }
}
