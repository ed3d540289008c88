use std::sync::atomic::Ordering;

use toolrack_plugin::{Context, Output, json};

use crate::host::{self, Call, meta};
use crate::{demo, tools};

#[test]
fn a_tool_reads_its_circumstances() {
    let call = Call { remaining: Some(5_000_000), allowed: Some(vec!["file".to_owned()]), ..Call::default() };
    assert_eq!(
        demo().call_in("ids", "{}", &call).body.as_str(),
        r#"s1 t1 u1 c1 c0 1 false {"traceparent":"00"} 5"#
    );
    assert!(demo().call("ids", "{}").body.contains("1 true"), "no list allows everything");
}

#[test]
fn every_service_is_within_reach() {
    let demo = demo();
    let call = Call::default();
    let answer = host::json(&demo.call_in("asks", "{}", &call));
    assert_eq!(
        answer,
        json!({
            "limit": 4, "data": "/data", "origin": "/tools", "spill": "unavailable",
            "asked": {"asked": {"sure": true}, "token": 77},
            "refused": ["refused", "`later` is refused"],
            "definitions": ["mcp", {"enabled": ["web"]}],
            "mine": ["openai", null],
            "call": {"token": 77, "args": {"b": 2}},
            "own": 0,
        })
    );
    assert_eq!(*demo.memory.events.lock().unwrap(), ["tools_changed", r#"s9: {"x":1}"#]);
    assert_eq!(*call.progress.lock().unwrap(), ["1/Some(2.0) half"]);
}

#[test]
fn a_wrong_configuration_is_told_with_the_place() {
    let demo = demo();
    *demo.memory.config.lock().unwrap() = r#"{"limit":"four"}"#.to_owned();
    let answer = demo.call("asks", "{}");
    assert_eq!(
        answer.body.as_str(),
        "the configuration of plugin `demo`: limit: invalid type: string \"four\", expected u32"
    );
    *demo.memory.config.lock().unwrap() = r#"{"limt":4}"#.to_owned();
    assert!(demo.call("asks", "{}").body.contains("did you mean `limit`?"));
}

#[test]
fn services_of_an_ended_registration_answer_an_error() {
    let demo = demo();
    demo.memory.ended.store(true, Ordering::SeqCst);
    let answer = demo.call("asks", "{}");
    assert_eq!(answer.body.as_str(), "the registration has ended");
    assert_eq!(meta(&answer)["error_type"], "unavailable");
}

#[test]
fn a_detached_context_has_what_a_test_gives_it() {
    let ctx = Context::detached()
        .with_config(json!({"limit": 9}))
        .with_task("t")
        .with_session("s")
        .with_data_dir("/d")
        .with_allowed_tools(["web"])
        .with_tool("web", |args| Output::json(&args));
    assert_eq!((ctx.task(), ctx.session(), ctx.turn()), ("t", "s", ""));
    assert_eq!(ctx.config::<toolrack_plugin::Value>().unwrap(), json!({"limit": 9}));
    assert_eq!(ctx.data_dir().unwrap(), std::path::PathBuf::from("/d"));
    assert!(ctx.may_call("web") && !ctx.may_call("file"));
    assert_eq!(
        ctx.call_tool("web", &json!({"q": 1})).unwrap().json::<toolrack_plugin::Value>().unwrap(),
        json!({"q": 1})
    );
    assert_eq!(ctx.call_tool("file", &json!({})).unwrap_err().error_type(), "unknown_tool");
    assert_eq!(ctx.tools_changed().unwrap_err().message(), "there is no host");
    assert!(ctx.check().is_ok());
    assert_eq!(ctx.with_cancelled().check().unwrap_err().error_type(), "cancelled");
}

#[test]
fn a_detached_context_keeps_state() {
    let ctx = Context::detached();
    assert_eq!((tools::count(&ctx), tools::count(&ctx)), (0, 1));
    assert_eq!(tools::count(&Context::detached()), 0);
}
