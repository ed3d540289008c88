use serde_json::Value;

/// Panics with the spot where `root` is not what OpenAI and the servers that speak its form take.
pub(super) fn check(root: &Value) {
    let map = root.as_object().expect("the root is an object");
    assert_eq!(map.get("type").and_then(Value::as_str), Some("object"), "the root's type: {root}");
    for key in ["oneOf", "anyOf", "allOf", "enum", "not", "const", "$ref"] {
        assert!(!map.contains_key(key), "`{key}` at the root: {root}");
    }
    if let Some(definitions) = map.get("$defs") {
        for (name, schema) in definitions.as_object().expect("`$defs` is an object") {
            walk(schema, root, &format!("/$defs/{name}"));
        }
    }
    let mut without = map.clone();
    without.remove("$defs");
    walk(&without.into(), root, "");
}

fn walk(schema: &Value, root: &Value, at: &str) {
    let map = schema.as_object().unwrap_or_else(|| panic!("{at}: no schema: {schema}"));
    if let Some(reference) = map.get("$ref") {
        assert_eq!(map.len(), 1, "{at}: something beside `$ref`");
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a local `$ref`");
        assert!(
            pointer.starts_with("/$defs/") && root.pointer(pointer).is_some(),
            "{at}: {reference} leads nowhere"
        );
        return;
    }
    for gone in [
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
        "patternProperties",
        "propertyNames",
        "contains",
        "prefixItems",
        "additionalItems",
        "dependentSchemas",
        "dependentRequired",
        "dependencies",
        "unevaluatedProperties",
        "unevaluatedItems",
        "$defs",
        "definitions",
        "$schema",
        "$id",
        "nullable",
    ] {
        assert!(!map.contains_key(gone), "{at}: `{gone}`");
    }
    let kind = map.get("type").map(|kind| kind.as_str().unwrap_or_else(|| panic!("{at}: a list of types")));
    let properties = map.get("properties").map(|all| all.as_object().expect("`properties` is an object"));
    match kind {
        Some("object") => assert!(properties.is_some(), "{at}: an object without `properties`"),
        Some("array") => assert!(map.contains_key("items"), "{at}: an array without `items`"),
        Some("string" | "number" | "integer" | "boolean" | "null") | None => {}
        Some(other) => panic!("{at}: no type: {other}"),
    }
    if kind.is_some_and(|kind| kind != "object") {
        assert!(properties.is_none() && !map.contains_key("required"), "{at}: properties of a {kind:?}");
    }
    if let Some(required) = map.get("required") {
        let names = required.as_array().expect("`required` is a list");
        assert!(!names.is_empty(), "{at}: `required` is empty");
        for (i, name) in names.iter().enumerate() {
            let exists =
                name.as_str().is_some_and(|name| properties.is_some_and(|all| all.contains_key(name)));
            assert!(exists, "{at}: {name} is required and not there");
            assert!(!names[..i].contains(name), "{at}: {name} is required twice");
        }
    }
    if let Some(format) = map.get("format").and_then(Value::as_str) {
        assert!(!format.contains("int") && format != "double" && format != "float", "{at}: format {format}");
    }
    if kind != Some("null") && kind.is_some() {
        assert!(map.get("default") != Some(&Value::Null), "{at}: null as the default of a {kind:?}");
    }
    for (key, child) in properties.into_iter().flatten() {
        walk(child, root, &format!("{at}/properties/{key}"));
    }
    if let Some(items) = map.get("items") {
        walk(items, root, &format!("{at}/items"));
    }
    if let Some(others) = map.get("additionalProperties").filter(|others| !others.is_boolean()) {
        walk(others, root, &format!("{at}/additionalProperties"));
    }
    if let Some(variants) = map.get("anyOf") {
        let variants = variants.as_array().expect("`anyOf` is a list");
        let is_reference = variants.len() == 1 && variants[0].get("$ref").is_some();
        assert!(variants.len() > 1 || is_reference, "{at}: a union of {}", variants.len());
        for (i, variant) in variants.iter().enumerate() {
            assert!(variant.get("type") != Some(&Value::from("null")), "{at}: null is a variant");
            walk(variant, root, &format!("{at}/anyOf/{i}"));
        }
    }
}
