//! A schema's text, looked through once before anything is done with it.

use serde::Deserialize;

use super::Unusable;
use super::pointer::Pointer;
use crate::definitions::text::visible;

/// How large a schema may be, in bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;
/// How deep it may nest. Parsers stop at 128 levels, and a request puts some around it.
pub(super) const MAX_DEPTH: usize = 100;

/// The schema as compact text that every JSON parser takes: not too large, not too deep, no half of a surrogate
/// pair, no number beyond a double. Its keys keep their order and its numbers their digits; only a bare `true` in
/// `properties` or `items` is written `{}`, and text for a model loses its hidden characters.
///
/// It works on tokens with a stack of its own, so no text can be too deep for it.
///
/// # Errors
/// Names the spot that no parser, or not every one, would take.
pub(crate) fn vetted(text: &str) -> Result<String, Unusable> {
    if text.len() > MAX_BYTES {
        let reason = format!("the schema has {} bytes, at most {MAX_BYTES} are sent", text.len());
        return Err(Unusable { spot: String::new(), reason });
    }
    let mut walk = Walk { open: Vec::new(), out: String::with_capacity(text.len()) };
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, after) = next_token(rest);
        walk.token(token)?;
        rest = after.trim_start();
    }
    Ok(walk.out)
}

/// What stands at a place in a schema.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Schema,
    /// Of `properties` or `items`: a bare `true` is written `{}`.
    PlainSchema,
    /// `items`, which may be a list of schemas too.
    Items,
    Map,
    PlainMap,
    List,
    Data,
}

struct Open {
    kind: Kind,
    is_object: bool,
    /// The key whose value comes, or the text of an index.
    key: Option<String>,
    index: usize,
}

struct Walk {
    open: Vec<Open>,
    out: String,
}

impl Walk {
    fn token(&mut self, token: &str) -> Result<(), Unusable> {
        match token {
            "{" | "[" => {
                let kind = inside(self.kind(), token == "{");
                self.out.push_str(token);
                self.open.push(Open { kind, is_object: token == "{", key: None, index: 0 });
                if self.open.len() > MAX_DEPTH {
                    self.open.pop();
                    return Err(self.fault(format!("nested deeper than {MAX_DEPTH} levels")));
                }
            }
            "}" | "]" => {
                self.open.pop();
                self.out.push_str(token);
            }
            "," => {
                if let Some(open) = self.open.last_mut() {
                    open.key = None;
                    open.index += 1;
                }
                self.out.push(',');
            }
            ":" => self.out.push(':'),
            "true" if self.kind() == Kind::PlainSchema || self.kind() == Kind::Items => {
                self.out.push_str("{}");
            }
            _ if token.starts_with('"') => self.string(token)?,
            _ => {
                if token.starts_with(|c: char| c == '-' || c.is_ascii_digit())
                    && serde_json::from_str::<f64>(token).is_err()
                {
                    return Err(self.fault("a number beyond what a double holds"));
                }
                self.out.push_str(token);
            }
        }
        Ok(())
    }

    fn string(&mut self, token: &str) -> Result<(), Unusable> {
        let decoded = |walk: &Walk| {
            serde_json::from_str::<String>(token)
                .map_err(|e| walk.fault(format!("a string that is no text: {e}")))
        };
        if let Some(Open { is_object: true, key: key @ None, .. }) = self.open.last_mut() {
            *key = Some(String::new());
            let text = decoded(self)?;
            if let Some(open) = self.open.last_mut() {
                open.key = Some(text);
            }
        } else if self.is_prose() {
            let text = decoded(self)?;
            let shown = visible(&text);
            if shown.len() != text.len() {
                let quoted = serde_json::to_string(&*shown).unwrap_or_default();
                self.out.push_str(&quoted);
                return Ok(());
            }
        } else if token.contains('\\') {
            decoded(self)?;
        }
        self.out.push_str(token);
        Ok(())
    }

    /// Whether the value that comes is text for whoever reads the schema.
    fn is_prose(&self) -> bool {
        self.open.last().is_some_and(|open| {
            matches!(open.kind, Kind::Schema | Kind::PlainSchema)
                && matches!(open.key.as_deref(), Some("description" | "title" | "$comment"))
        })
    }

    /// What the value that comes is.
    fn kind(&self) -> Kind {
        let Some(open) = self.open.last() else { return Kind::Schema };
        match open.kind {
            Kind::Schema | Kind::PlainSchema => open.key.as_deref().map_or(Kind::Data, of_keyword),
            Kind::Map => Kind::Schema,
            Kind::PlainMap | Kind::Items => Kind::PlainSchema,
            Kind::List => Kind::Schema,
            Kind::Data => Kind::Data,
        }
    }

