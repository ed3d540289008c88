//! Where the `$ref`s of a schema lead, and which of them lead back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

/// A schema that a `$ref` means.
#[derive(Clone)]
pub(super) struct Target<'a> {
    pub(super) schema: &'a Value,
    /// Tells it from every other schema of the document.
    pub(super) id: Id,
    /// What the `$ref` calls it.
    pub(super) name: String,
}

/// Where a schema lies in memory: the document is borrowed, so none moves.
pub(super) type Id = usize;

fn id(schema: &Value) -> Id {
    std::ptr::from_ref(schema).addr()
}

/// The local `$ref`s of one schema.
pub(super) struct Refs<'a> {
    document: &'a Value,
    anchors: BTreeMap<&'a str, &'a Value>,
    recursive: BTreeSet<Id>,
}

impl<'a> Refs<'a> {
    pub(super) fn of(document: &'a Value) -> Self {
        let layout = Layout::of(document);
        let mut refs = Refs { document, anchors: layout.anchors, recursive: BTreeSet::new() };
        let places: Vec<(usize, Id)> = layout
            .references
            .iter()
            .filter_map(|(place, text)| Some((*place, refs.target(text)?.id)))
            .collect();
        refs.recursive = recursive(&places, &layout.extents);
        refs
    }

    /// What a `$ref` means in the end; nothing if that is nothing in this schema.
    pub(super) fn target(&self, reference: &str) -> Option<Target<'a>> {
        /// More in a row are taken for a loop.
        const MAX_ALIASES: usize = 16;
        let mut target = self.find(reference)?;
        // A schema that is nothing but another `$ref` is that other schema.
        for _ in 0..MAX_ALIASES {
            match alias(target.schema) {
                Some(next) => target = self.find(next)?,
                None => return Some(target),
            }
        }
        None
    }

    /// Whether writing the schema out would come to no end.
    pub(super) fn is_recursive(&self, target: &Target<'_>) -> bool {
        self.recursive.contains(&target.id)
    }

    fn find(&self, reference: &str) -> Option<Target<'a>> {
        let fragment = percent_decoded(reference.strip_prefix('#')?);
        let (schema, name) = match fragment.rsplit_once('/') {
            _ if fragment.is_empty() => (self.document, "Arguments"),
            Some((_, last)) if fragment.starts_with('/') => (self.document.pointer(&fragment)?, last),
            _ => (*self.anchors.get(fragment.as_str())?, fragment.as_str()),
        };
        Some(Target { schema, id: id(schema), name: name.to_owned() })
    }
}

fn alias(schema: &Value) -> Option<&str> {
    let map = schema.as_object()?;
    (map.len() == 1).then(|| map.get("$ref")?.as_str()).flatten()
}

fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = (byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        if let Some(decoded) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(decoded);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The document's values numbered in the order of a walk: what lies inside a value has consecutive numbers.
struct Layout<'a> {
    extents: HashMap<Id, std::ops::Range<usize>>,
    /// In which value a `$ref` stands, sorted, and its text.
    references: Vec<(usize, &'a str)>,
    anchors: BTreeMap<&'a str, &'a Value>,
}

impl<'a> Layout<'a> {
    fn of(document: &'a Value) -> Self {
        enum Step<'v> {
            Into(&'v Value),
            OutOf(Id, usize),
        }
        let mut layout = Layout { extents: HashMap::new(), references: Vec::new(), anchors: BTreeMap::new() };
        let mut next = 0;
        let mut steps = vec![Step::Into(document)];
        while let Some(step) = steps.pop() {
            let value = match step {
                Step::Into(value) => value,
                Step::OutOf(id, start) => {
                    layout.extents.insert(id, start..next);
                    continue;
                }
            };
            steps.push(Step::OutOf(id(value), next));
            match value {
                Value::Object(map) => {
                    if let Some(Value::String(text)) = map.get("$ref") {
                        layout.references.push((next, text));
                    }
                    if let Some(Value::String(name)) = map.get("$anchor") {
                        layout.anchors.insert(name, value);
                    }
                    steps.extend(map.values().filter(|v| is_container(v)).map(Step::Into));
                }
                Value::Array(list) => steps.extend(list.iter().filter(|v| is_container(v)).map(Step::Into)),
                _ => {}
            }
            next += 1;
        }
        layout
    }
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Object(_) | Value::Array(_))
}

