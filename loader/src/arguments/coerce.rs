//! Values that models write in the wrong type, and that can mean one thing only.
//!
//! The law: a value is changed only where its kind is none that the schema takes, so arguments that are valid are
//! never changed; and what it is changed into is of a kind that the schema takes, so a second look changes nothing.

use serde_json::{Map, Number, Value};

use super::expected::{Keywords, Kinds, Look};

/// How deep the walk goes. Parsed JSON has at most 128 levels; references and unions add some at each.
const MAX_DEPTH: u32 = 512;

/// Changes what surely means something else in `arguments`, and says whether it changed anything.
///
/// * `"42"` for an integer is 42, exact to 64 bits; `"10.0"` is 10; `"3.14"` stays.
/// * `"true"` and `"false"`, in any case, for a boolean; `"1"` stays.
/// * JSON text where an array or object is expected, at any depth, is parsed.
/// * A lone value for an array is an array of it; text that begins with `[` and does not parse is not.
/// * `"null"` for what may be null is null; `null` for a property that is neither required nor nullable is removed.
/// * A string where a string may stand is left alone, whatever it looks like.
///
/// ```
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {
///     "limit": {"type": "integer"}, "paths": {"type": "array", "items": {"type": "string"}}}});
/// let mut arguments = json!({"limit": "42", "paths": "src"});
/// assert!(toolrack::coerce_arguments(&schema, &mut arguments));
/// assert_eq!(arguments, json!({"limit": 42, "paths": ["src"]}));
/// ```
pub fn coerce_arguments(schema: &Value, arguments: &mut Value) -> bool {
    let mut changed = false;
    // Parts of a schema that say different things of one place see what the others made of it.
    for _ in 0..MAX_ROUNDS {
        if !(Coercer { look: Look::at(schema) }).value(schema, arguments, 0) {
            break;
        }
        changed = true;
    }
    changed
}

/// How often the whole is looked at; twice is the rule when something changes.
const MAX_ROUNDS: u32 = 8;

struct Coercer<'a> {
    look: Look<'a>,
}

impl<'a> Coercer<'a> {
    fn value(&self, schema: &'a Value, value: &mut Value, depth: u32) -> bool {
        if depth > MAX_DEPTH || !self.look.step() {
            return false;
        }
        let kinds = self.look.kinds(schema);
        let mut changed = false;
        if !kinds.meets(Kinds::of(value)) {
            match self.converted(schema, kinds, value) {
                Some(converted) => *value = converted,
                None => return false,
            }
            changed = true;
        }
        changed | self.inside(schema, schema, value, depth)
    }

    /// What `value`, which is of no kind that is taken, means.
    fn converted(&self, schema: &'a Value, kinds: Kinds, value: &Value) -> Option<Value> {
        if let Value::String(text) = value
            && let Some(meant) = of_text(text, kinds)
        {
            return Some(meant);
        }
        if !kinds.meets(Kinds::ARRAY) || value.is_null() {
            return None;
        }
        let of_item = self.item_kinds(schema, 0);
        let item = match value {
            // Somebody's list that went wrong, or no list: a list of that text is what nobody meant.
            Value::String(text) if text.trim_start().starts_with('[') || text == "null" => return None,
            _ if of_item.meets(Kinds::of(value)) => value.clone(),
            Value::String(text) => of_text(text, of_item)?,
            _ => return None,
        };
        Some(Value::Array(vec![item]))
    }

