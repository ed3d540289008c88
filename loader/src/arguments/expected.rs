//! Which kinds of value a schema can take: an upper bound, so that what lies outside it is surely invalid.

use std::cell::Cell;
use std::ops::{BitAnd, BitOr};

use serde_json::{Map, Value};

/// How many steps one look at arguments may take. A schema can refer to itself in more ways than there is time for.
const FUEL: u32 = 1_000_000;

/// How far a chain of references and unions is followed.
const MAX_CHAIN: u32 = 32;

/// A set of kinds of JSON values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Kinds = Kinds(0);
    pub(super) const ANY: Kinds = Kinds(0x7F);
    pub(super) const NULL: Kinds = Kinds(1);
    pub(super) const BOOLEAN: Kinds = Kinds(2);
    /// `10` and `10.0`, as in JSON Schema.
    pub(super) const INTEGER: Kinds = Kinds(4);
    pub(super) const FRACTION: Kinds = Kinds(8);
    pub(super) const NUMBER: Kinds = Kinds(4 | 8);
    pub(super) const STRING: Kinds = Kinds(16);
    pub(super) const ARRAY: Kinds = Kinds(32);
    pub(super) const OBJECT: Kinds = Kinds(64);

    pub(super) fn of(value: &Value) -> Kinds {
        match value {
            Value::Null => Kinds::NULL,
            Value::Bool(_) => Kinds::BOOLEAN,
            Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() != 0.0) => {
                Kinds::FRACTION
            }
            Value::Number(_) => Kinds::INTEGER,
            Value::String(_) => Kinds::STRING,
            Value::Array(_) => Kinds::ARRAY,
            Value::Object(_) => Kinds::OBJECT,
        }
    }

    fn named(name: &str) -> Kinds {
        match name {
            "null" => Kinds::NULL,
            "boolean" => Kinds::BOOLEAN,
            "integer" => Kinds::INTEGER,
            "number" => Kinds::NUMBER,
            "string" => Kinds::STRING,
            "array" => Kinds::ARRAY,
            "object" => Kinds::OBJECT,
            _ => Kinds::NONE,
        }
    }

    /// Whether the two have a kind in common.
    pub(super) fn meets(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// A schema, looked at.
pub(super) struct Look<'a> {
    root: &'a Value,
    /// Before draft 2019-09 what stands beside a `$ref` says nothing.
    lone_refs: bool,
    fuel: Cell<u32>,
}

impl<'a> Look<'a> {
    pub(super) fn at(root: &'a Value) -> Self {
        let dialect = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let lone_refs =
            ["draft-03", "draft-04", "draft-06", "draft-07"].iter().any(|old| dialect.contains(old));
        Look { root, lone_refs, fuel: Cell::new(FUEL) }
    }

    /// Takes one step; `false` when there are none left.
    pub(super) fn step(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    /// The keywords of a schema that say something here. A schema with an `$id` of its own has references that
    /// mean something else: it is not looked into.
    pub(super) fn keywords(&self, schema: &'a Value) -> Option<Keywords<'a>> {
        let map = schema.as_object()?;
        if !std::ptr::eq(schema, self.root) && (map.contains_key("$id") || map.contains_key("id")) {
            return None;
        }
        if self.lone_refs
            && let Some(target) = map.get("$ref")
        {
            return Some(Keywords::LoneRef(self.resolve(target)?));
        }
        Some(Keywords::All(map))
    }

    /// What a `$ref` inside the schema points to.
    pub(super) fn resolve(&self, reference: &Value) -> Option<&'a Value> {
        resolve(self.root, reference.as_str()?)
    }

    /// The kinds of value that `schema` can take.
    pub(super) fn kinds(&self, schema: &'a Value) -> Kinds {
        self.kinds_along(schema, 0)
    }

    fn kinds_along(&self, schema: &'a Value, chain: u32) -> Kinds {
        if !self.step() || chain > MAX_CHAIN {
            return Kinds::ANY;
        }
        let map = match (schema, self.keywords(schema)) {
            (Value::Bool(false), _) => return Kinds::NONE,
            (_, None) => return Kinds::ANY,
            (_, Some(Keywords::LoneRef(target))) => return self.kinds_along(target, chain + 1),
            (_, Some(Keywords::All(map))) => map,
        };
        let mut kinds = Kinds::ANY;
        for (keyword, said) in map {
            let takes = match (keyword.as_str(), said) {
                ("type", Value::String(name)) => Kinds::named(name),
                ("type", Value::Array(names)) => {
                    union(names.iter().filter_map(Value::as_str).map(Kinds::named))
                }
                ("const", value) => Kinds::of(value),
                ("enum", Value::Array(values)) => union(values.iter().map(Kinds::of)),
                ("$ref", target) => match self.resolve(target) {
                    Some(target) => self.kinds_along(target, chain + 1),
                    None => Kinds::ANY,
                },
                ("allOf", Value::Array(parts)) => parts
                    .iter()
                    .map(|part| self.kinds_along(part, chain + 1))
                    .fold(Kinds::ANY, |all, part| all & part),
                ("anyOf" | "oneOf", Value::Array(parts)) => {
                    union(parts.iter().map(|part| self.kinds_along(part, chain + 1)))
                }
                _ => continue,
            };
            kinds = kinds & takes;
        }
        kinds
    }
}

pub(super) enum Keywords<'a> {
    All(&'a Map<String, Value>),
    LoneRef(&'a Value),
}

fn union(kinds: impl Iterator<Item = Kinds>) -> Kinds {
    kinds.fold(Kinds::NONE, |all, kind| all | kind)
}

/// `#` and `#/…` inside `root`.
pub(super) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    match root.pointer(pointer) {
        Some(target) => Some(target),
        None if pointer.contains('%') => root.pointer(&percent_decoded(pointer)?),
        None => None,
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8(bytes).ok()
}
