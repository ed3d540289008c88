use std::sync::Mutex;

use super::*;
use crate::{
    ActiveCall, Batch, Callable, ErrorType, Failure, LiveCall, Outcome, OutcomeFuture, Output, Registry,
    Selection, Source,
};

fn description(text: &Value) -> Description {
    Description::from_json(&text.to_string(), "demo").unwrap()
}

fn told(tools: &[&Description], name: &str) -> String {
    let list: Value = serde_json::from_str(&list(Provider::Mcp, tools.iter().copied()).json).unwrap();
    let tool = list.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone();
    tool["description"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_hint_is_shown_only_where_the_tools_it_names_are() {
    let write = description(&json!({ "name": "write", "description": "Writes.", "schema": {}, "hints": [
        { "tools": ["read"], "text": "Read it first." },
        { "tools": ["read", "search"], "text": "Or search." },
    ] }));
    let (read, search) = (tool("read", &json!({})), tool("search", &json!({})));
    assert_eq!(told(&[&write], "write"), "Writes.");
    assert_eq!(told(&[&write, &search], "write"), "Writes.");
    assert_eq!(told(&[&write, &read], "write"), "Writes.\n\nRead it first.");
    assert_eq!(told(&[&write, &search, &read], "write"), "Writes.\n\nRead it first. Or search.");
}

#[test]
fn no_hint_speaks_of_a_tool_that_could_not_be_shown() {
    let write = description(&json!({ "name": "write", "schema": {}, "hints": [
        { "tools": ["read"], "text": "Read it first." },
    ] }));
    let broken = tool("read", &json!({ "properties": { "a": 7 } }));
    let definitions = list(Provider::OpenAi, [&write, &broken].into_iter());
    assert_eq!((definitions.count, definitions.dropped.len()), (1, 1));
    assert!(!definitions.json.contains("Read it first"), "{}", definitions.json);
    let malformed = description(&json!({ "name": "write", "schema": {}, "hints": "read it" }));
    assert_eq!(told(&[&malformed], "write"), "");
}

#[test]
fn examples_that_fit_are_anthropics_and_others_are_left_out() {
    let tool = description(&json!({
        "name": "find", "schema": {
            "type": "object", "properties": { "$top": { "type": "integer", "minimum": 1 } }, "required": ["$top"],
        },
        "examples": [{ "$top": 5 }, { "$top": 0 }, { "top": 1 }, "x"],
    }));
    let definitions = list(Provider::Anthropic, [&tool].into_iter());
    let list: Value = serde_json::from_str(&definitions.json).unwrap();
    assert_eq!(list[0]["input_examples"], json!([{ "_top": 5 }]));
    let changes = &definitions.rewritten[0].changes;
    assert_eq!(changes.iter().filter(|change| change.contains("is left out")).count(), 3, "{changes:?}");
    let none = description(&json!({ "name": "find", "schema": {}, "examples": 7 }));
    let definitions = super::list(Provider::Anthropic, [&none].into_iter());
    assert!(!definitions.json.contains("input_examples"));
}

/// A tool whose description is whatever it says at the moment.
struct Changing(Mutex<Result<String, String>>);

impl Callable for Changing {
    fn call(&self, _: &ActiveCall<'_>, _: &str) -> Outcome {
        Ok(Output::text("done"))
    }

    fn call_async(&self, _: std::sync::Arc<LiveCall>, _: String) -> OutcomeFuture {
        Box::pin(std::future::ready(Err(Failure::new(ErrorType::Failed, "not asynchronous"))))
    }

    fn overrides(&self) -> Result<String, String> {
        let said = self.0.lock().unwrap().clone();
        match said {
            Err(text) if text == "panic" => panic!("on request"),
            said => said,
        }
    }
}

#[test]
fn overrides_are_asked_each_time_and_the_static_schema_stands_in_for_a_failure() {
    let tool = std::sync::Arc::new(Changing(Mutex::new(Ok(String::new()))));
    let description = description(&json!({
        "name": "delegate", "description": "Delegates.", "schema": { "type": "object" }, "dynamic": true,
    }));
    let registry = Registry::new();
    registry.publish(Batch::new(Source::builtin("app")).callable(description, tool.clone())).unwrap();
    let session = registry.session(&Selection::all());
    let shown = |answer: Result<&str, &str>| {
        *tool.0.lock().unwrap() = answer.map(str::to_owned).map_err(str::to_owned);
        let list: Value = serde_json::from_str(&session.definitions(Provider::Mcp).json).unwrap();
        assert_eq!(list[0]["name"], "delegate");
        list[0].clone()
    };
    let usual = shown(Ok(""));
    assert_eq!(usual["description"], "Delegates.");
    let changed = shown(Ok(
        r#"{"name":"other","description":"Delegates 3.","schema":{"properties":{"n":{"maximum":3}}},"later":1}"#,
    ));
    assert_eq!(changed["description"], "Delegates 3.");
    assert_eq!(changed["inputSchema"]["properties"]["n"]["maximum"], 3);
    for failure in [
        Err("no"),
        Err("panic"),
        Ok("[]"),
        Ok("{"),
        Ok(r#"{"description":7}"#),
        Ok(r#"{"description":"x","schema":[]}"#),
    ] {
        assert_eq!(shown(failure), usual, "{failure:?}");
    }
    assert_eq!(shown(Ok("  ")), usual);
}