    /// The kinds that the first item of a list could be of.
    fn item_kinds(&self, schema: &'a Value, chain: u32) -> Kinds {
        if chain > MAX_DEPTH || !self.look.step() {
            return Kinds::NONE;
        }
        let map = match self.look.keywords(schema) {
            None => return Kinds::ANY,
            Some(Keywords::LoneRef(target)) => return self.item_kinds(target, chain + 1),
            Some(Keywords::All(map)) => map,
        };
        let has_prefix =
            map.get("prefixItems").and_then(Value::as_array).is_some_and(|tuple| !tuple.is_empty());
        let mut kinds = Kinds::ANY;
        for (keyword, said) in map {
            let takes = match (keyword.as_str(), said) {
                ("prefixItems" | "items", Value::Array(tuple)) => match tuple.first() {
                    Some(first) => self.look.kinds(first),
                    None => continue,
                },
                ("items", schema) if !has_prefix => self.look.kinds(schema),
                ("$ref", target) => match self.look.resolve(target) {
                    Some(target) => self.item_kinds(target, chain + 1),
                    None => continue,
                },
                ("allOf", Value::Array(parts)) => parts
                    .iter()
                    .map(|part| self.item_kinds(part, chain + 1))
                    .fold(Kinds::ANY, |all, part| all & part),
                ("anyOf" | "oneOf", Value::Array(parts)) => parts
                    .iter()
                    .filter(|part| self.look.kinds(part).meets(Kinds::ARRAY))
                    .map(|part| self.item_kinds(part, chain + 1))
                    .fold(Kinds::NONE, |all, part| all | part),
                _ => continue,
            };
            kinds = kinds & takes;
        }
        kinds
    }

    /// Goes on inside a container. `whole` is the schema that stands for the value, `schema` a part of it.
    fn inside(&self, whole: &'a Value, schema: &'a Value, value: &mut Value, depth: u32) -> bool {
        if !matches!(value, Value::Array(_) | Value::Object(_)) || depth > MAX_DEPTH || !self.look.step() {
            return false;
        }
        let map = match self.look.keywords(schema) {
            None => return false,
            Some(Keywords::LoneRef(target)) => return self.inside(whole, target, value, depth + 1),
            Some(Keywords::All(map)) => map,
        };
        let mut changed = match value {
            Value::Object(object) => self.object(whole, map, object, depth),
            Value::Array(items) => self.array(map, items, depth),
            _ => false,
        };
        if let Some(target) = map.get("$ref").and_then(|target| self.look.resolve(target)) {
            changed |= self.inside(whole, target, value, depth + 1);
        }
        if let Some(Value::Array(parts)) = map.get("allOf") {
            for part in parts {
                changed |= self.inside(whole, part, value, depth + 1);
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(parts)) = map.get(keyword)
                && let Some(part) = self.only_candidate(parts, value)
            {
                changed |= self.inside(whole, part, value, depth + 1);
            }
        }
        changed
    }

    fn object(
        &self,
        whole: &'a Value,
        map: &'a Map<String, Value>,
        object: &mut Map<String, Value>,
        depth: u32,
    ) -> bool {
        let properties = map.get("properties").and_then(Value::as_object);
        let others = map
            .get("additionalProperties")
            .filter(|schema| schema.is_object() && !map.contains_key("patternProperties"));
        if properties.is_none() && others.is_none() {
            return false;
        }
        let mut changed = false;
        let mut gone = Vec::new();
        for (key, value) in object.iter_mut() {
            let property = properties.and_then(|properties| properties.get(key));
            if let Some(property) = property
                && value.is_null()
                && self.is_optional(whole, map, property, key)
            {
                gone.push(key.clone());
            } else if let Some(schema) = property.or(others) {
                changed |= self.value(schema, value, depth + 1);
            }
        }
        for key in &gone {
            object.remove(key);
        }
        changed | !gone.is_empty()
    }

    /// Whether the property is neither required nor nullable. One that can have no value at all is left alone.
    fn is_optional(
        &self,
        whole: &'a Value,
        map: &'a Map<String, Value>,
        property: &'a Value,
        key: &str,
    ) -> bool {
        let kinds = self.look.kinds(property);
        kinds != Kinds::NONE && !kinds.meets(Kinds::NULL) && !names(map, key) && !self.requires(whole, key, 0)
    }

    fn requires(&self, schema: &'a Value, key: &str, chain: u32) -> bool {
        if chain > MAX_DEPTH || !self.look.step() {
            return true;
        }
        let map = match self.look.keywords(schema) {
            None => return false,
            Some(Keywords::LoneRef(target)) => return self.requires(target, key, chain + 1),
            Some(Keywords::All(map)) => map,
        };
        let of_ref = || map.get("$ref").and_then(|target| self.look.resolve(target));
        let of_all = || map.get("allOf").and_then(Value::as_array).into_iter().flatten();
        names(map, key)
            || of_ref().is_some_and(|target| self.requires(target, key, chain + 1))
            || of_all().any(|part| self.requires(part, key, chain + 1))
    }

