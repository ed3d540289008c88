use std::task::{Context, Poll, Waker};

use toolrack_abi::abi_stable::std_types::RResult;
use toolrack_abi::async_ffi::FfiFuture;
use toolrack_abi::{LogLevel, ToolResult};
use toolrack_plugin::json;

use crate::demo;
use crate::host::{Registered, meta};

/// The answer to a model: that it panicked, and nothing of the message.
fn assert_panicked(result: &ToolResult, secret: &str) {
    assert!(result.is_error, "{result:?}");
    assert_eq!(meta(result), json!({"error_type": "panic"}));
    assert!(result.body.contains("panicked") && !result.body.contains(secret), "{}", result.body);
}

/// The record in the host's log: message, place and backtrace, under the plugin's name.
fn assert_logged(demo: &Registered, message: &str) {
    let Some((level, target, text)) = demo.memory.log_with(message) else {
        panic!("`{message}` is not in the log: {:?}", demo.memory.logs());
    };
    assert_eq!((level, target.as_str()), (LogLevel::ERROR, "demo"));
    assert!(text.contains("tools.rs:") && text.contains("backtrace:\n"), "{text}");
}

fn poll(future: &mut FfiFuture<ToolResult>) -> Poll<ToolResult> {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_panic_in_a_call_is_an_answer_and_the_tool_lives_on() {
    let demo = demo();
    for _ in 0..2 {
        assert_panicked(&demo.call("panics", r#"{"message":"a secret"}"#), "secret");
    }
    assert_eq!(demo.memory.logs().len(), 2);
    assert!(demo.memory.logs().iter().all(|(_, _, text)| text.contains(": a secret\n")));
    assert_eq!(demo.call("text", r#"{"text":"fine"}"#).body.as_str(), "fine");
}

#[test]
fn a_payload_that_panics_when_dropped_does_no_harm() {
    let demo = demo();
    assert_panicked(&demo.call("panics_with_trap", "{}"), "second");
    assert_eq!(demo.memory.logs().iter().filter(|(_, _, text)| text.contains("(no message)")).count(), 2);
}

#[test]
fn a_panic_in_a_poll_is_an_answer() {
    let demo = demo();
    let mut first = demo.call_async("panics_first", r#"{"message":"at once"}"#);
    let Poll::Ready(result) = poll(&mut first) else { panic!("not ready") };
    assert_panicked(&result, "at once");
    assert_logged(&demo, "at once");

    let mut later = demo.call_async("panics_later", r#"{"message":"at last"}"#);
    assert!(poll(&mut later).is_pending());
    let Poll::Ready(result) = poll(&mut later) else { panic!("not ready") };
    assert_panicked(&result, "at last");
    assert_logged(&demo, "at last");
    drop(later);
}

#[test]
fn a_panic_in_the_drop_of_a_future_stays_inside() {
    let demo = demo();
    let mut future = demo.call_async("future_trap", "{}");
    assert!(poll(&mut future).is_pending());
    drop(future);
    assert_logged(&demo, "the future's drop");
}

#[test]
fn a_future_that_was_never_polled_is_dropped_in_peace() {
    let demo = demo();
    drop(demo.call_async("future_trap", "{}"));
    assert!(demo.memory.logs().is_empty());
}

#[test]
fn a_panic_in_the_drop_of_a_tool_stays_inside() {
    let mut demo = demo();
    assert_eq!(demo.call("trap_tool", "{}").body.as_str(), "works");
    demo.drop_tool("trap_tool");
    assert_logged(&demo, "the tool's drop");
}

#[test]
fn a_tool_that_outlives_its_handle_in_a_future_is_dropped_under_guard_too() {
    let mut demo = demo();
    assert_eq!(demo.call("trap_tool", "{}").body.as_str(), "works");
    let future = demo.call_async("trap_tool", "{}");
    demo.drop_tool("trap_tool");
    assert!(demo.memory.logs().is_empty());
    drop(future);
    assert_logged(&demo, "the tool's drop");
}

#[test]
fn a_panic_in_a_check_or_in_overrides_is_a_no() {
    let demo = demo();
    let RResult::RErr(why) = demo.tool("trap_tool").check() else { panic!("not an error") };
    assert_eq!(why.as_str(), "the check of tool `trap_tool` panicked");
    assert_logged(&demo, ": the check\n");
    let RResult::RErr(why) = demo.tool("trap_tool").schema_overrides() else { panic!("not an error") };
    assert_eq!(why.as_str(), "the overrides of tool `trap_tool` panicked");
    assert_logged(&demo, ": the overrides\n");
}

#[test]
fn a_constructor_that_panics_may_be_tried_again() {
    let demo = demo();
    assert_panicked(&demo.call("clumsy", "{}"), "at first");
    assert_logged(&demo, "not made at first");
    assert_eq!(demo.call("clumsy", "{}").body.as_str(), "made");
}

#[test]
fn a_panic_while_the_answer_is_written_is_one_of_the_call() {
    let demo = demo();
    assert_panicked(&demo.call("error_panics", "{}"), "words");
    assert_logged(&demo, "no words");
    assert_panicked(&demo.call("unwritable_panics", "{}"), "json");
    assert_logged(&demo, "no json");
}

#[test]
fn a_panic_that_the_author_catches_is_still_in_the_log() {
    let demo = demo();
    assert_eq!(demo.call("caught", "{}").body.as_str(), "true");
    assert_logged(&demo, "caught by the author");
}

#[test]
fn panics_in_the_hooks_of_the_plugin_stay_inside() {
    let demo = demo();
    demo.plugin.end_session("panic".into());
    assert_logged(&demo, "the session's end");
    demo.call("count", "{}");
    demo.plugin.end_session("fine".into());
    assert_eq!(*demo.memory.events.lock().unwrap(), [r#"fine: {"ended":true}"#]);
}
