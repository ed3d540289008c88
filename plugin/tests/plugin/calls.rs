use toolrack_abi::{ResultKind, ToolResult};
use toolrack_plugin::{Value, json};

use crate::host::{self, Call, meta};
use crate::{demo, tools};

fn body(result: &ToolResult) -> &str {
    assert!(!result.is_error, "{result:?}");
    result.body.as_str()
}

/// The text and the error type of an answer that is an error.
fn error(result: &ToolResult) -> (String, String) {
    assert!(result.is_error, "{result:?}");
    (result.body.to_string(), meta(result)["error_type"].as_str().unwrap().to_owned())
}

#[test]
fn a_tool_is_still_a_function() {
    assert_eq!(tools::hello("you".to_owned(), 2, None), "hello youhello you");
    assert_eq!(tools::Adder::new().call(&toolrack_plugin::Context::detached(), 3), " 3");
}

#[test]
fn texts_come_as_they_are() {
    let demo = demo();
    for (name, args, expected) in [
        ("text", r#"{"text":"a \"quoted\" text"}"#, "a \"quoted\" text"),
        ("fixed", "{}", "fixed"),
        ("cow", "{}", "moo"),
        ("unit", "", ""),
    ] {
        let result = demo.call(name, args);
        assert_eq!((result.kind, body(&result)), (ResultKind::TEXT, expected));
        assert!(result.structured.is_none() && result.meta.is_none());
    }
}

#[test]
fn values_come_as_json() {
    let demo = demo();
    for (name, expected) in
        [("record", r#"{"n":3}"#), ("numbers", "[1,2]"), ("good", r#"{"n":1}"#), ("nameless", "[1,null]")]
    {
        let result = demo.call(name, "{}");
        assert_eq!((result.kind, body(&result)), (ResultKind::JSON, expected));
        assert_eq!(result.structured.as_ref().unwrap().as_str(), expected);
    }
}

#[test]
fn blocks_come_as_mcp_has_them() {
    let result = demo().call("blocks", "{}");
    assert_eq!(result.kind, ResultKind::BLOCKS);
    assert_eq!(
        host::json(&result),
        json!([{"type": "text", "text": "t"}, {"type": "image", "data": "Zm9v", "mimeType": "image/png"}])
    );
}

#[test]
fn a_tool_can_say_more_than_it_shows() {
    let result = demo().call("both", "{}");
    assert_eq!(body(&result), "one line");
    assert_eq!(result.structured.as_ref().unwrap().as_str(), r#"{"lines":1}"#);
    assert_eq!(meta(&result), json!({"took": 5}));
}

#[test]
fn a_failure_has_a_type_a_kind_and_what_the_author_added() {
    let demo = demo();
    let bad = demo.call("bad", "{}");
    assert_eq!(bad.body.as_str(), "Busy: not now");
    assert_eq!(meta(&bad), json!({"error_type": "unavailable", "kind": "Busy", "retry_after": 3}));
    let io = demo.call("bad_io", "{}");
    assert!(io.body.starts_with("Error: No such file"), "{}", io.body);
    assert_eq!(meta(&io), json!({"error_type": "failed", "kind": "Error"}));
    assert_eq!(error(&demo.call("bad_text", "{}")), ("just words".to_owned(), "failed".to_owned()));
    assert_eq!(demo.call("bad_box", "{}").body.as_str(), "Error: boxed");
    assert_eq!(demo.call("bad_alias", "{}").body.as_str(), "Error: by alias");
    assert_eq!(error(&demo.call("unwritable", "{}")).1, "tool_result_contract");
}

#[test]
fn defaults_options_and_nested_arguments_are_filled_in() {
    let demo = demo();
    assert_eq!(body(&demo.call("hello", r#"{"name":"you"}"#)), "hello you");
    assert_eq!(body(&demo.call("hello", r#"{"name":"you","times":2,"suffix":"!"}"#)), "hello you!hello you!");
    assert_eq!(body(&demo.call("hello", r#"{"name":"you","suffix":null}"#)), "hello you");
    assert_eq!(body(&demo.call("search", r#"{"pattern":"a"}"#)), "a 50");
    assert_eq!(
        body(&demo.call("search", r#"{"pattern":"a","limit":1,"place":{"path":"/x"}}"#)),
        "a 1 in /x to 0"
    );
    assert_eq!(body(&demo.call("filter", r#"{"place":{"path":"/x"},"level":3}"#)), "/x x 3");
    assert_eq!(body(&demo.call("pick", r#"{"action":"nth"}"#)), "7");
    assert_eq!(body(&demo.call("pick", r#"{"action":"first"}"#)), "1");
    assert_eq!(body(&demo.call("keyword", r#"{"type":"a","camelCase":true}"#)), "a true");
}

#[test]
fn what_is_wrong_with_arguments_is_told_with_the_place() {
    let demo = demo();
    for (name, args, expected) in [
        ("hello", r#"{"name":"a","times":"ten"}"#, "times: invalid type: string \"ten\", expected u32"),
        ("hello", "{}", "missing field `name`"),
        ("hello", r#"{"nme":"a"}"#, "unknown field `nme`, did you mean `name`?"),
        ("hello", r#"["a",1,null]"#, "the arguments must be a JSON object"),
        (
            "search",
            r#"{"pattern":"a","place":{"path":"/x","depth":300}}"#,
            "place.depth: invalid value: integer `300`, expected u8",
        ),
        (
            "search",
            r#"{"pattern":"a","place":{"path":"/x","dept":1}}"#,
            "place: unknown field `dept`, did you mean `depth`?",
        ),
    ] {
        assert_eq!(error(&demo.call(name, args)), (expected.to_owned(), "invalid_arguments".to_owned()));
    }
    assert!(error(&demo.call("hello", "{\"name\":")).0.contains("not JSON"), "a broken text");
    assert_eq!(error(&futures(demo.call_async("waits", "{}"))).1, "invalid_arguments");
}

#[test]
fn an_answer_of_another_tool_passes_through() {
    let demo = demo();
    let good = demo.call("relay", r#"{"name":"echo"}"#);
    assert_eq!((good.kind, body(&good)), (ResultKind::JSON, r#"{"token":77,"args":{"a":1}}"#));
    let bad = demo.call("relay", r#"{"name":"none"}"#);
    assert_eq!(bad.body.as_str(), "Kind: gone");
    assert_eq!(meta(&bad), json!({"error_type": "unknown_tool", "kind": "Kind", "near": ["echo"]}));
}

#[test]
fn async_tools_answer_through_both_doors() {
    let demo = demo();
    let expected = r#"hi s1 {"token":77,"args":{}}"#;
    assert_eq!(body(&futures(demo.call_async("waits", r#"{"text":"hi"}"#))), expected);
    assert_eq!(body(&demo.call("waits", r#"{"text":"hi"}"#)), expected);
    assert_eq!(body(&futures(demo.call_async("async_adder", r#"{"by":5}"#))), "15");
    let raw: Value = host::json(&futures(demo.call_async("raw", r#"{"n":5}"#)));
    assert_eq!(raw, json!({"n": 5, "task": "t1"}));
    // A host may also ask a plain tool for a future.
    assert_eq!(body(&futures(demo.call_async("text", r#"{"text":"x"}"#))), "x");
}

#[test]
fn a_cancelled_call_can_be_asked_for() {
    let demo = demo();
    let cancelled = demo.call_in("ids", "{}", &Call { cancelled: true, ..Call::default() });
    assert_eq!(error(&cancelled).1, "cancelled");
    let late = demo.call_in("ids", "{}", &Call { cancelled: true, remaining: Some(0), ..Call::default() });
    assert_eq!(error(&late).1, "timeout");
}

/// Polls to the end on this thread.
fn futures(future: impl Future<Output = ToolResult>) -> ToolResult {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}
