//! Asking a person before a call, as a hook.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::hooks::{Before, Hook, HookError, HookStage, PendingCall};
use crate::source::{SourceId, SourceKind};
use crate::tool::ToolEntry;

/// Who is asked: a person, in whatever way the host has to reach one.
pub type AskFn = dyn Fn(&PendingCall<'_>) -> Reply + Send + Sync;

/// What the person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Go on.
    Yes,
    /// Do not.
    No,
    /// Nothing, which is no.
    NoAnswer,
}

/// What is to be done about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is made.
    Allow,
    /// A person is asked.
    Ask,
    /// It is not made.
    Deny,
}

/// Asks a person before a call that could do harm. Add it with [`add_hook`](crate::Registry::add_hook).
///
/// A rule that denies stands above all others; else the first rule that fits decides. Where none fits, a tool that
/// its source calls `read_only` is called without asking if the source is trusted, and neither `destructive` nor
/// `open_world` is said of it. For everything else a person is asked. The host's own tools are trusted.
///
/// ```
/// use std::sync::Arc;
/// use toolrack::{Approval, ApprovalRule, Decision, Registry, Reply};
///
/// let approval = Approval::new(|call| {
///     println!("may {} run with {}?", call.tool().name(), call.arguments());
///     Reply::NoAnswer
/// })
/// .rule(ApprovalRule::new("terminal", Decision::Deny)?.when("command", "*sudo *")?)
/// .rule(ApprovalRule::new("search_*", Decision::Allow)?);
/// Registry::new().add_hook(Arc::new(approval));
/// # Ok::<(), toolrack::InvalidPattern>(())
/// ```
pub struct Approval {
    rules: Vec<ApprovalRule>,
    trusted: HashSet<SourceId>,
    ask: Box<AskFn>,
}

