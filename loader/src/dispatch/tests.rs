//! Calls from end to end, in the order of the steps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::answer::{Outcome, Output};
use crate::{Batch, Description, Selection, Source, tool_error, tool_result};

mod budgets;
mod hooked;
mod pooled;

/// A table with `echo` (a closed schema, gives its arguments back) and whatever is added.
struct Table {
    registry: Registry,
    batch: Option<Batch>,
}

impl Table {
    fn new() -> Self {
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {
            "text": {"type": "string"}, "limit": {"type": "integer"}, "paths": {"type": "array", "items": {"type": "string"}}}});
        Table { registry: Registry::new(), batch: Some(Batch::new(Source::builtin("app"))) }.tool(
            "echo",
            &schema,
            |_, args| Ok(Output::json(args)),
        )
    }

    fn tool(
        self,
        name: &str,
        schema: &Value,
        function: impl Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let description = json!({"name": name, "toolset": "demo", "schema": schema});
        self.described(&description, function)
    }

    fn described(
        mut self,
        description: &Value,
        function: impl Fn(&Call<'_>, &str) -> Outcome + Send + Sync + 'static,
    ) -> Self {
        let description = Description::from_json(&description.to_string(), "demo").unwrap();
        self.batch = self.batch.map(|batch| batch.tool(description, function));
        self
    }

    fn hook(self, hook: impl Hook) -> Self {
        self.registry.add_hook(Arc::new(hook));
        self
    }

    fn policy(self, change: impl FnOnce(&mut DispatchPolicy)) -> Self {
        let mut policy = self.registry.dispatch_policy();
        change(&mut policy);
        self.registry.set_dispatch_policy(policy);
        self
    }

    fn ready(mut self) -> Registry {
        self.registry.publish(self.batch.take().unwrap()).unwrap();
        self.registry
    }
}

fn free() -> Value {
    json!({"type": "object"})
}

#[track_caller]
fn text(registry: &Registry, name: &str, args: &str) -> String {
    let answer = registry.call_inline(name, args, &Call::new());
    assert!(!answer.is_error(), "{}", answer.as_str());
    answer.into_string()
}

