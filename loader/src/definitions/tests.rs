//! What models are shown.

// Texts that models see, whole.
mod golden;
// Schemas that nobody should write, and some people do.
mod hostile;
// Rewritten schemas of chance keep the rules, and what they say.
mod random;
// Each rule of a provider.
mod rules;

// The rules of the plain subset, stated on their own.
mod checker;
// What the providers' own rules say, stated in another language.
mod peers;
// Examples, hints and overrides.
mod shown;
// Strict forms, Gemini's subset, renamed keys, quirks, and the way back from them.
mod forms;

use serde_json::{Value, json};

use super::*;

/// Every form there is, by its name in golden files.
fn profiles() -> [(&'static str, Profile); 9] {
    let of = |provider: Provider| Profile::from(provider);
    [
        ("openai", of(Provider::OpenAi)),
        ("openai-strict", of(Provider::OpenAi).strict()),
        ("openai-quirks", of(Provider::OpenAi).without_pattern_and_format().without_slashes_in_enums()),
        ("responses", of(Provider::Responses)),
        ("responses-strict", of(Provider::Responses).strict()),
        ("anthropic", of(Provider::Anthropic)),
        ("gemini", of(Provider::Gemini)),
        ("gemini-subset", of(Provider::Gemini).gemini_subset()),
        ("mcp", of(Provider::Mcp)),
    ]
}

fn list<'a>(profile: impl Into<Profile>, tools: impl Iterator<Item = &'a Description>) -> Definitions {
    super::list(&profile.into(), tools)
}

fn tool(name: &str, schema: &Value) -> Description {
    Description::new(name, "demo", "Does it.", &schema.to_string()).unwrap()
}

/// The one tool of the schema, in OpenAI's form.
fn openai(schema: Value) -> Value {
    let definitions = list(Provider::OpenAi, [&tool("it", &schema)].into_iter());
    assert_eq!(definitions.dropped, [], "{schema}");
    let list: Value = serde_json::from_str(&definitions.json).unwrap();
    list[0]["function"].clone()
}

/// Its parameters.
fn parameters(schema: Value) -> Value {
    let parameters = openai(schema)["parameters"].clone();
    checker::check(&parameters);
    parameters
}

/// What becomes of the schema of an optional property.
fn property(schema: Value) -> Value {
    parameters(json!({ "type": "object", "properties": { "it": schema } }))["properties"]["it"].clone()
}

/// What becomes of the schema of a required property.
fn required_property(schema: Value) -> Value {
    let schema = json!({ "type": "object", "properties": { "it": schema }, "required": ["it"] });
    parameters(schema)["properties"]["it"].clone()
}

/// Why the schema is not shown.
fn dropped(provider: Provider, schema: &str) -> String {
    let tool = Description::new("it", "demo", "", schema).unwrap();
    let good = Description::new("good", "demo", "", "{}").unwrap();
    let mut definitions = list(provider, [&tool, &good].into_iter());
    assert_eq!(definitions.count, 1, "the good neighbour stays");
    assert!(definitions.json.contains("\"good\"") && !definitions.json.contains("\"it\""));
    definitions.dropped.pop().expect("should be dropped").reason
}
