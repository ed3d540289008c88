//! Schemas as the providers take them that speak less than JSON Schema.
//!
//! What cannot be said is told in words: a schema's `description` names it, so a model knows. A call is validated
//! against the schema that the tool came with, so nothing slips through either.

mod arrays;
mod flatten;
pub(super) mod keys;
mod keywords;
mod merge;
mod notes;
mod objects;
mod pointer;
pub(super) mod quirks;
mod refs;
mod size;
pub(super) mod strict;
pub(super) mod subset;
mod types;
mod unions;
mod values;
mod vetted;
mod walk;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value, json};

pub(super) use vetted::vetted;

use flatten::{Alone, Flat};
use keywords::{BOOKKEEPING, CONDITIONS, Format};
use notes::Notes;
use pointer::Pointer;
use refs::{Id, Refs, Target};
use unions::Union;
use vetted::{MAX_BYTES, MAX_DEPTH};

pub(super) type Schema = Map<String, Value>;

/// Marks a schema that `null` fits beside what it says, between two rewritings. No request has it.
pub(super) const NULLABLE: &str = "x-toolrack-nullable";

/// Why a schema cannot be sent, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// A JSON Pointer; empty for the whole.
    pub(crate) spot: String,
    pub(crate) reason: String,
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.spot.as_str() {
            "" => f.write_str(&self.reason),
            spot => write!(f, "`{spot}`: {}", self.reason),
        }
    }
}

/// A schema in the plain subset.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) schema: Schema,
    /// What the root lost, in sentences for the tool's description. Deeper schemas carry their own.
    pub(super) notes: Vec<String>,
    /// What was changed, and where.
    pub(super) changes: Vec<String>,
}

/// Rewrites the schema of a tool's arguments into the plain subset:
///
/// * the root is an object, and has no `oneOf`, `anyOf`, `allOf`, `enum`, `const` or `not`;
/// * every object has `properties`, every array `items`, `required` names what exists, a type is one type, `null`
///   is no variant, and no schema is `true`, `false` or a text;
/// * a keyword has a value that JSON Schema's newest draft lets it have;
/// * a `$ref` is written out, unless the schema contains itself: then it stays, alone, and points into `$defs`.
///   OpenAI documents recursion through `$defs`, and llama.cpp's grammars follow it; a free object in its place
///   would tell the model nothing. `#`, which not all of them know, becomes a definition too.
///
/// # Errors
/// If no such schema says what this one says, or if it would be too large or too deep.
pub(super) fn plain(text: &str, nulls: Nulls) -> Result<Plain, Unusable> {
    let document = vetted::tree(&vetted(text)?)?;
    let (mode, mut plain) = match Rewriter::new(&document, Mode::WriteOut, nulls).root() {
        Err(Stop::TooLarge) => (Mode::Keep, Rewriter::new(&document, Mode::Keep, nulls).root()?),
        other => (Mode::WriteOut, other?),
    };
    // What was recursive only through a condition that is gone now can be written out now.
    for _ in 0..3 {
        if !plain.schema.contains_key("$defs") {
            break;
        }
        let before = Value::Object(std::mem::take(&mut plain.schema));
        let again = Rewriter::new(&before, mode, nulls).root()?;
        plain.notes.extend(again.notes);
        plain.schema = again.schema;
        if before.as_object() == Some(&plain.schema) {
            break;
        }
    }
    values::mend(&mut plain);
    Ok(plain)
}

/// What becomes of `null` as a variant.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Nulls {
    /// It goes; where that is not the same as leaving the property out, it is told in words.
    Collapse,
    /// It goes, and the schema is marked [`NULLABLE`].
    Mark,
}

/// What is done with a `$ref` that could be written out.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    WriteOut,
    /// Kept, as one that leads back: the whole would be too large.
    Keep,
}

enum Stop {
    TooLarge,
    Unusable(Unusable),
}

impl From<Stop> for Unusable {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Unusable(fault) => fault,
            Stop::TooLarge => Unusable {
                spot: String::new(),
                reason: "too large or too deep once its `$ref`s and unions are written out".to_owned(),
            },
        }
    }
}

type Rewritten<T> = Result<T, Stop>;

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Root,
    /// A property that may be left out: then nothing is said of `null`, which means the same.
    Optional,
    Elsewhere,
}

struct Rewriter<'a> {
    refs: Refs<'a>,
    document: &'a Value,
    mode: Mode,
    nulls: Nulls,
    /// How many bytes may still be written out.
    budget: usize,
    path: Pointer,
    /// Recursive schemas that are being written out around the present one.
    active: Vec<Id>,
    names: HashMap<Id, String>,
    taken: BTreeSet<String>,
    pending: Vec<(String, Target<'a>)>,
    changes: Vec<String>,
}

