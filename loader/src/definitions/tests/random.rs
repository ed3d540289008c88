use std::collections::HashSet;

use serde_json::Map;

use super::*;

/// Random schemas and values, the same for the same seed.
pub(super) struct Chance(u64);

impl Chance {
    /// A seed of `TOOLRACK_SEED`, else of the clock. It is printed: a failing test shows it.
    pub(super) fn new() -> Self {
        let given = std::env::var("TOOLRACK_SEED").ok().and_then(|text| text.parse().ok());
        let now = || std::time::UNIX_EPOCH.elapsed().map_or(1, |since| since.as_nanos() as u64);
        let seed = given.unwrap_or_else(now);
        println!("TOOLRACK_SEED={seed}");
        Chance(seed)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    pub(super) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const NAMES: &[&str] = &["a", "b", "c", "not", "properties"];
const DEFINITIONS: &[&str] = &["D0", "D1", "D2"];
const TYPES: &[&str] = &["string", "integer", "number", "boolean", "array", "object", "null"];

/// What kinds of schema come.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Dialect {
    /// Everything, also what cannot be said to OpenAI.
    Wild,
    /// What can be said without loss.
    Plain,
    /// What can be said strictly too.
    Closed,
}

pub(super) fn root(chance: &mut Chance, dialect: Dialect) -> Value {
    let mut root = object(chance, dialect, 3);
    if dialect == Dialect::Wild && chance.one_in(2) {
        rough(chance, &mut root, 2);
    }
    root.insert("type".to_owned(), json!("object"));
    let definitions: Map<String, Value> =
        DEFINITIONS.iter().map(|name| ((*name).to_owned(), schema(chance, dialect, 2))).collect();
    root.insert("$defs".to_owned(), definitions.into());
    root.into()
}

fn schema(chance: &mut Chance, dialect: Dialect, depth: usize) -> Value {
    let wild = dialect == Dialect::Wild;
    if depth == 0 || chance.one_in(4) {
        return leaf(chance, dialect);
    }
    let mut map = match chance.below(6) {
        0 | 1 => object(chance, dialect, depth),
        2 => Map::from_iter([
            ("type".to_owned(), json!("array")),
            ("items".to_owned(), schema(chance, dialect, depth - 1)),
        ]),
        3 => {
            let variants: Vec<Value> =
                (0..1 + chance.below(3)).map(|_| schema(chance, dialect, depth - 1)).collect();
            Map::from_iter([("anyOf".to_owned(), variants.into())])
        }
        4 => {
            let parts: Vec<Value> =
                (0..1 + chance.below(2)).map(|_| object(chance, dialect, depth - 1).into()).collect();
            Map::from_iter([("allOf".to_owned(), parts.into())])
        }
        _ => Map::from_iter([("$ref".to_owned(), format!("#/$defs/{}", chance.pick(DEFINITIONS)).into())]),
    };
    if chance.one_in(4) {
        map.insert("description".to_owned(), chance.pick(&["One.", "Two.", ""]).into());
    }
    if chance.one_in(6) {
        map.insert("default".to_owned(), value(chance, 1));
    }
    if wild && chance.one_in(3) {
        rough(chance, &mut map, depth - 1);
    }
    map.into()
}

fn object(chance: &mut Chance, dialect: Dialect, depth: usize) -> Map<String, Value> {
    let mut map = Map::from_iter([("type".to_owned(), json!("object"))]);
    let mut properties = Map::new();
    for name in NAMES {
        if chance.one_in(2) {
            properties.insert((*name).to_owned(), schema(chance, dialect, depth.saturating_sub(1)));
        }
    }
    if dialect == Dialect::Closed && properties.is_empty() {
        properties.insert("a".to_owned(), json!({ "type": "boolean" }));
    }
    let from: Vec<&str> = match dialect {
        Dialect::Wild => NAMES.to_vec(),
        Dialect::Plain | Dialect::Closed => properties.keys().map(String::as_str).collect(),
    };
    let required: Vec<&str> = from.into_iter().filter(|_| chance.one_in(3)).collect();
    if !required.is_empty() {
        map.insert("required".to_owned(), json!(required));
    }
    map.insert("properties".to_owned(), properties.into());
    if chance.one_in(3) {
        let others = match dialect {
            Dialect::Closed => vec![json!(false)],
            _ => vec![json!(false), json!(true), json!({ "type": "string" })],
        };
        map.insert("additionalProperties".to_owned(), chance.pick(&others));
    }
    map
}

fn leaf(chance: &mut Chance, dialect: Dialect) -> Value {
    let (kinds, types) = match dialect {
        Dialect::Wild => (12, TYPES),
        Dialect::Plain => (9, TYPES),
        Dialect::Closed => (8, &TYPES[..4]),
    };
    match chance.below(kinds) {
        0 => json!({ "type": "integer", "format": "uint32", "minimum": 0 }),
        1 => {
            let first = chance.below(types.len());
            json!({ "type": [types[first], types[(first + 1 + chance.below(types.len() - 1)) % types.len()]] })
        }
        2 => json!({ "type": ["string", "null"], "default": null }),
        3 => json!({ "enum": ["x", "y", 1] }),
        4 => json!({ "const": chance.pick(&["x", "y"]) }),
        5 => json!({ "type": "number", "maximum": 3 }),
        6 => json!({ "type": chance.pick(types) }),
        7 => json!({ "type": "string", "minLength": chance.below(3) }),
        8 => json!({}),
        9 => json!(chance.pick(TYPES)),
        10 => chance.pick(&[json!(true), json!(false)]),
        _ => {
            json!({ "type": "array", "prefixItems": [{ "type": "string" }, {}], "items": chance.pick(&[json!(false), json!({})]) })
        }
    }
}

/// Adds what cannot be said to OpenAI.
fn rough(chance: &mut Chance, map: &mut Map<String, Value>, depth: usize) {
    for _ in 0..1 + chance.below(2) {
        let child = schema(chance, Dialect::Wild, depth);
        let (key, value) = match chance.below(13) {
            0 => ("not", child),
            1 => ("if", child),
            2 => ("then", child),
            3 => ("oneOf", json!([child, schema(chance, Dialect::Wild, depth)])),
            4 => ("anyOf", json!([{ "required": ["a"] }, { "required": ["b"] }, child])),
            5 => ("patternProperties", json!({ "^x": child })),
            6 => ("unevaluatedProperties", json!(false)),
            7 => ("type", json!([chance.pick(TYPES), chance.pick(TYPES), "object"])),
            8 => ("allOf", json!([child])),
            9 => ("exclusiveMinimum", chance.pick(&[json!(true), json!(false), json!(1), json!("1")])),
            10 => ("maxLength", chance.pick(&[json!(-1), json!(2.5), json!("3"), json!(null), json!(2.0)])),
            11 => ("examples", chance.pick(&[json!("x"), json!([1]), json!({})])),
            _ => ("contains", child),
        };
        map.insert(key.to_owned(), value);
    }
}

fn value(chance: &mut Chance, depth: usize) -> Value {
    match chance.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(chance.below(5)),
        3 => json!(1.5),
        4 => json!(chance.pick(&["", "x", "y"])),
        5 => json!(-1),
        6 => (0..chance.below(3)).map(|_| value(chance, depth - 1)).collect(),
        _ => arguments(chance, depth - 1),
    }
}

