use std::fmt::Write as _;

use super::*;

/// Both providers' answers, on a thread with a small stack.
fn both(schema: String) -> [Definitions; 2] {
    let tool = Description::new("it", "demo", "", &schema).unwrap();
    let shown = move || [Provider::OpenAi, Provider::Mcp].map(|provider| list(provider, [&tool].into_iter()));
    std::thread::Builder::new().stack_size(1 << 20).spawn(shown).unwrap().join().unwrap()
}

fn both_drop(schema: String, why: &str) {
    for definitions in both(schema) {
        assert_eq!(definitions.json, "[]");
        assert!(definitions.dropped[0].reason.contains(why), "{}", definitions.dropped[0].reason);
    }
}

fn nested(before: &str, inside: &str, after: &str, levels: usize) -> String {
    format!("{}{inside}{}", before.repeat(levels), after.repeat(levels))
}

#[test]
fn a_schema_of_ten_thousand_levels_is_dropped_with_the_spot() {
    let deep = nested(r#"{"properties":{"a":"#, "{}", "}}", 10_000);
    both_drop(deep, "`/properties/a/properties/a");
    both_drop(format!(r#"{{"default":{}}}"#, nested("[", "", "]", 10_000)), "deeper than 100 levels");
    both_drop(nested(r#"{"allOf":["#, "{}", "]}", 10_000), "deeper than 100 levels");
}

#[test]
fn a_schema_at_the_limit_of_depth_needs_no_large_stack() {
    for (before, after, per_level) in [
        (r#"{"items":"#, "}", 1),
        (r#"{"properties":{"a":"#, "}}", 2),
        (r#"{"allOf":[{"title":"x"},"#, "]}", 2),
        (r#"{"anyOf":[{"type":"string"},"#, "]}", 2),
        (r#"{"oneOf":[{"properties":{"b":{}}},"#, "]}", 2),
        (r#"{"type":["string","object"],"additionalProperties":"#, "}", 1),
    ] {
        let levels = 94 / per_level;
        let deep = format!(r#"{{"properties":{{"p":{}}}}}"#, nested(before, "{}", after, levels - 1));
        let [_, mcp] = both(deep);
        assert_eq!(mcp.count, 1);
        if !before.contains("items") && !before.contains("\"type\":[") {
            both(nested(before, "{}", after, levels));
        }
    }
}

#[test]
fn a_schema_of_five_megabytes_is_dropped() {
    both_drop(format!(r#"{{"description":"{}"}}"#, "x".repeat(5_000_000)), "at most 1048576");
}

#[test]
fn a_number_or_a_text_that_no_parser_takes_is_dropped_with_the_spot() {
    both_drop(r#"{"properties":{"a":{"maximum":1e999}}}"#.to_owned(), "`/properties/a/maximum`");
    both_drop(r#"{"properties":{"a":{"pattern":"\ud800"}}}"#.to_owned(), "`/properties/a/pattern`");
}

#[test]
fn refs_that_would_write_out_to_more_than_memory_are_kept_instead() {
    let mut definitions = String::new();
    for level in 0..60 {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, level + 1);
        let _ = write!(definitions, r#""d{level}":{{"properties":{{"a":{next},"b":{next}}}}},"#);
    }
    let [openai, _] = both(format!(
        r##"{{"properties":{{"x":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{definitions}"d60":{{}}}}}}"##
    ));
    assert_eq!(openai.dropped, []);
    let list: Value = serde_json::from_str(&openai.json).unwrap();
    checker::check(&list[0]["function"]["parameters"]);
    assert!(openai.json.len() < 20_000);
}

#[test]
fn merges_that_would_grow_without_end_are_dropped() {
    let mut definitions = String::new();
    for level in 0..60 {
        let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, level + 1);
        let _ = write!(definitions, r#""d{level}":{{"allOf":[{next},{{"title":"x"}},{next}]}},"#);
    }
    let [openai, mcp] =
        both(format!(r##"{{"allOf":[{{"$ref":"#/$defs/d0"}}],"$defs":{{{definitions}"d60":{{}}}}}}"##));
    assert!(openai.dropped[0].reason.contains("too large or too deep"), "{}", openai.dropped[0].reason);
    assert_eq!(mcp.count, 1, "which loses nothing, writes nothing out");
}

#[test]
fn long_chains_of_refs_come_to_an_end() {
    let link =
        |level: usize, with: &str| format!(r##""d{level}":{{"$ref":"#/$defs/d{}"{with}}},"##, level + 1);
    for with in ["", r#","title":"t""#] {
        let chain: String = (0..20_000).map(|level| link(level, with)).collect();
        both(format!(
            r##"{{"properties":{{"x":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{chain}"d20000":{{}}}}}}"##
        ));
    }
    let nested: String = (0..10_000)
        .map(|level| {
            format!(r##""d{level}":{{"allOf":[{{"$ref":"#/$defs/d{}"}},{{"title":"t"}}]}},"##, level + 1)
        })
        .collect();
    both(format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{nested}"d10000":{{}}}}}}"##));
}

#[test]
fn schemas_that_are_themselves_come_to_an_end() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"$ref":"#/$defs/A","$defs":{"A":{"allOf":[{"$ref":"#/$defs/B"},{"title":"a"}]},"B":{"allOf":[{"$ref":"#/$defs/A"},{"title":"b"}]}}}"##,
        r##"{"properties":{"a":{"$ref":"#/properties/a"}}}"##,
        r##"{"properties":{"a":{"$ref":"#/properties/b","title":"x"},"b":{"$ref":"#/properties/a","title":"y"}}}"##,
        r##"{"properties":{"a":{"properties":{"b":{"$ref":"#/properties/a"}},"anyOf":[{"$ref":"#/properties/a"},{"required":["b"]}]}}}"##,
        r##"{"properties":{"a":{"type":"object","oneOf":[{"$ref":"#/properties/a"},{"type":"string"}]}}}"##,
    ] {
        let [openai, _] = both(schema.to_owned());
        if let [shown] = serde_json::from_str::<Vec<Value>>(&openai.json).unwrap().as_slice() {
            checker::check(&shown["function"]["parameters"]);
        }
    }
}

#[test]
fn tens_of_thousands_of_keys_take_no_quadratic_time() {
    let keys = |count: usize, schema: &str| -> String {
        let all: Vec<String> = (0..count).map(|i| format!(r#""k{i}":{schema}"#)).collect();
        all.join(",")
    };
    let names: Vec<String> = (0..40_000).map(|i| format!(r#""n{i}""#)).collect();
    both(format!(r#"{{"properties":{{{}}}}}"#, keys(40_000, "false")));
    both(format!(r#"{{"required":[{}]}}"#, names.join(",")));
    both(format!(
        r#"{{"properties":{{"a":{{"type":"string","allOf":[{{"enum":[{0}]}},{{"enum":[{0},"x"]}}]}}}}}}"#,
        names.join(",")
    ));
    let variants: Vec<String> = (0..20_000).map(|i| format!(r#"{{"const":{i}}}"#)).collect();
    both(format!(r#"{{"properties":{{"a":{{"oneOf":[{}]}}}}}}"#, variants.join(",")));
    let forms: Vec<String> =
        (0..5_000).map(|i| format!(r#"{{"properties":{{"k":{{"const":{i}}},"k{i}":{{}}}}}}"#)).collect();
    both(format!(r#"{{"oneOf":[{}]}}"#, forms.join(",")));
}
