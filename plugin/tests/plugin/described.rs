use toolrack_plugin::{Value, json};

use crate::demo;

fn schema(name: &str) -> Value {
    demo().description(name)["schema"].clone()
}

#[test]
fn the_manifest_in_the_file_names_every_tool_and_no_more() {
    let manifest: Value = toolrack_plugin::serde_json::from_slice(crate::register_tools.manifest()).unwrap();
    assert_eq!(manifest["name"], "demo");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["license"], "MIT OR Apache-2.0");
    assert_eq!(manifest["authors"], json!(["The Toolrack developers"]));
    assert_eq!(manifest.get("homepage"), None, "what is empty is left out");
    let listed: Vec<&str> =
        manifest["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let demo = demo();
    assert_eq!(listed, demo.names());
    for tool in manifest["tools"].as_array().unwrap() {
        let described = demo.description(tool["name"].as_str().unwrap());
        for (key, value) in tool.as_object().unwrap() {
            assert_eq!(described.get(key), Some(value), "{key} of {tool}");
        }
    }
}

#[test]
fn the_stamp_tells_the_panic_strategy_and_where_things_are() {
    let stamp = crate::register_tools.stamp();
    assert_eq!(stamp.magic, toolrack_abi::MAGIC);
    assert_eq!(stamp.flags & toolrack_abi::FLAG_PANIC_ABORT, 0);
    assert_eq!(stamp.manifest_len as usize, crate::register_tools.manifest().len());
}

#[test]
fn a_description_says_what_was_said_and_nothing_else() {
    let demo = demo();
    assert_eq!(
        *demo.description("hello"),
        json!({
            "name": "hello", "toolset": "greet", "description": "Says hello.\n\nMore of the description.",
            "title": "Hello", "emoji": "👋", "read_only": true,
            "schema": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Whom to greet."},
                    "times": {
                        "type": "integer", "format": "uint32", "minimum": 0, "default": 1,
                        "description": "How often.",
                    },
                    "suffix": {"type": ["string", "null"], "description": "A suffix."},
                },
                "required": ["name"],
                "additionalProperties": false,
            },
        })
    );
}

#[test]
fn every_attribute_reaches_the_description() {
    let demo = demo();
    let mut described = demo.description("every_thing").clone();
    described.as_object_mut().unwrap().remove("schema");
    assert_eq!(
        described,
        json!({
            "name": "every_thing", "toolset": "demo", "description": "Given in brackets.",
            "destructive": false, "idempotent": true, "open_world": true, "parallel_safe": true,
            "max_concurrent": 2, "timeout": 1.5, "max_result_size_chars": 5000,
            "requires_env": ["A|B", "C"],
            "hints": [{"tools": ["read_file"], "text": "Read it first."}, {"tools": ["a", "b"], "text": "Either."}],
            "examples": [{"x": 1}],
            "check": true, "check_id": "shared", "dynamic": true, "override": true,
        })
    );
    assert_eq!(demo.description("search")["timeout"], json!({"arg": "limit"}));
    assert_eq!(demo.description("search")["parallel_key"], json!(["pattern"]));
    assert_eq!(demo.description("waits")["is_async"], true);
    assert_eq!(demo.description("adder")["check"], true);
    assert_eq!(demo.description("adder")["dynamic"], true);
}

#[test]
fn a_tool_without_arguments_has_an_empty_closed_object() {
    assert_eq!(schema("unit"), json!({"type": "object", "properties": {}, "additionalProperties": false}));
}

#[test]
fn structs_of_the_authors_are_closed_and_inline() {
    let search = schema("search");
    assert_eq!(search["additionalProperties"], false);
    assert_eq!(search["required"], json!(["pattern"]));
    assert_eq!(search["properties"]["limit"]["default"], 50);
    assert_eq!(search["properties"]["pattern"]["description"], "What to look for.");
    let filter = schema("filter");
    assert_eq!(filter["properties"]["place"]["properties"]["path"]["type"], "string");
    assert_eq!(filter["properties"]["place"]["additionalProperties"], false);
    assert_eq!(filter["properties"]["place"]["description"], "The place.");
    assert_eq!(filter["properties"]["mark"]["default"], "x");
    assert_eq!(filter["properties"]["level"]["maximum"], 9);
    assert!(!search.to_string().contains("$ref"), "{search}");
}

#[test]
fn an_enum_of_arguments_is_an_object_still() {
    let pick = schema("pick");
    assert_eq!(pick["type"], "object");
    assert_eq!(pick["oneOf"].as_array().unwrap().len(), 2);
    let keyword = schema("keyword");
    assert_eq!(
        keyword["required"],
        json!(["camelCase", "type"]).as_array().map(|_| keyword["required"].clone()).unwrap()
    );
    assert!(keyword["properties"].get("camelCase").is_some() && keyword["properties"].get("type").is_some());
}

#[test]
fn a_result_that_is_an_object_has_a_schema() {
    let demo = demo();
    assert_eq!(demo.description("record")["output_schema"]["properties"]["n"]["type"], "integer");
    for without in ["text", "unit", "numbers", "blocks", "both", "good", "bad"] {
        assert_eq!(demo.description(without).get("output_schema"), None, "{without}");
    }
}