fn arguments(chance: &mut Chance, depth: usize) -> Value {
    let some: Vec<&str> = NAMES.iter().copied().filter(|_| chance.one_in(2)).collect();
    some.into_iter()
        .map(|name| (name.to_owned(), value(chance, depth)))
        .collect::<Map<String, Value>>()
        .into()
}

/// A value that is likely to fit a rewritten schema.
pub(super) fn fitting(chance: &mut Chance, schema: &Value, root: &Value, depth: usize) -> Value {
    if depth == 0 || chance.one_in(12) {
        return value(chance, 1);
    }
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        return fitting(chance, root.pointer(&pointer[1..]).unwrap(), root, depth - 1);
    }
    if let Some(variants) = schema.get("anyOf").and_then(Value::as_array) {
        let variant = chance.pick(variants);
        return fitting(chance, &variant, root, depth - 1);
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return chance.pick(values);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let mut map = Map::new();
            for (key, property) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(&json!(key)) || chance.one_in(2) {
                    map.insert(key.clone(), fitting(chance, property, root, depth - 1));
                }
            }
            map.into()
        }
        Some("array") => {
            (0..chance.below(3)).map(|_| fitting(chance, &schema["items"], root, depth - 1)).collect()
        }
        Some("string") => json!(chance.pick(&["xx", "y"])),
        Some("integer" | "number") => json!(chance.below(4)),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        _ => value(chance, 1),
    }
}

/// The rewritten schema, unless no arguments fit the one of chance, or it would be too large.
fn rewritten(schema: &Value) -> Option<(Value, Vec<String>)> {
    match schema::plain(&schema.to_string(), schema::Nulls::Collapse) {
        Ok(plain) => Some((plain.schema.into(), plain.changes)),
        Err(fault) => {
            let honest = ["no arguments fit", "too large or too deep", "allows none"];
            assert!(honest.iter().any(|why| fault.reason.contains(why)), "{fault}: {schema}");
            None
        }
    }
}

#[test]
fn a_rewritten_schema_keeps_every_rule_and_is_rewritten_to_itself() {
    let mut chance = Chance::new();
    let mut distinct = HashSet::new();
    for _ in 0..2_000 {
        let original = root(&mut chance, Dialect::Wild);
        let Some((once, _)) = rewritten(&original) else { continue };
        let checked = std::panic::catch_unwind(|| checker::check(&once));
        assert!(checked.is_ok(), "from {original}\nto {once}");
        let (twice, _) = rewritten(&once).expect("it fitted once");
        assert_eq!(once, twice, "from {original}");
        distinct.insert(once.to_string());
    }
    assert!(distinct.len() > 1_000, "only {} schemas", distinct.len());
}

#[test]
fn what_a_rewritten_schema_lets_through_the_original_lets_through() {
    let mut chance = Chance::new();
    let mut fit = 0;
    for _ in 0..400 {
        let original = root(&mut chance, Dialect::Plain);
        let Some((plain, changes)) = rewritten(&original) else { continue };
        // What chance forbids or requires in vain is told in words, and lets arguments through.
        let in_words = plain.to_string().contains("Must not be given");
        if in_words || changes.iter().any(|change| change.contains("`required` names only what exists")) {
            continue;
        }
        let Ok(strict) = jsonschema::validator_for(&original) else { panic!("no schema: {original}") };
        let Ok(loose) = jsonschema::validator_for(&plain) else {
            panic!("no schema: {plain}\nfrom {original}")
        };
        for _ in 0..20 {
            let arguments = fitting(&mut chance, &plain, &plain, 8);
            if loose.is_valid(&arguments) {
                fit += 1;
                assert!(strict.is_valid(&arguments), "{arguments}\nfits {plain}\nfrom {original}");
            }
        }
    }
    assert!(fit > 1_000, "only {fit} values fitted");
}