/// The targets that reach themselves, and those between two such: writing either out comes to no end, or is long.
fn recursive(places: &[(usize, Id)], extents: &HashMap<Id, std::ops::Range<usize>>) -> BTreeSet<Id> {
    let targets: BTreeSet<Id> = places.iter().map(|(_, target)| *target).collect();
    let mut onward: Edges = BTreeMap::new();
    let mut backward: Edges = BTreeMap::new();
    for from in &targets {
        let Some(extent) = extents.get(from) else { continue };
        let first = places.partition_point(|(place, _)| *place < extent.start);
        for (_, to) in places[first..].iter().take_while(|(place, _)| *place < extent.end) {
            onward.entry(*from).or_default().insert(*to);
            backward.entry(*to).or_default().insert(*from);
        }
    }
    let leads_on = without_dead_ends(&targets, &onward, &backward);
    without_dead_ends(&leads_on, &backward, &onward)
}

type Edges = BTreeMap<Id, BTreeSet<Id>>;

/// The nodes from which `edges` lead on for ever. `back` has the same edges, turned around.
fn without_dead_ends(nodes: &BTreeSet<Id>, edges: &Edges, back: &Edges) -> BTreeSet<Id> {
    let mut left = nodes.clone();
    let none = BTreeSet::new();
    let mut ways: HashMap<Id, usize> = nodes
        .iter()
        .map(|node| (*node, edges.get(node).unwrap_or(&none).intersection(nodes).count()))
        .collect();
    let mut dead: Vec<Id> = nodes.iter().copied().filter(|node| ways.get(node) == Some(&0)).collect();
    while let Some(node) = dead.pop() {
        left.remove(&node);
        for from in back.get(&node).unwrap_or(&none) {
            if let Some(count) = ways.get_mut(from).filter(|count| **count > 0) {
                *count -= 1;
                if *count == 0 {
                    dead.push(*from);
                }
            }
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_contains_itself_is_told_from_one_that_does_not() {
        let document = json!({
            "properties": { "a": { "$ref": "#/$defs/Node" }, "b": { "$ref": "#/definitions/Leaf" } },
            "$defs": {
                "Node": { "properties": { "next": { "$ref": "#/$defs/Other" }, "leaf": { "$ref": "#here" } } },
                "Other": { "items": { "$ref": "#/$defs/Node" } },
                "Uses": { "$ref": "#/$defs/Node" },
                "Loop": { "$ref": "#/$defs/Loop" },
                "Outer": { "items": { "$ref": "#/$defs/Node" } },
            },
            "items": { "$ref": "#/$defs/Outer" },
            "definitions": { "Leaf": { "type": "string", "$anchor": "here" } },
        });
        let refs = Refs::of(&document);
        let recursive = |reference: &str| refs.is_recursive(&refs.target(reference).unwrap());
        assert!(recursive("#/$defs/Node"));
        assert!(recursive("#/$defs/Other"));
        assert!(!recursive("#/definitions/Leaf"));
        assert!(!recursive("#/$defs/Outer"));
        let same = |a: &str, b: &str| refs.target(a).unwrap().id == refs.target(b).unwrap().id;
        assert!(same("#/$defs/Uses", "#/%24defs/Node"));
        assert!(same("#here", "#/definitions/Leaf"));
        assert!(refs.target("#/$defs/Loop").is_none());
        assert!(refs.target("https://example.com/x").is_none());
    }

    #[test]
    fn a_root_that_contains_itself_is_recursive() {
        let document = json!({ "properties": { "child": { "items": { "$ref": "#" } } } });
        let refs = Refs::of(&document);
        assert!(refs.is_recursive(&refs.target("#").unwrap()));
    }
}