impl Approval {
    /// Asks with `ask`, and has no rules.
    pub fn new(ask: impl Fn(&PendingCall<'_>) -> Reply + Send + Sync + 'static) -> Self {
        Approval { rules: Vec::new(), trusted: HashSet::new(), ask: Box::new(ask) }
    }

    /// Adds a rule after those that are there.
    #[must_use]
    pub fn rule(mut self, rule: ApprovalRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// Believes what the source says of its tools.
    #[must_use]
    pub fn trust(mut self, source: SourceId) -> Self {
        self.trusted.insert(source);
        self
    }

    /// What is to be done about a call, before anybody is asked.
    pub fn decision(&self, tool: &ToolEntry, arguments: &Value) -> Decision {
        let fits = |decision: Option<Decision>| {
            let wanted =
                move |rule: &&ApprovalRule| decision.is_none_or(|decision| rule.decision == decision);
            self.rules.iter().filter(wanted).find(|rule| rule.fits(tool.name(), arguments))
        };
        if let Some(rule) = fits(Some(Decision::Deny)).or_else(|| fits(None)) {
            return rule.decision;
        }
        let source = &tool.source.id;
        by_hints(Hints {
            trusted: source.kind == SourceKind::Builtin || self.trusted.contains(source),
            read_only: tool.description.read_only == Some(true),
            destructive: tool.description.destructive == Some(true),
            open_world: tool.description.open_world == Some(true),
        })
    }
}

struct Hints {
    trusted: bool,
    read_only: bool,
    destructive: bool,
    open_world: bool,
}

fn by_hints(hints: Hints) -> Decision {
    if hints.trusted && hints.read_only && !hints.destructive && !hints.open_world {
        Decision::Allow
    } else {
        Decision::Ask
    }
}

impl Hook for Approval {
    fn name(&self) -> &str {
        "approval"
    }

    fn stage(&self) -> HookStage {
        HookStage::LastWord
    }

    fn before(&self, call: &PendingCall<'_>) -> Result<Before, HookError> {
        let refuse = |reason: &str| Ok(Before::Refuse(reason.to_owned()));
        match self.decision(call.tool(), call.arguments_value()?) {
            Decision::Allow => return Ok(Before::Go),
            Decision::Deny => return refuse("a rule does not allow this call"),
            Decision::Ask => {}
        }
        let reply = call.wait_for_person(|| catch_unwind(AssertUnwindSafe(|| (self.ask)(call))));
        match reply {
            Ok(Reply::Yes) => Ok(Before::Go),
            Ok(Reply::No) => refuse("a person did not allow this call"),
            Ok(Reply::NoAnswer) => refuse("nobody answered whether this call is allowed, so it was not made"),
            Err(payload) => {
                std::mem::forget(payload);
                Err("asking a person panicked".into())
            }
        }
    }
}

/// A rule of an [`Approval`]: for which calls, and what.
///
/// Patterns are globs over the whole text; `*` stands for anything, slashes and line breaks too. A pattern over a
/// shell's command is a help, not a wall: shells know many ways to say one thing.
#[derive(Clone, Debug)]
pub struct ApprovalRule {
    tool: GlobMatcher,
    arguments: Vec<(String, GlobMatcher)>,
    decision: Decision,
}

impl ApprovalRule {
    /// For every call of the tools whose name fits `tool`.
    ///
    /// # Errors
    /// If `tool` is no glob.
    pub fn new(tool: &str, decision: Decision) -> Result<Self, InvalidPattern> {
        Ok(ApprovalRule { tool: glob(tool)?, arguments: Vec::new(), decision })
    }

    /// Only for calls whose argument `argument` fits `pattern`: its text, or the JSON of what is no text. Of a list
    /// every item must fit for a rule that allows, and one is enough for others. Without the argument it fits not.
    ///
    /// # Errors
    /// If `pattern` is no glob.
    pub fn when(mut self, argument: &str, pattern: &str) -> Result<Self, InvalidPattern> {
        self.arguments.push((argument.to_owned(), glob(pattern)?));
        Ok(self)
    }

    fn fits(&self, tool: &str, arguments: &Value) -> bool {
        self.tool.is_match(tool)
            && self.arguments.iter().all(|(name, pattern)| {
                arguments.get(name).is_some_and(|value| fits(pattern, value, self.decision))
            })
    }
}

fn fits(pattern: &GlobMatcher, value: &Value, decision: Decision) -> bool {
    match value {
        Value::String(text) => pattern.is_match(text),
        Value::Array(items) if decision == Decision::Allow => {
            !items.is_empty() && items.iter().all(|item| fits(pattern, item, decision))
        }
        Value::Array(items) => {
            items.iter().any(|item| fits(pattern, item, decision)) || pattern.is_match(value.to_string())
        }
        other => pattern.is_match(other.to_string()),
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, InvalidPattern> {
    let glob = GlobBuilder::new(pattern).literal_separator(false).backslash_escape(true).build();
    glob.map(|glob| glob.compile_matcher())
        .map_err(|e| InvalidPattern { pattern: pattern.to_owned(), reason: e.kind().to_string() })
}

/// A text is no glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern {
    /// The text.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no pattern: {}", self.pattern.escape_debug(), self.reason)
    }
}

impl std::error::Error for InvalidPattern {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn asked_unless_a_trusted_source_says_read_only_and_nothing_worse() {
        let yes_no = [true, false];
        for trusted in yes_no {
            for read_only in yes_no {
                for destructive in yes_no {
                    for open_world in yes_no {
                        let decision = by_hints(Hints { trusted, read_only, destructive, open_world });
                        let free =
                            (trusted, read_only, destructive, open_world) == (true, true, false, false);
                        assert_eq!(decision, if free { Decision::Allow } else { Decision::Ask });
                    }
                }
            }
        }
    }

    #[test]
    fn a_rule_fits_by_tool_and_argument() {
        let rule = |decision| ApprovalRule::new("term*", decision).unwrap().when("command", "git *").unwrap();
        for (tool, arguments, expected) in [
            ("terminal", json!({"command": "git log"}), true),
            ("terminal", json!({"command": "git a/b\nc"}), true),
            ("terminal", json!({"command": "rm"}), false),
            ("terminal", json!({}), false),
            ("read_file", json!({"command": "git log"}), false),
        ] {
            assert_eq!(rule(Decision::Allow).fits(tool, &arguments), expected, "{tool} {arguments}");
        }
        let mixed = json!({"command": ["git log", "rm"]});
        assert!(!rule(Decision::Allow).fits("terminal", &mixed));
        assert!(rule(Decision::Deny).fits("terminal", &mixed));
        assert!(!rule(Decision::Allow).fits("terminal", &json!({"command": []})));
    }

    #[test]
    fn a_pattern_that_is_none_is_told() {
        let fault = ApprovalRule::new("a[", Decision::Ask).unwrap_err();
        assert!(fault.to_string().starts_with("`a[` is no pattern: "), "{fault}");
    }
}