impl<'a> Rewriter<'a> {
    fn new(document: &'a Value, mode: Mode, nulls: Nulls) -> Self {
        Rewriter {
            refs: Refs::of(document),
            document,
            mode,
            nulls,
            budget: (64 << 10) + 4 * size::size(document),
            path: Pointer::default(),
            active: Vec::new(),
            names: HashMap::new(),
            taken: BTreeSet::new(),
            pending: Vec::new(),
            changes: Vec::new(),
        }
    }

    fn root(mut self) -> Rewritten<Plain> {
        let Value::Object(root) = self.document else {
            return Err(self.fault("the schema is not a JSON object"));
        };
        let mut notes = Notes::default();
        let flat = self.flatten(without_definitions(root), Alone::WriteOut, &mut notes)?;
        let Flat::Schema { mut schema, .. } = flat else {
            return Err(self.fault("no arguments fit the schema"));
        };
        let is_object = schema.get("type").is_none_or(|kind| keywords::types_of(kind).contains(&"object"));
        if !is_object {
            return Err(self.fault("arguments are an object, but the schema allows none"));
        }
        schema.insert("type".to_owned(), "object".into());
        schema.remove("default");
        for key in ["enum", "const"] {
            if let Some(values) = schema.remove(key) {
                notes.condition(key, values);
                self.change("`enum` and `const` of the root are told in words");
            }
        }
        let Some(mut schema) = self.body(schema, Place::Root, &mut notes)? else {
            return Err(self.fault("no arguments fit the schema"));
        };
        self.definitions(&mut schema)?;
        let text_size = size::size(&Value::Object(schema.clone()));
        if text_size > MAX_BYTES || schema.values().map(size::depth).max().unwrap_or(0) >= MAX_DEPTH {
            return Err(Stop::TooLarge);
        }
        Ok(Plain { schema, notes: notes.sentences(), changes: self.changes })
    }

    /// Writes the schemas that `$ref`s were kept to.
    fn definitions(&mut self, root: &mut Schema) -> Rewritten<()> {
        let mut written = BTreeMap::new();
        while let Some((name, target)) = self.pending.pop() {
            self.charge(target.schema)?;
            self.active = vec![target.id];
            self.path.truncate(0);
            let schema =
                self.at(["$defs", &name], |this| this.schema(target.schema.clone(), Place::Elsewhere))?;
            written.insert(name, schema.unwrap_or_else(|| json!({})));
        }
        if !written.is_empty() {
            root.insert("$defs".to_owned(), written.into_iter().collect::<Schema>().into());
        }
        Ok(())
    }

    /// Rewrites one schema; nothing if no value fits it.
    fn schema(&mut self, value: Value, place: Place) -> Rewritten<Option<Value>> {
        let map = match value {
            Value::Object(map) => without_definitions(&map),
            Value::Bool(true) => Schema::new(),
            Value::Bool(false) => return Ok(None),
            Value::String(text) => self.repaired(text),
            other => {
                let kind = keywords::type_of(&other);
                return Err(self.fault(format!("a schema is expected, here is a value of type {kind}")));
            }
        };
        let active = self.active.len();
        let mut notes = Notes::default();
        let schema = match self.flatten(map, Alone::MayStay, &mut notes)? {
            Flat::Nothing => None,
            Flat::Reference { name, mut annotations, nullable } => {
                if let Some(default) = annotations.remove("default").filter(|default| !default.is_null()) {
                    notes.say(format!("Default: {default}."));
                }
                if nullable {
                    self.tell_null(&mut annotations, place, &mut notes);
                }
                notes.describe(&mut annotations);
                Some(reference(&name, annotations))
            }
            Flat::Schema { mut schema, nullable } => {
                if nullable {
                    self.collapse_null(&mut schema, place, &mut notes);
                }
                self.body(schema, place, &mut notes)?.map(Value::Object)
            }
        };
        self.active.truncate(active);
        Ok(schema)
    }

