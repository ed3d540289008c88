use serde_json::{Value, json};

use super::*;
use crate::answer::ErrorType;

fn schema(value: &Value) -> ArgumentSchema {
    ArgumentSchema::compile("t", &value.to_string())
}

#[test]
fn what_fits_is_passed_on_to_the_byte() {
    let schema = schema(&json!({"type": "object", "properties": {"n": {"type": "number"}}}));
    let text = r#"{ "n": 1.50, "other":12345678901234567890123 }"#;
    let accepted = schema.accept(text, usize::MAX).unwrap();
    assert!(matches!(accepted.text, Cow::Borrowed(same) if std::ptr::eq(same, text)));
}

#[test]
fn what_is_coerced_leaves_the_rest_its_digits() {
    let schema = schema(&json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    let accepted = schema.accept(r#"{"z":12345678901234567890123,"n":"7"}"#, usize::MAX).unwrap();
    assert_eq!(accepted.text, r#"{"n":7,"z":12345678901234567890123}"#);
    assert_eq!(accepted.value["n"], 7);
}

#[test]
fn a_schema_10_000_levels_deep_is_not_validated_against_and_harms_nobody() {
    let deep =
        format!("{}{}", r#"{"properties":{"a":"#.repeat(10_000), "{}".to_owned() + &"}}".repeat(10_000));
    let schema = ArgumentSchema::compile("t", &deep);
    assert!(schema.validator.is_none());
    assert_eq!(schema.accept(r#"{"a":1}"#, usize::MAX).unwrap().text, r#"{"a":1}"#);
}

#[test]
fn a_schema_as_deep_as_a_parser_goes_is_validated_against() {
    let (mut deep, mut arguments) = (json!({"type": "integer"}), json!("x"));
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"a": deep}, "required": ["a"]});
        arguments = json!({"a": arguments});
    }
    let text = arguments.to_string();
    let failure = schema(&deep).accept(&text, usize::MAX).err().unwrap();
    assert!(failure.message.ends_with(r#"expected an integer, got "x""#), "{}", failure.message);
}

#[test]
fn a_recursive_schema_is_validated_against_as_deep_as_the_arguments_go() {
    let tree = json!({"type": "object", "properties": {
        "value": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "required": ["value"], "additionalProperties": false});
    let schema = schema(&tree);
    let mut arguments = json!({"value": 1, "next": null});
    for _ in 0..100 {
        arguments = json!({"value": "2", "next": arguments});
    }
    let text = arguments.to_string();
    let accepted = schema.accept(&text, usize::MAX).unwrap();
    assert_eq!(accepted.value["next"]["next"]["value"], 2);
    let failure = schema.accept(r#"{"value":1,"next":{"value":"x"}}"#, usize::MAX).err().unwrap();
    assert_eq!(failure.message, r#"/next/value: expected an integer, got "x""#);
}

#[test]
fn schemas_that_turn_on_the_spot_end() {
    for endless in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "properties": {"x": {"$ref": "#/$defs/a"}}}),
        json!({"anyOf": [{"$ref": "#/anyOf/1"}, {"$ref": "#/anyOf/0"}]}),
        json!({"$anchor": "a", "allOf": [{"$ref": "#a"}]}),
        json!({"$id": "urn:x", "allOf": [{"$ref": "urn:x"}]}),
        json!({"$dynamicAnchor": "a", "allOf": [{"$dynamicRef": "#a"}]}),
        json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "allOf": [{"$recursiveRef": "#"}]}),
    ] {
        let schema = schema(&endless);
        assert!(schema.accept(r#"{"x":{"y":"1"}}"#, usize::MAX).is_ok(), "{endless}");
    }
}

#[test]
fn long_chains_of_references_end() {
    for link in ["$ref", "property", "alternate"] {
        let mut defs = serde_json::Map::new();
        for i in 0..4_000 {
            let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
            let def = match link {
                "$ref" => next,
                "property" => json!({"properties": {"a": next}}),
                _ => json!({"items": {"allOf": [next]}}),
            };
            defs.insert(format!("d{i}"), def);
        }
        defs.insert("d4000".to_owned(), json!({}));
        let schema = schema(&json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/d0"}}}));
        assert!(schema.accept(r#"{"x":{"a":1}}"#, usize::MAX).is_ok());
    }
}

#[test]
fn nothing_is_fetched() {
    for remote in [
        json!({"properties": {"x": {"$ref": "https://schemas.invalid/x.json"}}}),
        json!({"properties": {"x": {"$ref": "file:///etc/passwd"}}}),
        json!({"properties": {"x": {"$ref": "other.json#/a"}}}),
        json!({"properties": {"x": {"$ref": "#/$defs/absent"}}}),
    ] {
        let schema = schema(&remote);
        assert!(schema.validator.is_none(), "{remote}");
        assert!(schema.accept(r#"{"x":1}"#, usize::MAX).is_ok());
    }
}

#[test]
fn an_unknown_dialect_is_read_as_the_newest() {
    let schema =
        schema(&json!({"$schema": "https://schemas.invalid/mine", "properties": {"x": {"type": "integer"}}}));
    assert_eq!(schema.accept(r#"{"x":"1"}"#, usize::MAX).unwrap().text, r#"{"x":1}"#);
    assert!(schema.accept(r#"{"x":"y"}"#, usize::MAX).is_err());
}

#[test]
fn a_schema_of_5_mb_is_validated_against() {
    let properties: serde_json::Map<String, Value> = (0..75_000)
        .map(|i| (format!("property_number_{i}"), json!({"type": "integer", "description": "one of many"})))
        .collect();
    let text = json!({"type": "object", "properties": properties}).to_string();
    assert!(text.len() > 4_500_000, "{}", text.len());
    let schema = ArgumentSchema::compile("t", &text);
    let failure = schema.accept(r#"{"property_number_777":"x"}"#, usize::MAX).err().unwrap();
    assert_eq!(failure.error_type, ErrorType::InvalidArguments);
    assert_eq!(failure.message, r#"/property_number_777: expected an integer, got "x""#);
}

#[test]
fn a_pattern_that_never_ends_is_a_fault_and_not_a_hang() {
    let schema = schema(&json!({"properties": {"x": {"pattern": "^(?=(a+)+$)(a|aa)+\\1$"}}}));
    let text = format!(r#"{{"x":"{}!"}}"#, "a".repeat(5_000));
    assert!(schema.accept(&text, usize::MAX).is_err());
}
