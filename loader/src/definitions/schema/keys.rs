//! Property keys that a provider refuses, renamed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::notes::Notes;
use super::pointer::Pointer;
use super::{Plain, Schema, walk};

/// How long a key may be.
const MAX_CHARS: usize = 64;

/// Renames the property keys that are not `[A-Za-z0-9_.-]{1,64}`; their schemas say what they stand for. Returns
/// the own key of each new one.
pub(in crate::definitions) fn rename(plain: &mut Plain) -> BTreeMap<String, String> {
    let mut keys = BTreeSet::new();
    walk::each(&mut plain.schema, &mut Pointer::default(), &mut |schema, _| {
        keys.extend(properties(schema).map(|(key, _)| key.clone()));
    });
    let mut taken = keys.clone();
    let renamed: BTreeMap<String, String> = keys
        .into_iter()
        .filter(|key| !is_legal(key))
        .map(|key| {
            let new = legal(&key, &mut taken);
            (key, new)
        })
        .collect();
    if renamed.is_empty() {
        return BTreeMap::new();
    }
    walk::each(&mut plain.schema, &mut Pointer::default(), &mut |schema, _| {
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            *properties = std::mem::take(properties)
                .into_iter()
                .map(|(key, mut property)| match renamed.get(&key) {
                    Some(new) => {
                        tell(&mut property, &key);
                        (new.clone(), property)
                    }
                    None => (key, property),
                })
                .collect();
        }
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            for name in required {
                if let Some(new) = name.as_str().and_then(|name| renamed.get(name)) {
                    *name = new.as_str().into();
                }
            }
        }
    });
    for (key, new) in &renamed {
        plain
            .changes
            .push(format!("the key `{}` is called `{new}`", crate::escaped(std::path::Path::new(key))));
    }
    renamed.into_iter().map(|(key, new)| (new, key)).collect()
}

fn properties(schema: &Schema) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn is_legal(key: &str) -> bool {
    (1..=MAX_CHARS).contains(&key.len()) && key.bytes().all(is_legal_byte)
}

fn is_legal_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn legal(key: &str, taken: &mut BTreeSet<String>) -> String {
    let legal = |c: char| u8::try_from(c).is_ok_and(is_legal_byte);
    let mut wanted: String = key.chars().map(|c| if legal(c) { c } else { '_' }).take(MAX_CHARS).collect();
    if wanted.is_empty() {
        wanted.push('_');
    }
    let mut new = wanted.clone();
    let mut count = 1;
    while !taken.insert(new.clone()) {
        count += 1;
        let end = format!("_{count}");
        new = wanted.chars().take(MAX_CHARS - end.len()).chain(end.chars()).collect();
    }
    new
}

fn tell(property: &mut Value, key: &str) {
    const SHOWN: usize = 200;
    let Value::Object(schema) = property else { return };
    let shown: String = key.chars().take(SHOWN).collect();
    let mut notes = Notes::default();
    notes.say(format!("Stands for `{}`.", crate::definitions::text::visible(&shown)));
    if let Some(reference) = schema.remove("$ref") {
        // A `$ref` has nothing beside it.
        schema.insert("anyOf".to_owned(), serde_json::json!([{ "$ref": reference }]));
    }
    notes.describe(schema);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_key_is_legal_and_its_own() {
        let mut taken = BTreeSet::from(["a_b".to_owned(), "a b".to_owned()]);
        assert_eq!(legal("a b", &mut taken), "a_b_2");
        assert_eq!(legal("a/b", &mut taken), "a_b_3");
        assert_eq!(legal("", &mut taken), "_");
        let long = "x".repeat(80);
        assert_eq!(legal(&long, &mut taken), "x".repeat(64));
        let second = legal(&long, &mut taken);
        assert!(is_legal(&second) && second.ends_with("_2"), "{second}");
        assert!(!is_legal("é") && is_legal("a.b-c_1"));
    }
}
