//! Hooks, and approval.

use super::*;

/// A hook made of closures.
struct Made<B, A, T> {
    name: &'static str,
    before: B,
    after: A,
    transform: T,
}

impl<B, A, T> Hook for Made<B, A, T>
where
    B: Fn(&PendingCall<'_>) -> Result<Before, HookError> + Send + Sync + 'static,
    A: Fn(&FinishedCall<'_>) + Send + Sync + 'static,
    T: Fn(&FinishedCall<'_>) -> Option<String> + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.name
    }

    fn before(&self, call: &PendingCall<'_>) -> Result<Before, HookError> {
        (self.before)(call)
    }

    fn after(&self, call: &FinishedCall<'_>) {
        (self.after)(call);
    }

    fn transform(&self, call: &FinishedCall<'_>) -> Option<String> {
        (self.transform)(call)
    }
}

fn before(
    name: &'static str,
    before: impl Fn(&PendingCall<'_>) -> Result<Before, HookError> + Send + Sync + 'static,
) -> impl Hook {
    Made { name, before, after: |_: &FinishedCall<'_>| {}, transform: |_: &FinishedCall<'_>| None }
}

fn after(name: &'static str, after: impl Fn(&FinishedCall<'_>) + Send + Sync + 'static) -> impl Hook {
    Made { name, before: |_: &PendingCall<'_>| Ok(Before::Go), after, transform: |_: &FinishedCall<'_>| None }
}

fn transform(
    name: &'static str,
    transform: impl Fn(&FinishedCall<'_>) -> Option<String> + Send + Sync + 'static,
) -> impl Hook {
    Made { name, before: |_: &PendingCall<'_>| Ok(Before::Go), after: |_: &FinishedCall<'_>| {}, transform }
}

#[test]
fn a_hook_may_refuse_with_a_reason_and_the_tool_does_not_run() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let registry = Table::new()
        .tool("count", &free(), move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Output::text("ran"))
        })
        .hook(before("guard", |_| Ok(Before::Refuse("not on Sundays".into()))))
        .ready();
    assert_eq!(error(&registry, "count", "{}"), ("refused".into(), "not on Sundays".into()));
    assert!(registry.remove_hook("guard"));
    assert!(!registry.remove_hook("guard"));
    assert_eq!(text(&registry, "count", "{}"), "ran");
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn a_hook_sees_checked_arguments_and_what_it_changes_is_checked_again() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let first = seen.clone();
    let second = seen.clone();
    let registry = Table::new()
        .hook(before("change", move |call| {
            first.lock().unwrap().push(call.arguments().to_owned());
            Ok(Before::Change(r#"{"limit":"9"}"#.into()))
        }))
        .hook(before("see", move |call| {
            second.lock().unwrap().push(call.arguments_value()?.to_string());
            Ok(Before::Go)
        }))
        .ready();
    assert_eq!(text(&registry, "echo", r#"{"limit":"7"}"#), r#"{"limit":9}"#);
    assert_eq!(*seen.lock().unwrap(), [r#"{"limit":7}"#, r#"{"limit":9}"#]);
    registry.add_hook(Arc::new(before("change", |_| Ok(Before::Change(r#"{"limit":[]}"#.into())))));
    assert_eq!(error(&registry, "echo", "{}").0, "invalid_arguments");
}

#[test]
fn a_hook_that_fails_panics_or_takes_too_long_refuses() {
    for (hook, what) in [
        (Arc::new(before("fails", |_| Err("no database".into()))) as Arc<dyn Hook>, "could not be made"),
        (Arc::new(before("panics", |_| panic!("oh"))), "broke down"),
    ] {
        let registry = Table::new().ready();
        registry.add_hook(hook);
        let (kind, message) = error(&registry, "echo", "{}");
        assert_eq!(kind, "refused");
        assert!(message.ends_with(what) && !message.contains("database"), "{message}");
    }
    let registry = Table::new()
        .policy(|policy| policy.hook_timeout = Duration::ZERO)
        .hook(before("slow", |_| {
            let began = Instant::now();
            while began.elapsed().is_zero() {}
            Ok(Before::Go)
        }))
        .ready();
    assert_eq!(error(&registry, "echo", "{}").1, "the call was not made: the check `slow` took too long");
}

#[test]
fn hooks_after_a_call_look_at_every_outcome_and_harm_none() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let registry = Table::new()
        .tool("fails", &free(), |_, _| tool_error::<&str>("no", []))
        .hook(after("panics", |_| panic!("after")))
        .hook(after("see", move |call| {
            let kind = call.outcome().as_ref().err().map(|failure| failure.error_type.as_str());
            told.lock().unwrap().push((call.tool().name().to_owned(), call.arguments().to_owned(), kind));
        }))
        .ready();
    assert_eq!(text(&registry, "echo", r#"{"limit":"7"}"#), r#"{"limit":7}"#);
    error(&registry, "fails", "{}");
    error(&registry, "echo", r#"{"limit":"x"}"#);
    error(&registry, "unknown", "{}");
    assert_eq!(
        *seen.lock().unwrap(),
        [
            ("echo".to_owned(), r#"{"limit":7}"#.to_owned(), None),
            ("fails".to_owned(), "{}".to_owned(), Some("failed")),
            ("echo".to_owned(), r#"{"limit":"x"}"#.to_owned(), Some("invalid_arguments")),
        ]
    );
}

#[test]
fn of_texts_that_hooks_put_in_a_results_place_the_first_wins() {
    let registry = Table::new()
        .tool("fails", &free(), |_, _| tool_error("key 12345", [("page", json!(7))]))
        .hook(transform("none", |_| None))
        .hook(transform("panics", |_| panic!("transform")))
        .hook(transform("first", |call| Some(call.text().replace("12345", "…"))))
        .hook(transform("second", |_| Some("second".into())))
        .ready();
    assert_eq!(text(&registry, "echo", r#"{"text":"12345"}"#), r#"{"text":"…"}"#);
    let answer = registry.call_inline("fails", "{}", &Call::new());
    assert_eq!(answer.as_str(), r#"{"error":"key …","error_type":"failed","page":7}"#);
}

#[test]
fn a_hook_of_the_same_name_takes_the_place_of_the_first() {
    let registry = Table::new()
        .hook(transform("a", |_| Some("old".into())))
        .hook(transform("b", |_| Some("b".into())))
        .hook(transform("a", |_| Some("new".into())))
        .ready();
    assert_eq!(text(&registry, "echo", "{}"), "new");
    let generation = registry.generation();
    registry.remove_hook("a");
    assert_eq!(text(&registry, "echo", "{}"), "b");
    assert_eq!(registry.generation(), generation);
}

fn asked(reply: Reply) -> (Approval, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let approval = Approval::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        reply
    });
    (approval, count)
}

fn with_hints(name: &str, hints: &Value) -> Value {
    let mut description = json!({"name": name, "schema": {"type": "object"}});
    description.as_object_mut().unwrap().extend(hints.as_object().unwrap().clone());
    description
}

#[test]
fn approval_asks_unless_a_trusted_source_says_read_only() {
    let run = |_: &Call<'_>, _: &str| -> Outcome { Ok(Output::text("ran")) };
    let (approval, count) = asked(Reply::Yes);
    let registry = Table::new()
        .described(&with_hints("look", &json!({"read_only": true})), run)
        .described(&with_hints("web", &json!({"read_only": true, "open_world": true})), run)
        .described(&with_hints("odd", &json!({"read_only": true, "destructive": true})), run)
        .described(&with_hints("write", &json!({})), run)
        .hook(approval)
        .ready();
    let theirs =
        Description::from_json(&with_hints("theirs", &json!({"read_only": true})).to_string(), "x").unwrap();
    let server = Source::mcp("server", 0);
    registry.publish(Batch::new(server.clone()).tool(theirs, run)).unwrap();
    for (tool, asks) in [("look", 0), ("web", 1), ("odd", 1), ("write", 1), ("theirs", 1)] {
        let before = count.load(Ordering::Relaxed);
        assert_eq!(text(&registry, tool, "{}"), "ran");
        assert_eq!(count.load(Ordering::Relaxed) - before, asks, "{tool}");
    }
    let (approval, count) = asked(Reply::No);
    registry.add_hook(Arc::new(approval.trust(server.id)));
    assert_eq!(text(&registry, "theirs", "{}"), "ran");
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[test]
fn no_answer_is_no_and_so_are_no_and_a_panic() {
    for reply in [Reply::No, Reply::NoAnswer] {
        let registry = Table::new().hook(asked(reply).0).ready();
        assert_eq!(error(&registry, "echo", "{}").0, "refused");
    }
    let registry = Table::new().hook(Approval::new(|_| panic!("no terminal"))).ready();
    assert_eq!(error(&registry, "echo", "{}").0, "refused");
}

#[test]
fn a_rule_that_denies_stands_above_one_that_allows() {
    let rule = |tool, decision| ApprovalRule::new(tool, decision).unwrap();
    let (approval, count) = asked(Reply::Yes);
    let approval = approval
        .rule(rule("echo", Decision::Allow))
        .rule(rule("e*", Decision::Deny).when("text", "*secret*").unwrap());
    let registry = Table::new().hook(approval).ready();
    assert_eq!(text(&registry, "echo", r#"{"text":"hi"}"#), r#"{"text":"hi"}"#);
    assert_eq!(error(&registry, "echo", r#"{"text":"a secret"}"#).0, "refused");
    assert_eq!(error(&registry, "echo", "{\"text\":\"a\\nsecr\\u0065t\"}").0, "refused");
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

#[test]
fn approval_has_the_last_word_over_what_hooks_changed() {
    let rule = ApprovalRule::new("echo", Decision::Deny).unwrap().when("text", "bad").unwrap();
    let registry = Table::new()
        .hook(asked(Reply::Yes).0.rule(rule))
        .hook(before("change", |_| Ok(Before::Change(r#"{"text":"bad"}"#.into()))))
        .ready();
    assert_eq!(error(&registry, "echo", r#"{"text":"good"}"#).0, "refused");
}

#[test]
fn under_a_bare_policy_approval_refuses_what_it_cannot_read() {
    let registry =
        Table::new().policy(|policy| *policy = DispatchPolicy::bare()).hook(asked(Reply::Yes).0).ready();
    assert_eq!(error(&registry, "echo", r#"{"text":"a","text":"b"}"#).0, "refused");
    assert_eq!(text(&registry, "echo", r#"{"text":"a"}"#), r#"{"text":"a"}"#);
}

/// Until the clock has moved.
fn spin() {
    let began = Instant::now();
    while began.elapsed().is_zero() {}
}

#[test]
fn waiting_for_a_person_counts_against_no_deadline() {
    let until = Instant::now() + Duration::from_secs(60);
    let moved =
        move |call: &Call<'_>, _: &str| -> Outcome { tool_result(&call.deadline.map(|own| own > until)) };
    let call = Call::new().deadline(until);
    let registry = Table::new()
        .policy(|policy| policy.hook_timeout = Duration::from_secs(30))
        .tool("moved", &free(), moved)
        .hook(before("person", |call| {
            call.wait_for_person(spin);
            Ok(Before::Go)
        }))
        .ready();
    assert_eq!(registry.call_inline("moved", "{}", &call).as_str(), "true");
    let registry = Table::new()
        .tool("moved", &free(), moved)
        .hook(Approval::new(|_| {
            spin();
            Reply::Yes
        }))
        .ready();
    assert_eq!(registry.call_inline("moved", "{}", &call).as_str(), "true");
}

#[test]
fn hooks_stand_around_nested_calls_too() {
    let registry = Table::new()
        .hook(before("deep", |call| {
            Ok(if call.call().depth > 0 { Before::Refuse("not from inside".into()) } else { Before::Go })
        }))
        .ready();
    let call = Call::new();
    let live = ActiveCall::new(&call, Door::Host(&registry)).to_live();
    assert_eq!(call_nested(&live, "echo", "{}").error, Some(ErrorType::Refused));
}