    fn array(&self, map: &'a Map<String, Value>, items: &mut [Value], depth: u32) -> bool {
        let said = map.get("items");
        let tuple = map.get("prefixItems").or(said).and_then(Value::as_array);
        let (first, rest) = items.split_at_mut(tuple.map_or(0, Vec::len).min(items.len()));
        let mut changed = false;
        for (schema, item) in tuple.into_iter().flatten().zip(first) {
            changed |= self.value(schema, item, depth + 1);
        }
        if let Some(schema) = said.filter(|schema| schema.is_object()) {
            for item in rest {
                changed |= self.value(schema, item, depth + 1);
            }
        }
        changed
    }

    /// The only part of a union that the value could be of, if there is only one.
    fn only_candidate(&self, parts: &'a [Value], value: &Value) -> Option<&'a Value> {
        let mut candidates = parts.iter().filter(|part| self.could_be(part, value, 0));
        let first = candidates.next()?;
        candidates.next().is_none().then_some(first)
    }

    /// `false` only if `value`, as it is, is surely not valid under `schema`.
    fn could_be(&self, schema: &'a Value, value: &Value, chain: u32) -> bool {
        if !self.look.kinds(schema).meets(Kinds::of(value)) {
            return false;
        }
        let Value::Object(object) = value else { return true };
        let map = match self.look.keywords(schema) {
            None => return true,
            Some(Keywords::LoneRef(target)) => return chain > 8 || self.could_be(target, value, chain + 1),
            Some(Keywords::All(map)) => map,
        };
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let has_all = required.filter_map(Value::as_str).all(|key| object.contains_key(key));
        let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten();
        let constants_agree = || {
            properties.into_iter().all(|(key, property)| {
                object.get(key).is_none_or(|value| {
                    let constant = property.get("const");
                    let options = property.get("enum").and_then(Value::as_array);
                    constant.is_none_or(|constant| constant == value)
                        && options.is_none_or(|options| options.contains(value))
                })
            })
        };
        let target = map.get("$ref").and_then(|target| self.look.resolve(target));
        has_all
            && constants_agree()
            && (chain > 8 || target.is_none_or(|target| self.could_be(target, value, chain + 1)))
    }
}

/// Whether `required` names the key.
fn names(map: &Map<String, Value>, key: &str) -> bool {
    let required = map.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|name| name.as_str() == Some(key)))
}

/// What a text means where no text can stand.
fn of_text(text: &str, kinds: Kinds) -> Option<Value> {
    if text == "null" && kinds.meets(Kinds::NULL) {
        return Some(Value::Null);
    }
    if kinds.meets(Kinds::NUMBER)
        && let Some(number) = number(text, kinds).map(Value::Number)
    {
        return kinds.meets(Kinds::of(&number)).then_some(number);
    }
    if kinds.meets(Kinds::BOOLEAN) {
        for (word, meant) in [("true", true), ("false", false)] {
            if text.eq_ignore_ascii_case(word) {
                return Some(Value::Bool(meant));
            }
        }
    }
    if kinds.meets(Kinds::ARRAY | Kinds::OBJECT) && text.trim_start().starts_with(['{', '[']) {
        let parsed: Value = serde_json::from_str(text).ok()?;
        return kinds.meets(Kinds::of(&parsed)).then_some(parsed);
    }
    None
}

/// A number as JSON writes it; a whole one exactly or not at all.
fn number(text: &str, kinds: Kinds) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = plain(whole) && fraction.bytes().all(|byte| byte == b'0') && !fraction.is_empty();
    if is_whole {
        if whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let sign = &text[..text.len() - digits.len()];
        let exact = format!("{sign}{whole}");
        return exact
            .parse::<i64>()
            .map(Number::from)
            .or_else(|_| exact.parse::<u64>().map(Number::from))
            .ok();
    }
    if !kinds.meets(Kinds::FRACTION) {
        return None;
    }
    // The grammar of JSON, not of Rust: no `1.`, no `inf`, no white space.
    serde_json::from_str(text).ok().filter(|_| text.trim_ascii() == text)
}

#[cfg(test)]
mod tests;
