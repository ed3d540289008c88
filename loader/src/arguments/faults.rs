//! What is wrong with arguments, in words that a model can mend them by.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::parse;
use crate::answer::{ErrorType, Failure};
use crate::near::near_names;
use crate::session::hint;

/// How many faults one answer names.
const MAX_FAULTS: usize = 20;

/// How much of a wrong value is shown, in Unicode scalar values.
const MAX_SHOWN: usize = 60;

/// How deep unions in unions are explained.
const MAX_UNIONS: usize = 4;

/// Every fault, a line each: `/limit: expected an integer, got "ten"`.
pub(super) fn faults(validator: &Validator, schema: &Value, value: &Value) -> Failure {
    let mut lines = Lines { schema, root: value, lines: Vec::new(), seen: BTreeSet::new(), more: 0 };
    for error in validator.iter_errors(value) {
        lines.error(&error, 0);
    }
    let Lines { mut lines, more, .. } = lines;
    if lines.is_empty() {
        // A validator that says no and does not say why.
        lines.push("they do not fit the tool's schema".to_owned());
    }
    let mut message = lines.join("\n");
    if more > 0 {
        let _ = write!(message, "\nand {more} more faults");
    }
    Failure::new(ErrorType::InvalidArguments, message)
}

struct Lines<'a> {
    schema: &'a Value,
    root: &'a Value,
    lines: Vec<String>,
    seen: BTreeSet<String>,
    more: usize,
}

impl Lines<'_> {
    fn say(&mut self, path: &str, what: &str) {
        let path = if path.is_empty() { "the arguments" } else { path };
        let line = format!("{}: {what}", crate::answer::shorten(path, 200));
        if !self.seen.insert(line.clone()) {
            return;
        }
        if self.lines.len() < MAX_FAULTS {
            self.lines.push(line);
        } else {
            self.more += 1;
        }
    }

    fn error(&mut self, error: &ValidationError<'_>, unions: usize) {
        use ValidationErrorKind as Kind;
        let path = error.instance_path().as_str();
        match error.kind() {
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let known = self.known_keys(error);
                for key in unexpected {
                    let near = near_names(key, known.iter().map(String::as_str));
                    self.say(&member(path, key), &format!("unknown key{}", hint(&near)));
                }
            }
            Kind::Required { property } => {
                let key = property.as_str().unwrap_or_default();
                self.say(&member(path, key), "required, but not there");
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                self.union(error, path, context, unions);
            }
            _ => {
                let what = said(error, self.root);
                self.say(path, &what);
            }
        }
    }

    /// None of several forms fits. If only one is of the right kind its faults are told, else what was expected.
    fn union(
        &mut self,
        error: &ValidationError<'_>,
        path: &str,
        forms: &[Vec<ValidationError<'static>>],
        unions: usize,
    ) {
        let mut right: Vec<_> = forms.iter().filter(|form| of_wrong_kind(form, path).is_none()).collect();
        if right.is_empty() {
            let mut kinds = BTreeSet::new();
            for fault in forms.iter().filter_map(|form| of_wrong_kind(form, path)) {
                if let ValidationErrorKind::Type { kind } = fault.kind() {
                    kinds.extend(type_names(kind));
                }
            }
            let kinds: Vec<_> = kinds.into_iter().collect();
            let what = format!("expected {}, got {}", listed(&kinds), shown(error.instance()));
            self.say(path, &what);
            return;
        }
        // Of forms told apart by a constant, the one whose constant is there is meant.
        if right.len() > 1 {
            let by_constant = |form: &&Vec<ValidationError<'static>>| {
                !form.iter().any(|fault| {
                    matches!(
                        fault.kind(),
                        ValidationErrorKind::Constant { .. } | ValidationErrorKind::Enum { .. }
                    )
                })
            };
            let meant: Vec<_> = right.iter().copied().filter(by_constant).collect();
            if !meant.is_empty() {
                right = meant;
            }
        }
        if let [form] = right[..]
            && unions < MAX_UNIONS
        {
            for fault in form {
                self.error(fault, unions + 1);
            }
            return;
        }
        let mut what = format!("fits none of the {} forms that it may have", forms.len());
        let mut told = BTreeSet::new();
        for fault in right.iter().filter_map(|form| form.first()) {
            let inside = fault.instance_path().as_str();
            let text = match fault.kind() {
                ValidationErrorKind::Required { property } => {
                    let key = property.as_str().unwrap_or_default();
                    format!("{}: required, but not there", member(inside, key))
                }
                _ if inside == path => said(fault, self.root),
                _ => format!("{inside}: {}", said(fault, self.root)),
            };
            if told.len() < 4 && told.insert(text.clone()) {
                let _ = write!(what, "{} {text}", if told.len() == 1 { ":" } else { "; or" });
            }
        }
        self.say(path, &what);
    }

    /// The keys that could have been meant by one that is not known.
    fn known_keys(&self, error: &ValidationError<'_>) -> Vec<String> {
        let keyword = error.schema_path().as_str();
        let around = keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let properties = self.schema.pointer(around).and_then(|schema| schema.get("properties"));
        let keys = properties.and_then(Value::as_object).into_iter().flatten();
        let given = self.root.pointer(error.instance_path().as_str());
        let is_free = |key: &&String| given.and_then(|given| given.get(key.as_str())).is_none();
        keys.map(|(key, _)| key).filter(is_free).cloned().collect()
    }
}

