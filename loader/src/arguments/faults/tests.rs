use serde_json::{Value, json};

use crate::arguments::ArgumentSchema;

fn fault(schema: &Value, arguments: &Value) -> String {
    let schema = ArgumentSchema::compile("t", &schema.to_string());
    let arguments = arguments.to_string();
    schema
        .accept(&arguments, usize::MAX)
        .map(|accepted| accepted.text.into_owned())
        .expect_err("should be refused")
        .message
}

fn object(properties: Value) -> Value {
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

#[test]
fn a_wrong_type_is_told_with_its_spot() {
    let schema =
        object(json!({"limit": {"type": "integer"}, "x": {"type": "array", "items": {"type": "string"}}}));
    assert_eq!(fault(&schema, &json!({"limit": "ten"})), r#"/limit: expected an integer, got "ten""#);
    assert_eq!(fault(&schema, &json!({"x": ["a", 7]})), "/x/1: expected a string, got 7");
    assert_eq!(fault(&schema, &json!({"limit": 3.5})), "/limit: expected an integer, got 3.5");
}

#[test]
fn every_fault_is_in_one_answer() {
    let schema = json!({"type": "object", "required": ["path"], "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}}});
    let said = fault(&schema, &json!({"limit": 0, "pth": "x"}));
    let mut lines: Vec<&str> = said.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "/limit: expected at least 1, got 0",
            "/path: required, but not there",
            "/pth: unknown key; did you mean `path`?"
        ]
    );
}

#[test]
fn near_names_of_an_unknown_key_come_from_the_place_where_it_stands() {
    let schema = json!({"type": "object", "properties": {"inner": {"$ref": "#/$defs/inner"}, "offset": {}},
        "$defs": {"inner": {"type": "object", "properties": {"offsets": {}}, "additionalProperties": false}}});
    assert_eq!(
        fault(&schema, &json!({"inner": {"ofset": 1}})),
        "/inner/ofset: unknown key; did you mean `offsets`?"
    );
}

#[test]
fn options_constants_lengths_and_patterns_are_told_in_words() {
    let schema = object(json!({
        "mode": {"enum": ["read", "write"]}, "c": {"const": 5}, "s": {"type": "string", "maxLength": 2},
        "p": {"type": "string", "pattern": "^a+$"}, "l": {"type": "array", "minItems": 2, "uniqueItems": true}}));
    assert_eq!(fault(&schema, &json!({"mode": "raed"})), r#"/mode: expected "read" or "write", got "raed""#);
    assert_eq!(fault(&schema, &json!({"c": 6})), "/c: expected 5, got 6");
    assert_eq!(fault(&schema, &json!({"s": "äöü"})), "/s: expected at most 2 characters, got 3");
    assert_eq!(fault(&schema, &json!({"p": "b"})), r#"/p: expected text that matches `^a+$`, got "b""#);
    assert_eq!(fault(&schema, &json!({"l": [1]})), "/l: expected at least 2 items, got 1");
    assert_eq!(fault(&schema, &json!({"l": [1, 1]})), "/l: two of its items are the same");
}

#[test]
fn of_a_union_the_form_that_was_meant_is_explained() {
    let nullable = object(json!({"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}));
    assert_eq!(fault(&nullable, &json!({"n": "x"})), r#"/n: expected an integer or null, got "x""#);
    let tagged = object(json!({"a": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "move"}, "to": {"type": "string"}}, "required": ["kind", "to"]},
        {"type": "object", "properties": {"kind": {"const": "wait"}, "ms": {"type": "integer"}}, "required": ["kind", "ms"]}
    ]}}));
    assert_eq!(fault(&tagged, &json!({"a": {"kind": "wait"}})), "/a/ms: required, but not there");
    assert_eq!(
        fault(&tagged, &json!({"a": {"kind": "wait", "ms": true}})),
        "/a/ms: expected an integer, got true"
    );
    assert!(fault(&tagged, &json!({"a": {}})).starts_with("/a: fits none of the 2 forms"));
}

#[test]
fn a_thousand_faults_and_a_long_value_stay_short() {
    let schema =
        object(json!({"x": {"type": "array", "items": {"type": "integer"}}, "y": {"type": "integer"}}));
    let said = fault(&schema, &json!({"x": vec!["a"; 1_000]}));
    assert_eq!(said.lines().count(), 21, "{said}");
    assert!(said.ends_with("and 980 more faults"));
    let said = fault(&schema, &json!({"y": "é".repeat(10_000)}));
    assert!(said.chars().count() < 200 && said.ends_with('…'), "{said}");
    assert_eq!(fault(&schema, &json!({"y": vec![0; 1_000]})), "/y: expected an integer, got an array");
}