    /// Rewrites a schema that has no `$ref` and no `allOf` any more.
    fn body(&mut self, mut schema: Schema, place: Place, notes: &mut Notes) -> Rewritten<Option<Schema>> {
        for key in BOOKKEEPING {
            schema.remove(*key);
        }
        // Draft 3 said `required` of a property at the property: the object around has seen it.
        if schema.get("required").is_some_and(Value::is_boolean) {
            schema.remove("required");
        }
        self.infer_type(&mut schema);
        if !self.values(&mut schema)? {
            return Ok(None);
        }
        self.one_type(&mut schema, place, notes)?;
        self.conditions(&mut schema, notes);
        match self.unions(&mut schema, place, notes)? {
            Union::Nothing => return Ok(None),
            Union::Written => {
                self.values(&mut schema)?;
                notes.describe(&mut schema);
                return Ok(Some(schema));
            }
            Union::None => {}
        }
        self.close(&mut schema, notes);
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => self.object(&mut schema, notes)?,
            Some("array") => self.array(&mut schema, notes)?,
            _ => {}
        }
        self.only_what_bears(&mut schema, notes);
        self.format(&mut schema, notes);
        if place != Place::Root {
            notes.describe(&mut schema);
        }
        Ok(Some(schema))
    }

    /// Takes out what says nothing of the schema's type.
    fn only_what_bears(&mut self, schema: &mut Schema, notes: &mut Notes) {
        if let Some(kind) = schema.get("type").and_then(Value::as_str).map(str::to_owned) {
            schema.retain(|key, _| keywords::bears_on(key, &kind));
        } else {
            // Only a schema that lists its values has no type by now and speaks of properties or items.
            for key in keywords::OF_OBJECTS.iter().chain(keywords::OF_ARRAYS) {
                if let Some(value) = schema.remove(*key) {
                    notes.condition(key, value);
                }
            }
        }
    }

    /// Takes out what is told in words.
    fn conditions(&mut self, schema: &mut Schema, notes: &mut Notes) {
        if !schema.contains_key("if") {
            schema.remove("then");
            schema.remove("else");
        }
        for key in CONDITIONS {
            if let Some(value) = schema.remove(*key).filter(|value| *value != json!(true)) {
                notes.condition(key, value);
                self.change("a condition is told in words");
            }
        }
    }

    /// A schema that is a bare text: a type, or else a description.
    fn repaired(&mut self, text: String) -> Schema {
        self.change("a text in place of a schema is repaired");
        let key = if keywords::TYPES.contains(&text.as_str()) { "type" } else { "description" };
        Schema::from_iter([(key.to_owned(), text.into())])
    }

    fn format(&mut self, schema: &mut Schema, notes: &mut Notes) {
        let known = schema
            .get("format")
            .map(|format| format.as_str().map(|name| (name.to_owned(), keywords::format(name))));
        let Some(format) = known else { return };
        match format {
            Some((_, Format::Standard)) => return,
            Some((name, Format::Other)) => notes.say(format!("Format: {name}.")),
            Some((_, Format::Number)) | None => {}
        }
        schema.remove("format");
        self.change("a `format` that is not JSON Schema's is gone");
    }

    /// Does something further down.
    fn at<T, const N: usize>(
        &mut self,
        segments: [&str; N],
        act: impl FnOnce(&mut Self) -> Rewritten<T>,
    ) -> Rewritten<T> {
        let before = self.path.len();
        for segment in segments {
            self.path.push(segment);
        }
        if self.path.len() > MAX_DEPTH {
            return Err(Stop::TooLarge);
        }
        let done = act(self)?;
        self.path.truncate(before);
        Ok(done)
    }

    /// Takes what a copy of `value` costs out of the budget.
    fn charge(&mut self, value: &Value) -> Rewritten<()> {
        self.charge_times(size::size(value), 1)
    }

    fn charge_times(&mut self, size: usize, times: usize) -> Rewritten<()> {
        let cost = size.saturating_mul(times);
        self.budget = self.budget.checked_sub(cost).ok_or(Stop::TooLarge)?;
        Ok(())
    }

    fn change(&mut self, what: &str) {
        /// Enough to see what kind of schema it is.
        const MAX_CHANGES: usize = 100;
        if self.changes.len() < MAX_CHANGES {
            let spot = self.path.to_string();
            self.changes.push(if spot.is_empty() { what.to_owned() } else { format!("`{spot}`: {what}") });
        }
    }

    fn fault(&self, reason: impl Into<String>) -> Stop {
        Stop::Unusable(Unusable { spot: self.path.to_string(), reason: reason.into() })
    }
}

/// A `$ref` that stays. It has nothing beside it: OpenAI refuses that.
fn reference(name: &str, annotations: Schema) -> Value {
    let reference = json!({ "$ref": format!("#/$defs/{name}") });
    if annotations.is_empty() {
        return reference;
    }
    let mut wrapped = annotations;
    wrapped.insert("anyOf".to_owned(), json!([reference]));
    wrapped.into()
}

fn without_definitions(schema: &Schema) -> Schema {
    let kept = schema.iter().filter(|(key, _)| !matches!(key.as_str(), "$defs" | "definitions"));
    kept.map(|(key, value)| (key.clone(), value.clone())).collect()
}
