use super::*;

#[test]
fn an_empty_schema_is_an_object_with_properties() {
    assert_eq!(parameters(json!({})), json!({ "type": "object", "properties": {} }));
    assert_eq!(property(json!({ "type": "object" })), json!({ "type": "object", "properties": {} }));
}

#[test]
fn an_array_has_items() {
    assert_eq!(property(json!({ "type": "array" })), json!({ "type": "array", "items": {} }));
    assert_eq!(property(json!({ "type": "array", "items": true })), json!({ "type": "array", "items": {} }));
    assert_eq!(
        property(json!({ "type": "array", "items": false })),
        json!({ "type": "array", "items": {}, "maxItems": 0 })
    );
}

#[test]
fn null_of_an_optional_property_goes_and_of_a_required_one_is_told() {
    for nullable in [
        json!({ "type": ["string", "null"], "default": null }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
        json!({ "oneOf": [{ "const": null }, { "type": "string" }] }),
        json!({ "type": "string", "nullable": true }),
    ] {
        assert_eq!(property(nullable), json!({ "type": "string" }));
    }
    assert_eq!(
        required_property(json!({ "type": ["string", "null"], "description": "Who." })),
        json!({ "type": "string", "description": "Who.\nMay be null." })
    );
    assert_eq!(
        property(json!({ "type": ["string", "null"], "enum": ["a", "b", null] })),
        json!({ "type": "string", "enum": ["a", "b"] })
    );
    assert_eq!(property(json!({ "type": "null" })), json!({ "type": "null" }));
}

#[test]
fn null_is_no_variant_however_it_is_said() {
    let variants = json!([{ "type": "string" }, { "type": "integer" }, "null"]);
    let union = json!([{ "type": "string" }, { "type": "integer" }]);
    assert_eq!(property(json!({ "anyOf": variants })), json!({ "anyOf": union }));
    let only =
        json!({ "anyOf": [{ "allOf": ["null", {}] }, { "allOf": [{ "type": "null", "title": "x" }] }] });
    assert_eq!(property(only), json!({ "type": "null" }));
    let schema = json!({
        "properties": { "it": { "anyOf": [{ "type": "string" }, { "type": "integer" }, { "$ref": "#/$defs/None" }] } },
        "required": ["it"],
        "$defs": { "None": { "type": "null" } },
    });
    let expected = json!({ "anyOf": union, "description": "May be null." });
    assert_eq!(parameters(schema)["properties"]["it"], expected);
}

#[test]
fn a_list_of_types_becomes_one_type_or_a_variant_each() {
    assert_eq!(property(json!({ "type": ["integer", "number"] })), json!({ "type": "number" }));
    assert_eq!(
        property(json!({ "type": ["string", "array"], "items": { "type": "string" }, "minLength": 1 })),
        json!({ "anyOf": [
            { "type": "array", "items": { "type": "string" } },
            { "type": "string", "minLength": 1 },
        ] })
    );
    assert_eq!(
        property(json!({ "type": ["string", "integer"], "enum": ["a", 1, true] })),
        json!({ "enum": ["a", 1] })
    );
}

#[test]
fn required_names_only_what_exists() {
    let closed =
        json!({ "properties": { "a": {} }, "required": ["a", "b", "a"], "additionalProperties": false });
    assert_eq!(parameters(closed)["required"], json!(["a"]));
    let open = openai(json!({ "properties": { "a": {} }, "required": ["b"] }));
    assert_eq!(open["parameters"].get("required"), None);
    assert_eq!(open["description"], "Does it.\n\nAlso required: `b`.");
}

#[test]
fn required_as_draft_3_said_it_is_understood() {
    let schema =
        json!({ "properties": { "a": { "type": "string", "required": true }, "b": { "required": false } } });
    assert_eq!(
        parameters(schema),
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": {} }, "required": ["a"] })
    );
}

#[test]
fn a_text_in_place_of_a_schema_is_repaired() {
    assert_eq!(property(json!("string")), json!({ "type": "string" }));
    assert_eq!(property(json!("object")), json!({ "type": "object", "properties": {} }));
    assert_eq!(property(json!("the name of it")), json!({ "description": "the name of it" }));
}

#[test]
fn true_and_false_are_no_schemas() {
    assert_eq!(property(json!(true)), json!({}));
    let schema = json!({ "properties": { "a": false, "b": {} }, "required": ["b"] });
    assert_eq!(openai(schema.clone())["description"], "Does it.\n\nMust not be given: `a`.");
    assert_eq!(parameters(schema)["properties"], json!({ "b": {} }));
}

#[test]
fn what_schemars_leaves_is_rewritten() {
    assert_eq!(
        property(json!({ "type": ["integer", "null"], "format": "uint32", "minimum": 0 })),
        json!({ "type": "integer", "minimum": 0 })
    );
    assert_eq!(property(json!({ "type": "number", "format": "double" })), json!({ "type": "number" }));
    assert_eq!(
        property(json!({ "type": "string", "format": "date-time" })),
        json!({ "type": "string", "format": "date-time" })
    );
    assert_eq!(
        property(json!({ "type": "string", "format": "password" })),
        json!({ "type": "string", "description": "Format: password." })
    );
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": { "unit": { "description": "Which.", "$ref": "#/$defs/Unit", "default": "m" } },
        "$defs": { "Unit": { "type": "string", "enum": ["m", "ft"], "description": "A unit." } },
    });
    assert_eq!(
        parameters(schema),
        json!({ "type": "object", "properties": { "unit": {
            "type": "string", "enum": ["m", "ft"], "default": "m", "description": "Which.\nA unit.",
        } } })
    );
}

