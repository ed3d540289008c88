use serde_json::{Map, Value, json};

use super::coerce_arguments;
use crate::testing_random::Random;

/// What `given` becomes as the property `x` of that schema.
#[track_caller]
fn becomes(schema: Value, given: Value, expected: Value) {
    let schema = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    let mut arguments = json!({"x": given});
    let changed = coerce_arguments(&schema, &mut arguments);
    assert_eq!(arguments["x"], expected, "{given}");
    assert_eq!(changed, given != expected, "{given}");
}

#[track_caller]
fn stays(schema: Value, given: Value) {
    becomes(schema, given.clone(), given);
}

#[test]
fn text_for_an_integer_is_that_integer_exact_to_64_bits() {
    let integer = || json!({"type": "integer"});
    becomes(integer(), json!("42"), json!(42));
    becomes(integer(), json!("-7"), json!(-7));
    becomes(integer(), json!("10.0"), json!(10));
    becomes(integer(), json!("9223372036854775807"), json!(i64::MAX));
    becomes(integer(), json!("-9223372036854775808"), json!(i64::MIN));
    becomes(integer(), json!("18446744073709551615"), json!(u64::MAX));
    for left_alone in
        ["3.14", "18446744073709551616", "007", "+5", " 5", "5.", ".5", "1e3", "", "-", "0x10", "٣", "1_000"]
    {
        stays(integer(), json!(left_alone));
    }
}

#[test]
fn text_for_a_number_is_that_number() {
    let number = || json!({"type": "number"});
    becomes(number(), json!("2.75"), json!(2.75));
    becomes(number(), json!("42"), json!(42));
    becomes(number(), json!("-0.5e-3"), json!(-0.0005));
    for left_alone in ["NaN", "inf", "1.", "1e999", "123456789012345678901234567890", "1 "] {
        stays(number(), json!(left_alone));
    }
}

#[test]
fn true_and_false_in_any_case_are_booleans_and_1_is_not() {
    let boolean = || json!({"type": "boolean"});
    becomes(boolean(), json!("true"), json!(true));
    becomes(boolean(), json!("False"), json!(false));
    becomes(boolean(), json!("TRUE"), json!(true));
    for left_alone in [json!("1"), json!("yes"), json!(""), json!(1), json!(0)] {
        stays(boolean(), left_alone);
    }
}

