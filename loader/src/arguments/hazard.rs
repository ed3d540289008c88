//! Schemas that a validator would not come to an end with.
//!
//! A `$ref`, `allOf` and their like are followed without going a step further into the value. A schema that comes
//! back to itself in that way says nothing and never ends; one that branches at each step takes longer than anybody
//! waits.

use std::collections::HashMap;

use serde_json::Value;

use super::expected::resolve;

/// How many schemas may apply to one place of a value.
const MAX_COST: u64 = 10_000;

/// How long a chain of references and unions may be.
const MAX_CHAIN: usize = 128;

/// Why the schema should not be validated against; nothing if it may.
pub(super) fn hazard(root: &Value) -> Option<String> {
    let mut look = Hazards { root, cost: HashMap::new(), chain: Vec::new() };
    let mut open = vec![root];
    while let Some(schema) = open.pop() {
        match schema {
            Value::Object(map) => {
                if let Err(why) = look.cost(schema) {
                    return Some(why);
                }
                open.extend(map.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    None
}

struct Hazards<'a> {
    root: &'a Value,
    /// What is known, by the schema's address.
    cost: HashMap<*const Value, u64>,
    chain: Vec<*const Value>,
}

impl<'a> Hazards<'a> {
    /// How many schemas apply to one place because of this one.
    fn cost(&mut self, schema: &'a Value) -> Result<u64, String> {
        let at: *const Value = schema;
        if let Some(cost) = self.cost.get(&at) {
            return Ok(*cost);
        }
        let Some(map) = schema.as_object() else { return Ok(1) };
        if self.chain.contains(&at) {
            return Err("it refers to itself without a step into the value".to_owned());
        }
        if self.chain.len() >= MAX_CHAIN {
            return Err(format!("its references form a chain of more than {MAX_CHAIN}"));
        }
        self.chain.push(at);
        let mut cost: u64 = 1;
        for (keyword, said) in map {
            match (keyword.as_str(), said) {
                ("$ref", Value::String(target)) if target.starts_with('#') => {
                    if let Some(target) = resolve(self.root, target) {
                        cost = cost.saturating_add(self.cost(target)?);
                    }
                }
                // Where these lead cannot be seen from here.
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                    return Err(format!("`{keyword}` is not followed"));
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    for part in parts {
                        cost = cost.saturating_add(self.cost(part)?);
                    }
                }
                ("not" | "if" | "then" | "else", part) => cost = cost.saturating_add(self.cost(part)?),
                ("dependentSchemas" | "dependencies", Value::Object(parts)) => {
                    for part in parts.values() {
                        cost = cost.saturating_add(self.cost(part)?);
                    }
                }
                _ => {}
            }
        }
        self.chain.pop();
        if cost > MAX_COST {
            return Err(format!("more than {MAX_COST} schemas apply to one place"));
        }
        self.cost.insert(at, cost);
        Ok(cost)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recursion_into_the_value_is_none_and_recursion_on_the_spot_is() {
        let tree = json!({"type": "object", "properties": {"next": {"$ref": "#"}}});
        assert_eq!(hazard(&tree), None);
        let list = json!({"$defs": {"a": {"items": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}}});
        assert_eq!(hazard(&list), None);
        let on_the_spot = json!({"allOf": [{"$ref": "#"}]});
        assert!(hazard(&on_the_spot).unwrap().contains("refers to itself"));
        let pair = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}});
        assert!(hazard(&pair).unwrap().contains("refers to itself"));
    }

    #[test]
    fn a_schema_that_doubles_at_each_step_is_one() {
        let mut defs = serde_json::Map::new();
        for i in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
            defs.insert(format!("d{i}"), json!({"allOf": [next, next]}));
        }
        defs.insert("d40".to_owned(), json!({"type": "string"}));
        let doubling = json!({"$defs": defs, "$ref": "#/$defs/d0"});
        assert!(hazard(&doubling).unwrap().contains("schemas apply to one place"));
    }

    #[test]
    fn a_long_chain_is_one() {
        let mut defs = serde_json::Map::new();
        for i in 0..10_000 {
            defs.insert(format!("d{i}"), json!({"$ref": format!("#/$defs/d{}", i + 1)}));
        }
        assert!(hazard(&json!({"$defs": defs})).unwrap().contains("chain"));
    }
}