/// What says that the value itself, at `path`, is of the wrong kind for a form.
fn of_wrong_kind<'a>(
    form: &'a [ValidationError<'static>],
    path: &str,
) -> Option<&'a ValidationError<'static>> {
    form.iter().find(|fault| {
        fault.instance_path().as_str() == path && matches!(fault.kind(), ValidationErrorKind::Type { .. })
    })
}

/// The pointer to a member of what `path` points to.
fn member(path: &str, key: &str) -> String {
    let key = crate::answer::shorten(key, 80);
    format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// One fault, without the spot.
fn said(error: &ValidationError<'_>, root: &Value) -> String {
    use ValidationErrorKind as Kind;
    let got = shown(root.pointer(error.instance_path().as_str()).unwrap_or(error.instance()));
    let size = || match &**error.instance() {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(object) => object.len(),
        _ => 0,
    };
    match error.kind() {
        Kind::Type { kind } => format!("expected {}, got {got}", listed(&type_names(kind))),
        Kind::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            let mut names: Vec<String> = options.iter().take(MAX_FAULTS).map(shown).collect();
            if options.len() > MAX_FAULTS {
                names.push(format!("{} others", options.len() - MAX_FAULTS));
            }
            format!("expected {}, got {got}", listed(&names))
        }
        Kind::Constant { expected_value } => format!("expected {}, got {got}", shown(expected_value)),
        Kind::Minimum { limit } => format!("expected at least {limit}, got {got}"),
        Kind::Maximum { limit } => format!("expected at most {limit}, got {got}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}, got {got}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}, got {got}"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}, got {got}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters, got {}", size()),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters, got {}", size()),
        Kind::MinItems { limit } => format!("expected at least {limit} items, got {}", size()),
        Kind::MaxItems { limit } => format!("expected at most {limit} items, got {}", size()),
        Kind::AdditionalItems { limit } => format!("expected at most {limit} items, got {}", size()),
        Kind::MinProperties { limit } => format!("expected at least {limit} keys, got {}", size()),
        Kind::MaxProperties { limit } => format!("expected at most {limit} keys, got {}", size()),
        Kind::Pattern { pattern } => {
            format!("expected text that matches `{}`, got {got}", crate::answer::shorten(pattern, 200))
        }
        Kind::UniqueItems => "two of its items are the same".to_owned(),
        Kind::OneOfMultipleValid { .. } => {
            "fits several of the forms of which it must have exactly one".to_owned()
        }
        Kind::FalseSchema => "nothing is allowed here".to_owned(),
        Kind::Not { .. } => format!("is of a form that is not allowed: {got}"),
        Kind::PropertyNames { error } => {
            format!("one of its keys is not allowed: {}", said(error, error.instance()))
        }
        _ => crate::answer::shorten(&error.to_string(), 300),
    }
}

fn type_names(kind: &TypeKind) -> Vec<&'static str> {
    let name = |kind: jsonschema::JsonType| match kind.as_str() {
        "array" => "an array",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "object" => "an object",
        "string" => "a string",
        _ => "null",
    };
    match kind {
        TypeKind::Single(kind) => vec![name(*kind)],
        TypeKind::Multiple(kinds) => kinds.iter().map(name).collect(),
    }
}

/// `a`, `a or b`, `a, b or c`.
fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => "something else".to_owned(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}

/// A short value as it is, of a long text the start, of a long container its kind.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => {
            let start: String = text.chars().take(MAX_SHOWN).collect();
            let more = if start.len() < text.len() { "…" } else { "" };
            format!("{}{more}", Value::String(start))
        }
        Value::Array(_) | Value::Object(_) => {
            let text = value.to_string();
            if text.chars().nth(MAX_SHOWN).is_none() { text } else { parse::kind(value).to_owned() }
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