#[test]
fn json_text_where_a_container_is_expected_is_parsed_at_any_depth() {
    becomes(json!({"type": "object"}), json!(r#"{"a":1}"#), json!({"a": 1}));
    becomes(json!({"type": "array"}), json!(" [1,2]"), json!([1, 2]));
    let nested = json!({"type": "object", "properties": {"list": {"type": "array", "items": {
        "type": "object", "properties": {"n": {"type": "integer"}}}}}});
    becomes(nested.clone(), json!(r#"{"list":"[\"{\\\"n\\\":\\\"5\\\"}\"]"}"#), json!({"list": [{"n": 5}]}));
    becomes(nested, json!({"list": [r#"{"n":1}"#]}), json!({"list": [{"n": 1}]}));
    stays(json!({"type": "object"}), json!("[1]"));
    stays(json!({"type": "object"}), json!("{not json"));
}

#[test]
fn a_lone_value_for_an_array_is_an_array_of_it() {
    let strings = || json!({"type": "array", "items": {"type": "string"}});
    becomes(strings(), json!("a"), json!(["a"]));
    becomes(json!({"type": "array"}), json!({"a": 1}), json!([{"a": 1}]));
    becomes(json!({"type": "array", "items": {"type": "integer"}}), json!("5"), json!([5]));
    becomes(json!({"type": "array", "items": {"type": "integer"}}), json!(5), json!([5]));
    becomes(json!({"type": "array", "items": {"type": "object"}}), json!(r#"{"a":1}"#), json!([{"a": 1}]));
    stays(strings(), json!("[a, b"));
    stays(json!({"type": "array", "items": {"type": "integer"}}), json!("five"));
    stays(strings(), json!(null));
    let lists = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    stays(lists.clone(), json!(5));
    becomes(lists, json!([5]), json!([[5]]));
}

#[test]
fn a_number_is_only_meant_where_such_a_one_may_stand() {
    stays(json!({"enum": [1.5, true]}), json!("10.0"));
    becomes(json!({"enum": [1.5, true]}), json!("1.5"), json!(1.5));
    stays(json!({"type": "integer"}), json!("1e3"));
    becomes(json!({"type": "number"}), json!("1e3"), json!(1000.0));
}

#[test]
fn the_text_null_for_a_nullable_is_null() {
    becomes(json!({"type": ["integer", "null"]}), json!("null"), json!(null));
    becomes(json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}), json!("null"), json!(null));
    stays(json!({"type": ["string", "null"]}), json!("null"));
    stays(json!({"type": "integer"}), json!("null"));
}

#[test]
fn null_for_a_property_that_is_neither_required_nor_nullable_is_removed() {
    let schema = json!({"type": "object", "required": ["must"], "properties": {
        "must": {"type": "string"}, "may": {"type": "string"}, "nullable": {"type": ["string", "null"]},
        "free": {}, "inner": {"type": "object", "properties": {"may": {"type": "integer"}}}},
        "allOf": [{"properties": {"also": {"type": "integer"}}, "required": ["also"]}]});
    let mut arguments = json!({"must": null, "may": null, "nullable": null, "free": null, "other": null,
        "inner": {"may": null}, "also": null});
    assert!(coerce_arguments(&schema, &mut arguments));
    assert_eq!(
        arguments,
        json!({"must": null, "nullable": null, "free": null, "other": null, "inner": {}, "also": null})
    );
}

#[test]
fn a_string_that_looks_like_json_stays_where_a_string_may_stand() {
    for text in [r#"{"a":1}"#, "[1]", "42", "true", "null"] {
        stays(json!({"type": "string"}), json!(text));
        stays(json!({"type": ["string", "object", "integer", "boolean", "null"]}), json!(text));
        stays(json!({}), json!(text));
        stays(json!({"enum": [text, 1]}), json!(text));
    }
}

#[test]
fn a_value_of_another_kind_is_never_made_into_text() {
    for value in [json!(5), json!(true), json!({}), json!([]), json!(null)] {
        stays(json!({"type": "string"}), value);
    }
}

#[test]
fn in_a_union_only_the_form_that_it_can_be_is_followed() {
    let union = json!({"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "n": {"type": "string"}}, "required": ["kind"]}]});
    becomes(union.clone(), json!({"kind": "a", "n": "1"}), json!({"kind": "a", "n": 1}));
    stays(union.clone(), json!({"kind": "b", "n": "1"}));
    stays(union, json!({"n": "1"}));
}

#[test]
fn references_are_followed_and_an_endless_one_ends() {
    let schema = json!({"$defs": {"n": {"type": "integer"}, "loop": {"$ref": "#/$defs/loop"}},
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/loop"}, "self": {"$ref": "#"}}});
    let mut arguments = json!({"a": "1", "b": "1", "self": {"self": {"a": "2"}}});
    assert!(coerce_arguments(&schema, &mut arguments));
    assert_eq!(arguments, json!({"a": 1, "b": "1", "self": {"self": {"a": 2}}}));
    let mut deep = json!({"a": "1"});
    for _ in 0..600 {
        deep = json!({"self": deep});
    }
    coerce_arguments(&json!({"allOf": [{"$ref": "#"}], "properties": {"self": {"$ref": "#"}}}), &mut deep);
}

/// A schema, of every form that coercion knows.
fn random_schema(random: &mut Random, depth: usize) -> Value {
    let leaf = depth == 0 || random.one_in(3);
    let simple = |random: &mut Random| {
        let names = ["integer", "number", "boolean", "string", "null", "array", "object"];
        names[random.below(names.len())]
    };
    match if leaf { random.below(5) } else { 5 + random.below(6) } {
        0 | 1 => json!({"type": simple(random)}),
        2 => json!({"type": [simple(random), simple(random)]}),
        3 => json!({"enum": [random_value(random, 0), random_value(random, 0)]}),
        4 => [json!({}), json!(true), json!({"const": 1}), json!({"$ref": "#"}), json!(false)]
            [random.below(5)]
        .clone(),
        5 => json!({"type": "array", "items": random_schema(random, depth - 1)}),
        6 => json!({"anyOf": [random_schema(random, depth - 1), random_schema(random, depth - 1)]}),
        7 => json!({"oneOf": [random_schema(random, depth - 1), random_schema(random, depth - 1)]}),
        8 => json!({"allOf": [random_schema(random, depth - 1), random_schema(random, depth - 1)]}),
        9 => {
            json!({"prefixItems": [random_schema(random, depth - 1)], "items": random_schema(random, depth - 1)})
        }
        _ => random_object(random, depth),
    }
}

fn random_object(random: &mut Random, depth: usize) -> Value {
    let mut object = json!({"properties": {}});
    for key in ["a", "b", "c"] {
        if random.one_in(2) {
            object["properties"][key] = random_schema(random, depth - 1);
        }
    }
    if random.one_in(2) {
        object["type"] = json!("object");
    }
    if random.one_in(3) {
        object["required"] = json!(["a"]);
    }
    match random.below(4) {
        0 => object["additionalProperties"] = json!(false),
        1 => object["additionalProperties"] = random_schema(random, depth - 1),
        _ => {}
    }
    if random.one_in(4) {
        object["anyOf"] = json!([random_schema(random, depth - 1), random_schema(random, depth - 1)]);
    }
    object
}

fn random_value(random: &mut Random, depth: usize) -> Value {
    let texts = [
        "42",
        "10.0",
        "3.14",
        "true",
        "False",
        "null",
        "[1",
        "[\"1\"]",
        "{\"a\":\"1\"}",
        "x",
        "",
        "[{}]",
        "1e3",
    ];
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 => json!(null),
        1 => json!(random.one_in(2)),
        2 => json!(random.below(3)),
        3 => json!(1.5),
        4 | 5 => json!(texts[random.below(texts.len())]),
        6 => (0..random.below(3)).map(|_| random_value(random, depth - 1)).collect(),
        _ => {
            let mut object = Map::new();
            for key in ["a", "b", "c", "d"] {
                if random.one_in(2) {
                    object.insert(key.to_owned(), random_value(random, depth - 1));
                }
            }
            Value::Object(object)
        }
    }
}

#[test]
fn a_second_look_changes_nothing_and_valid_arguments_are_never_changed() {
    let mut random = Random::seeded();
    let (mut valid, mut changed) = (0, 0);
    for _ in 0..4_000 {
        let schema = random_object(&mut random, 3);
        let Ok(validator) = jsonschema::options().build(&schema) else { continue };
        let endless = super::super::hazard::hazard(&schema).is_some();
        for _ in 0..4 {
            let given = random_value(&mut random, 3);
            let mut once = given.clone();
            let did = coerce_arguments(&schema, &mut once);
            assert_eq!(did, once != given, "{schema} {given}, {random}");
            let mut twice = once.clone();
            assert!(!coerce_arguments(&schema, &mut twice), "{schema}\n{given}\n{once}\n{twice}\n{random}");
            changed += usize::from(did);
            if !endless && validator.is_valid(&given) {
                assert!(!did, "valid, and changed: {schema}\n{given}\n{once}\n{random}");
                valid += 1;
            }
        }
    }
    assert!(valid > 500 && changed > 500, "{valid} valid, {changed} changed, {random}");
}