#[test]
fn documented_variants_stay_a_union() {
    let variants =
        json!([{ "const": "a", "description": "First." }, { "const": "b", "description": "Second." }]);
    assert_eq!(property(json!({ "oneOf": variants })), json!({ "anyOf": variants }));
}

#[test]
fn variants_that_may_both_fit_are_told_to_exclude_each_other() {
    let union = property(json!({ "oneOf": [{ "type": "number" }, { "type": "integer" }] }));
    assert_eq!(union["description"], "Exactly one of these forms may fit.");
}

#[test]
fn a_union_at_the_root_is_folded_and_told() {
    let function = openai(json!({
        "oneOf": [
            { "type": "object", "properties": { "kind": { "const": "file" }, "path": { "type": "string" } }, "required": ["kind", "path"] },
            { "type": "object", "properties": { "kind": { "const": "url" }, "url": { "type": "string" }, "depth": { "type": "integer" } }, "required": ["kind", "url"] },
        ],
    }));
    checker::check(&function["parameters"]);
    assert_eq!(
        function["parameters"],
        json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "enum": ["file", "url"] },
            "path": { "type": "string" },
            "url": { "type": "string" },
            "depth": { "type": "integer" },
        } })
    );
    assert_eq!(
        function["description"],
        "Does it.\n\nTakes exactly one of these forms: `kind` = \"file\", `path`; or `kind` = \"url\", `url`, `depth` (optional)."
    );
}

#[test]
fn alternatives_of_required_keys_are_told() {
    let schema = json!({
        "type": "object",
        "properties": { "id": { "type": "integer" }, "name": { "type": "string" } },
        "anyOf": [{ "required": ["id"] }, { "required": ["name"] }],
    });
    let told = "Takes at least one of these forms: `id`; or `name`.";
    assert_eq!(openai(schema.clone())["description"], format!("Does it.\n\n{told}"));
    assert_eq!(property(schema)["description"], told);
}