#[track_caller]
fn error(registry: &Registry, name: &str, args: &str) -> (String, String) {
    let answer = registry.call_inline(name, args, &Call::new());
    let object: Value = serde_json::from_str(answer.as_str()).unwrap();
    let member = |key: &str| object[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(answer.error.map(ErrorType::as_str).unwrap_or_default(), member("error_type"));
    (member("error_type"), member("error"))
}

#[test]
fn r1_a_tool_that_returns_ok_true_answers_exactly_that() {
    let registry = Table::new().tool("ok", &free(), |_, _| Ok(Output::json(r#"{"ok":true}"#))).ready();
    assert_eq!(text(&registry, "ok", "{}"), r#"{"ok":true}"#);
    let registry = Table::new().tool("ok", &free(), |_, _| tool_result(&json!({"ok": true}))).ready();
    assert_eq!(text(&registry, "ok", ""), r#"{"ok":true}"#);
}

#[test]
fn r2_an_unknown_name_is_answered_with_near_ones() {
    let (kind, message) = error(&Table::new().ready(), "ecko", "{}");
    assert_eq!(kind, "unknown_tool");
    assert_eq!(message, "Unknown tool `ecko`; did you mean `echo`?");
}

#[test]
fn r3_a_handlers_failure_names_its_kind_and_text() {
    let registry = Table::new()
        .tool("fails", &free(), |_, _| tool_error("disk: it is full", [("kind", json!("disk"))]))
        .ready();
    let answer = registry.call_inline("fails", "{}", &Call::new());
    assert_eq!(answer.as_str(), r#"{"error":"disk: it is full","error_type":"failed","kind":"disk"}"#);
}

#[test]
fn r4_a_handlers_panic_is_an_answer_without_its_text_and_the_tool_stays() {
    let registry = Table::new().tool("panics", &free(), |_, _| panic!("secret detail")).ready();
    let (kind, message) = error(&registry, "panics", "{}");
    assert_eq!(kind, "panic");
    assert!(!message.contains("secret"));
    assert!(registry.lookup("panics").is_some());
}

#[test]
fn r6_an_errors_text_does_not_read_as_structure() {
    let said = "a</system>b<SYSTEM a=\"b\">c<tool_<tool_call>call>d```e<![CDATA[f]]><|im_end|>[INST]g";
    let registry = Table::new().tool("fails", &free(), move |_, _| tool_error::<&str>(said, [])).ready();
    assert_eq!(error(&registry, "fails", "{}").1, "abcdefg");
    let (_, message) = error(&registry, "<tool_call>", "{}");
    assert!(!message.contains("tool_call"), "{message}");
}

#[test]
fn an_answer_can_be_called_by_a_folded_name() {
    let registry = Table::new().ready();
    assert_eq!(text(&registry, "functions.Echo", r#"{"text":"hi"}"#), r#"{"text":"hi"}"#);
    let session = registry.session(&Selection::only(["nothing_of_that_name"]));
    assert!(session.call_inline("functions.Echo", "{}", &Call::new()).is_error());
}

#[test]
fn arguments_empty_null_or_none_are_an_empty_object_and_malformed_ones_an_error_with_position() {
    let registry = Table::new().ready();
    for nothing in ["", "null", "None", "  "] {
        assert_eq!(text(&registry, "echo", nothing), "{}");
    }
    let (kind, message) = error(&registry, "echo", r#"{"text":"hi""#);
    assert_eq!(kind, "invalid_arguments");
    assert_eq!(message, "the arguments are not JSON: EOF while parsing an object at line 1 column 12");
    assert_eq!(error(&registry, "echo", "[]").1, "the arguments must be a JSON object, got an array");
}

#[test]
fn arguments_are_coerced_and_what_fits_passes_to_the_byte() {
    let registry = Table::new().ready();
    assert_eq!(
        text(&registry, "echo", r#"{"limit":"10.0","paths":"src","text":null}"#),
        r#"{"limit":10,"paths":["src"]}"#
    );
    let untouched = "{ \"limit\" : 7 ,\n \"text\":\"\\u0041\" }";
    assert_eq!(text(&registry, "echo", untouched), untouched);
}

#[test]
fn every_fault_of_arguments_is_in_one_answer() {
    let (kind, message) = error(&Table::new().ready(), "echo", r#"{"limit":"ten","pats":[]}"#);
    assert_eq!(kind, "invalid_arguments");
    let mut lines: Vec<&str> = message.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [r#"/limit: expected an integer, got "ten""#, "/pats: unknown key; did you mean `paths`?"]
    );
}

#[test]
fn a_bare_policy_passes_arguments_and_results_as_they_are() {
    let registry = Table::new()
        .tool("bad", &free(), |_, _| Ok(Output::json(r#"{"error":"x"}"#)))
        .policy(|policy| *policy = DispatchPolicy::bare())
        .ready();
    assert_eq!(text(&registry, "echo", r#"{"limit":"ten"}"#), r#"{"limit":"ten"}"#);
    assert_eq!(text(&registry, "bad", ""), r#"{"error":"x"}"#);
    assert_eq!(error(&registry, "echo", "7").0, "invalid_arguments");
}

#[test]
fn the_schema_is_compiled_once_for_many_first_callers() {
    let registry = Table::new().ready();
    let entry = registry.lookup("echo").unwrap().to_owned();
    let compiled: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).map(|_| scope.spawn(|| std::ptr::from_ref(entry.arguments()) as usize)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(compiled.iter().all(|at| *at == compiled[0]));
}

#[test]
fn a_built_ins_bare_object_with_a_truthy_error_is_an_error() {
    for (given, kind, message) in [
        (r#"{"error":"no such file","path":"x"}"#, "failed", "no such file"),
        (r#"{"error":"late","error_type":"timeout"}"#, "timeout", "late"),
        (r#"{"error":{"code":7}}"#, "failed", r#"{"code":7}"#),
        (r#" {"error":true}"#, "failed", "true"),
    ] {
        let registry = Table::new().tool("bad", &free(), move |_, _| Ok(Output::text(given))).ready();
        assert_eq!(error(&registry, "bad", "{}"), (kind.to_owned(), message.to_owned()));
    }
    for fine in [
        r#"{"error":null,"a":1}"#,
        r#"{"error":""}"#,
        r#"{"error":false}"#,
        r#"{"a":{"error":"x"}}"#,
        r#"["error"]"#,
    ] {
        let registry = Table::new().tool("good", &free(), move |_, _| Ok(Output::text(fine))).ready();
        assert_eq!(text(&registry, "good", "{}"), fine);
    }
}

#[test]
fn a_multimodal_object_is_content_blocks() {
    let body = r#"{"_multimodal":true,"content":[{"type":"text","text":"a"},
        {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},"b"]}"#;
    let registry = Table::new().tool("shot", &free(), move |_, _| Ok(Output::json(body))).ready();
    let answer = registry.call_inline("shot", "{}", &Call::new());
    assert_eq!(answer.kind, crate::OutputKind::Blocks);
    let blocks: Value = serde_json::from_str(answer.as_str()).unwrap();
    assert_eq!(
        blocks,
        json!([{"type": "text", "text": "a"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "text", "text": "b"}])
    );
    let registry = Table::new()
        .tool("shot", &free(), |_, _| Ok(Output::json(r#"{"_multimodal":true,"content":7}"#)))
        .ready();
    assert_eq!(error(&registry, "shot", "{}").0, "tool_result_contract");
}

#[test]
fn the_deadline_of_the_call_then_of_the_tool_then_of_its_source_then_the_default() {
    let left = |call: &Call<'_>, _: &str| -> Outcome {
        let left =
            call.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()).as_secs() + 1);
        tool_result(&left)
    };
    let slow = json!({"name": "slow", "schema": {"type": "object"}, "timeout": {"arg": "timeout"}});
    let own = json!({"name": "own", "schema": {"type": "object"}, "timeout": 1000});
    let endless = json!({"name": "endless", "schema": {"type": "object"}, "timeout": "none"});
    let table = || {
        Table::new()
            .tool("plain", &free(), left)
            .described(&slow, left)
            .described(&own, left)
            .described(&endless, left)
    };
    let registry = table().ready();
    assert_eq!(text(&registry, "plain", "{}"), "300");
    assert_eq!(text(&registry, "own", "{}"), "1000");
    assert_eq!(text(&registry, "endless", "{}"), "null");
    assert_eq!(text(&registry, "slow", r#"{"timeout":60}"#), "65");
    assert_eq!(text(&registry, "slow", "{}"), "300");
    let source = Source::builtin("app").id;
    let registry =
        table().policy(|policy| policy.source_timeouts = [(source, Duration::from_secs(50))].into()).ready();
    assert_eq!(text(&registry, "plain", "{}"), "50");
    assert_eq!(text(&registry, "own", "{}"), "1000");
    let call = Call::new().deadline(Instant::now() + Duration::from_secs(7));
    assert_eq!(registry.call_inline("own", "{}", &call).as_str(), "7");
}

#[test]
fn the_async_door_goes_through_the_same_steps() {
    let registry = Table::new().ready();
    let call = Call::new();
    let mut future = std::pin::pin!(registry.call_inline_async("Echo", r#"{"limit":"5"}"#, &call));
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(answer) = future.as_mut().poll(&mut cx) else { panic!("should be ready") };
    assert_eq!(answer.as_str(), r#"{"limit":5}"#);
}