    fn fault(&self, reason: impl Into<String>) -> Unusable {
        let mut spot = Pointer::default();
        for open in &self.open {
            match &open.key {
                Some(key) => spot.push(key),
                None if open.is_object => {}
                None => spot.push(open.index.to_string()),
            }
        }
        Unusable { spot: spot.to_string(), reason: reason.into() }
    }
}

fn of_keyword(key: &str) -> Kind {
    match key {
        "properties" => Kind::PlainMap,
        "items" => Kind::Items,
        "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => Kind::Map,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Kind::List,
        "additionalProperties"
        | "additionalItems"
        | "unevaluatedProperties"
        | "unevaluatedItems"
        | "propertyNames"
        | "contains"
        | "contentSchema"
        | "not"
        | "if"
        | "then"
        | "else" => Kind::Schema,
        _ => Kind::Data,
    }
}

/// What a container is, where a `kind` is expected.
fn inside(kind: Kind, is_object: bool) -> Kind {
    match (kind, is_object) {
        (Kind::Items, true) => Kind::PlainSchema,
        (Kind::Items, false) => Kind::Items,
        (Kind::Schema | Kind::PlainSchema | Kind::Map | Kind::PlainMap, true) | (Kind::List, false) => kind,
        _ => Kind::Data,
    }
}

/// The first token of a text that is JSON, and what follows it.
fn next_token(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let end = match bytes.first() {
        Some(b'{' | b'}' | b'[' | b']' | b',' | b':') => 1,
        Some(b'"') => {
            let mut at = 1;
            while let Some(byte) = bytes.get(at) {
                match byte {
                    b'"' => break,
                    b'\\' => at += 2,
                    _ => at += 1,
                }
            }
            (at + 1).min(bytes.len())
        }
        _ => bytes
            .iter()
            .position(|byte| matches!(byte, b'}' | b']' | b',' | b':') || byte.is_ascii_whitespace())
            .unwrap_or(bytes.len()),
    };
    text.split_at_checked(end.max(1)).unwrap_or((text, ""))
}

/// The schema as a tree. The text is [`vetted`], so nothing can be wrong with it that would not name a spot.
pub(super) fn tree(vetted: &str) -> Result<serde_json::Value, Unusable> {
    let mut reader = serde_json::Deserializer::from_str(vetted);
    serde_json::Value::deserialize(&mut reader)
        .map_err(|e| Unusable { spot: String::new(), reason: format!("the schema does not parse: {e}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_true_becomes_an_empty_schema_only_in_properties_and_items() {
        let text = r#"{ "properties": {"a": true, "properties": {"items": true}, "b": {"const": {"items": true}}},
            "additionalProperties": true, "prefixItems": [true], "default": {"properties": {"x": true}} }"#;
        assert_eq!(
            vetted(text).unwrap(),
            r#"{"properties":{"a":{},"properties":{"items":{}},"b":{"const":{"items":true}}},"additionalProperties":true,"prefixItems":[true],"default":{"properties":{"x":true}}}"#
        );
        assert_eq!(vetted(r#"{"items":[true,{}]}"#).unwrap(), r#"{"items":[{},{}]}"#);
    }

    #[test]
    fn order_digits_and_escapes_are_kept() {
        let text = r#"{"z":1.50,"a":123456789012345678901234567890,"s":"\u00e9\"\\"}"#;
        assert_eq!(vetted(text).unwrap(), text);
    }

    #[test]
    fn a_hidden_character_goes_from_descriptions_but_not_from_values() {
        let text = "{\"description\":\"a\u{200B}b\",\"enum\":[\"a\u{200B}b\"],\"properties\":{\"title\":{\"title\":\"\\u202ex\"}}}";
        assert_eq!(
            vetted(text).unwrap(),
            "{\"description\":\"ab\",\"enum\":[\"a\u{200B}b\"],\"properties\":{\"title\":{\"title\":\"x\"}}}"
        );
    }

    #[test]
    fn what_no_parser_takes_is_refused_with_its_spot() {
        let deep = format!(r#"{{"properties":{{"a":{}{}}}}}"#, "[".repeat(10_000), "]".repeat(10_000));
        let fault = vetted(&deep).unwrap_err();
        assert!(fault.reason.contains("deeper than 100 levels"), "{}", fault.reason);
        assert!(fault.spot.starts_with("/properties/a/0/0"), "{}", fault.spot);
        let fault = vetted(r#"{"default":{"a/b":[1,1e999]}}"#).unwrap_err();
        assert_eq!(fault.spot, "/default/a~1b/1");
        assert_eq!(vetted(r#"{"default":"\ud800"}"#).unwrap_err().spot, "/default");
        let large = format!(r#"{{"description":"{}"}}"#, "x".repeat(5_000_000));
        assert!(vetted(&large).unwrap_err().reason.contains("5000018 bytes"));
    }
}