#[test]
fn all_of_is_merged() {
    let schema = json!({
        "allOf": [
            { "$ref": "#/definitions/Base" },
            { "properties": { "b": { "type": "integer", "minimum": 1 } }, "required": ["b"] },
        ],
        "properties": { "b": { "maximum": 9 } },
        "definitions": { "Base": { "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] } },
    });
    assert_eq!(
        parameters(schema),
        json!({ "type": "object", "required": ["a", "b"], "properties": {
            "a": { "type": "string" },
            "b": { "type": "integer", "minimum": 1, "maximum": 9 },
        } })
    );
}

#[test]
fn enum_and_not_at_the_root_are_told_in_words() {
    let function = openai(json!({ "enum": [{ "a": 1 }], "not": { "required": ["b"] } }));
    checker::check(&function["parameters"]);
    assert_eq!(
        function["description"],
        r#"Does it.

It must also fit this JSON Schema: {"enum":[{"a":1}],"not":{"required":["b"]}}"#
    );
}

#[test]
fn conditions_of_a_property_go_into_its_description() {
    assert_eq!(
        property(
            json!({ "type": "object", "patternProperties": { "^x": { "type": "string" } }, "additionalProperties": false })
        ),
        json!({
            "type": "object", "properties": {}, "additionalProperties": { "type": "string" },
            "description": r#"It must also fit this JSON Schema: {"patternProperties":{"^x":{"type":"string"}}}"#,
        })
    );
    let long = property(json!({ "type": "string", "not": { "enum": ["x".repeat(500)] } }));
    assert_eq!(long["description"], "Further conditions (`not`) are checked when it is called.");
}

#[test]
fn a_tuple_becomes_a_list_of_what_its_places_take() {
    let pair = json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "number" }], "minItems": 2, "maxItems": 2 });
    assert_eq!(
        property(pair),
        json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 })
    );
    let mixed = property(
        json!({ "type": "array", "items": [{ "type": "string" }, { "type": "integer" }], "additionalItems": false }),
    );
    assert_eq!(mixed["items"], json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }));
    assert_eq!(mixed["maxItems"], 2);
    assert_eq!(
        mixed["description"],
        r#"It must also fit this JSON Schema: {"prefixItems":[{"type":"string"},{"type":"integer"}]}"#
    );
}

#[test]
fn recursion_is_kept_through_definitions_and_a_ref_stands_alone() {
    let node = json!({ "type": "object", "properties": {
        "value": { "$ref": "#/$defs/Value" },
        "next": { "anyOf": [{ "$ref": "#/$defs/Node" }, { "type": "null" }], "default": null, "description": "The next." },
        "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } },
    } });
    let schema = json!({ "properties": { "head": { "$ref": "#/$defs/Node" } }, "$defs": { "Node": node, "Value": { "type": "string" } } });
    assert_eq!(
        parameters(schema),
        json!({
            "type": "object",
            "properties": { "head": { "$ref": "#/$defs/Node" } },
            "$defs": { "Node": { "type": "object", "properties": {
                "value": { "type": "string" },
                "next": { "anyOf": [{ "$ref": "#/$defs/Node" }], "description": "The next." },
                "children": { "type": "array", "items": { "$ref": "#/$defs/Node" } },
            } } },
        })
    );
}

#[test]
fn a_root_that_contains_itself_becomes_a_definition_too() {
    let schema = json!({ "type": "object", "properties": { "not": { "$ref": "#" } } });
    let own = json!({ "type": "object", "properties": { "not": { "$ref": "#/$defs/Arguments" } } });
    let mut expected = own.clone();
    expected["$defs"] = json!({ "Arguments": own });
    assert_eq!(parameters(schema), expected);
}

#[test]
fn a_ref_that_leads_nowhere_is_told() {
    assert_eq!(
        property(json!({ "$ref": "https://example.com/x.json" })),
        json!({ "description": "Refers to \"https://example.com/x.json\", which its schema does not hold." })
    );
    assert!(
        parameters(json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/A" } } })).is_object()
    );
}

#[test]
fn a_schema_that_makes_no_sense_is_dropped_with_its_spot() {
    let reason = |schema: Value| dropped(Provider::OpenAi, &schema.to_string());
    assert_eq!(
        reason(json!({ "properties": { "a": { "items": 7 } } })),
        "`/properties/a/items`: a schema is expected, here is a value of type integer"
    );
    assert_eq!(
        reason(json!({ "properties": { "a": { "type": "text" } } })),
        "`/properties/a/type`: `text` is no type of JSON Schema"
    );
    assert_eq!(
        reason(json!({ "properties": { "a": { "anyOf": {} } } })),
        "`/properties/a/anyOf`: a list of schemas is expected"
    );
    assert_eq!(
        reason(json!({ "allOf": [{ "type": "string" }] })),
        "arguments are an object, but the schema allows none"
    );
}

#[test]
fn hidden_characters_never_reach_a_model() {
    let mut tool = tool("it", &json!({ "properties": { "a": { "description": "a\u{E0049}\u{200B}b" } } }));
    tool.description = "x\u{202E}y\u{200D}z".to_owned();
    tool.title = Some("t\u{FEFF}".to_owned());
    for provider in Provider::ALL {
        let json = list(*provider, [&tool].into_iter()).json;
        assert!(json.contains("x\u{79}\u{200D}z") && json.contains("\"ab\""), "{json}");
        assert!(!json.contains(['\u{E0049}', '\u{200B}', '\u{202E}', '\u{FEFF}']), "{json}");
    }
}

#[test]
fn a_long_description_goes_on_in_the_schema_where_there_is_no_limit() {
    let mut tool = tool("it", &json!({}));
    tool.description = "A sentence of the tool. ".repeat(100).trim().to_owned();
    let text = list(Provider::OpenAi, [&tool].into_iter()).json;
    let function = serde_json::from_str::<Value>(&text).unwrap()[0]["function"].clone();
    let (head, rest) =
        (function["description"].as_str().unwrap(), function["parameters"]["description"].as_str().unwrap());
    assert!(head.chars().count() <= 1024 && head.ends_with('.'), "{head}");
    assert_eq!(format!("{head} {rest}"), tool.description);
}

#[test]
fn mcp_loses_nothing_of_a_schema() {
    let schema = r##"{"type":"object","properties":{"z":{"type":["string","null"],"format":"uint32"},"a":{"$ref":"#/$defs/A"}},"oneOf":[{"required":["z"]}],"$defs":{"A":true}}"##;
    let tool = Description::new("it", "demo", "", schema).unwrap();
    assert_eq!(
        list(Provider::Mcp, [&tool].into_iter()).json,
        format!(r#"[{{"name":"it","inputSchema":{schema}}}]"#)
    );
}

#[test]
fn mcp_has_the_hints_that_were_said_and_no_others() {
    let text = r#"{"name":"it","title":"It","description":"d","schema":{"type":"object","properties":{"x":true}},
        "output_schema":{"type":"object"},"read_only":true,"open_world":false}"#;
    let tool = Description::from_json(text, "demo").unwrap();
    assert_eq!(
        list(Provider::Mcp, [&tool].into_iter()).json,
        r#"[{"name":"it","title":"It","description":"d","inputSchema":{"type":"object","properties":{"x":{}}},"outputSchema":{"type":"object"},"annotations":{"title":"It","readOnlyHint":true,"openWorldHint":false}}]"#
    );
}

#[test]
fn an_output_schema_that_no_client_reads_goes_alone() {
    let text = r#"{"name":"it","schema":{},"output_schema":{"type":"array"}}"#;
    let definitions = list(Provider::Mcp, [&Description::from_json(text, "demo").unwrap()].into_iter());
    assert_eq!(definitions.json, r#"[{"name":"it","inputSchema":{"type":"object","properties":{}}}]"#);
    assert!(definitions.rewritten[0].changes[0].contains("output schema is left out"));
}

#[test]
fn tools_are_sorted_and_a_second_of_a_name_is_dropped() {
    let (a, b) = (tool("a_tool", &json!({})), tool("z_tool", &json!({})));
    let mut illegal = tool("x", &json!({}));
    illegal.name = "mcp.x".to_owned();
    let definitions = list(Provider::OpenAi, [&b, &a, &b, &illegal].into_iter());
    let at = |name: &str| definitions.json.find(name).unwrap();
    assert!(at("a_tool") < at("z_tool"));
    let dropped: Vec<&str> = definitions.dropped.iter().map(|dropped| dropped.tool.as_str()).collect();
    assert_eq!((definitions.count, dropped), (2, vec!["mcp.x", "z_tool"]));
    assert_eq!(list(Provider::OpenAi, [&a, &b].into_iter()).json, definitions.json);
    assert_eq!(definitions.estimated_tokens(), definitions.json.len().div_ceil(4));
}

#[test]
fn a_provider_has_a_name() {
    for provider in Provider::ALL {
        assert_eq!(provider.as_str().parse(), Ok(*provider));
    }
    let unknown = "bard".parse::<Provider>().unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "not a provider, which is one of `openai`, `responses`, `anthropic`, `gemini`, `mcp`"
    );
}
