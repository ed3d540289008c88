use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use log::{Level, LevelFilter};
use serde_json::{Value, json};
use toolrack::{Call, Cancel, ErrorType, ProgressFn, Selection};

use crate::support::logs::{logged, own_level};
use crate::support::rack::{Rack, error_of, json_of};

#[test]
fn a_plugin_gets_its_configuration_and_its_folders() {
    let rack = Rack::configured("[plugins.services.config]\nkey = 'value'\nlist = [1, 2.5]");
    rack.drop_in(&["services"]);
    rack.load();
    let config = json_of(&rack.call("configuration", "{}"));
    assert_eq!(config, json!({"key": "value", "list": [1, 2.5]}));
    let folders = json_of(&rack.call("folders", "{}"));
    let home = rack.home.path().display();
    let [data, spill, origin] = &folders.as_array().unwrap()[..] else { panic!("{folders}") };
    assert_eq!(data, &json!(format!("{home}/data/plugins/services")));
    assert_eq!(spill, &json!(format!("{home}/spill")));
    assert_eq!(origin, &json!(rack.home.tools().display().to_string()));
    for folder in [data, spill] {
        assert!(std::path::Path::new(folder.as_str().unwrap()).is_dir());
    }
}

#[test]
fn a_plugin_without_a_configuration_gets_an_empty_one() {
    let rack = Rack::with(&["services"]);
    assert_eq!(rack.text("configuration", "{}"), "{}");
}

#[test]
fn a_tool_knows_the_circumstances_of_its_call() {
    let rack = Rack::with(&["services", "well_behaved"]);
    let call = Call::new()
        .session("s")
        .task("t")
        .turn("u")
        .call_id("c")
        .trace_context(r#"{"traceparent":"00-x"}"#)
        .deadline(Instant::now() + Duration::from_secs(60));
    let said = json_of(&rack.registry.call_inline("circumstances", "{}", &call));
    let expected = json!({
        "session": "s", "task": "t", "turn": "u", "call_id": "c", "parent_call": "", "depth": 0,
        "trace_context": r#"{"traceparent":"00-x"}"#, "has_deadline": true, "may_echo": true,
        "thread": said["thread"],
    });
    assert_eq!(said, expected);
}

#[test]
fn a_call_that_a_tool_makes_has_the_tools_call_as_parent_and_runs_on_its_thread() {
    let rack = Rack::with(&["services"]);
    let args = r#"{"name":"passes_on","args":"{\"name\":\"circumstances\"}"}"#;
    let call =
        Call::new().session("s").task("t").call_id("c").deadline(Instant::now() + Duration::from_secs(60));
    let direct = json_of(&rack.registry.call_inline("circumstances", "{}", &call));
    let nested = json_of(&rack.registry.call_inline("passes_on", r#"{"name":"circumstances"}"#, &call));
    assert_eq!(nested["parent_call"], "c");
    assert_eq!(nested["depth"], 1);
    assert_eq!(nested["call_id"], "");
    for same in ["session", "task", "has_deadline", "thread"] {
        assert_eq!(nested[same], direct[same], "{same}");
    }
    let deeper = json_of(&rack.registry.call_inline("passes_on", args, &call));
    assert_eq!(deeper["depth"], 2);
}

#[test]
fn a_tool_calls_no_more_than_its_caller_may() {
    let rack = Rack::with(&["services", "well_behaved", "answers"]);
    let args = r#"{"name":"echo","args":"{\"text\":\"through\"}"}"#;
    assert_eq!(rack.text("passes_on", args), "through");

    let session = rack.registry.session(&Selection::only(["services"]));
    let answer = session.call_inline("passes_on", args, &Call::new());
    let object = error_of(&answer, ErrorType::UnknownTool);
    assert!(object["error"].as_str().unwrap().contains("Unknown tool `echo`"), "{object}");
    let twice = r#"{"name":"passes_on","args":"{\"name\":\"okay\"}"}"#;
    error_of(&session.call_inline("passes_on", twice, &Call::new()), ErrorType::UnknownTool);
    let said = json_of(&session.call_inline("circumstances", "{}", &Call::new()));
    assert_eq!(said["may_echo"], false);

    let wider = rack.registry.session(&Selection::only(["services", "echo"]));
    assert_eq!(wider.call_inline("passes_on", args, &Call::new()).as_str(), "through");
}

#[test]
fn a_failure_of_a_called_tool_comes_back_as_it_was() {
    let rack = Rack::with(&["services", "answers"]);
    let args = r#"{"name":"fails","args":"{\"kind\":\"Broken\",\"text\":\"in two\"}"}"#;
    let object = error_of(&rack.call("passes_on", args), ErrorType::Failed);
    let direct = error_of(&rack.call("fails", r#"{"kind":"Broken","text":"in two"}"#), ErrorType::Failed);
    assert_eq!(object, direct);
}

#[test]
fn calls_of_calls_end_at_a_depth() {
    let rack = Rack::with(&["services"]);
    let object = error_of(&rack.call("calls_itself", "{}"), ErrorType::Refused);
    assert!(object["error"].as_str().unwrap().contains(&toolrack::MAX_DEPTH.to_string()), "{object}");
}

#[test]
fn a_plugin_calls_nothing_on_its_own_behalf() {
    let rack = Rack::with(&["services", "well_behaved"]);
    let object = error_of(&rack.call("calls_for_itself", "{}"), ErrorType::Refused);
    assert!(object["error"].as_str().unwrap().contains("on behalf of a call"), "{object}");
}

#[test]
fn a_service_that_is_not_there_yet_says_so() {
    let rack = Rack::with(&["services"]);
    let answers = json_of(&rack.call("not_offered", "{}"));
    let expected = ["definitions", "tools_changed", "notify", "ask", "later"]
        .map(|service| format!("this host does not offer `{service}`"));
    assert_eq!(answers, json!(expected));
}

#[test]
fn a_call_is_told_of_its_deadline_and_of_its_cancellation() {
    let rack = Rack::with(&["slow"]);
    let call = Call::new().deadline(Instant::now() + Duration::from_millis(20));
    error_of(&rack.registry.call_inline("works", "{}", &call), ErrorType::Timeout);

    let cancel = Cancel::new();
    let at_work: Arc<Mutex<Vec<Value>>> = Arc::default();
    let progress: Arc<ProgressFn> = {
        let (cancel, at_work) = (cancel.clone(), at_work.clone());
        Arc::new(move |done, total, message| {
            at_work.lock().unwrap().push(json!([done, total, message]));
            cancel.cancel();
        })
    };
    let call = Call::new().cancel(&cancel).progress(&progress);
    error_of(&rack.registry.call_inline("works", "{}", &call), ErrorType::Cancelled);
    assert_eq!(*at_work.lock().unwrap(), [json!([0.0, 1.0, "at work"])]);
    error_of(&rack.registry.call_inline("works", "{}", &call), ErrorType::Cancelled);
    assert_eq!(at_work.lock().unwrap().len(), 1, "a call that was cancelled before does not begin");
}

/// The levels and targets of what was logged with this text.
fn records(text: &str) -> Vec<(Level, String)> {
    logged(text).into_iter().map(|record| (record.level, record.target)).collect()
}

#[test]
fn a_plugin_logs_under_its_name_and_follows_the_hosts_level() {
    let level = own_level();
    let rack = Rack::with(&["services"]);
    let own = |level| (level, "services".to_owned());
    let elsewhere = (Level::Warn, "services::elsewhere".to_owned());

    log::set_max_level(LevelFilter::Debug);
    assert_eq!(rack.text("logs", r#"{"text":"level-debug"}"#), "DEBUG");
    let expected =
        [own(Level::Error), own(Level::Warn), own(Level::Info), own(Level::Debug), elsewhere.clone()];
    assert_eq!(records("level-debug"), expected);

    log::set_max_level(LevelFilter::Warn);
    assert_eq!(rack.text("logs", r#"{"text":"level-warn"}"#), "WARN");
    assert_eq!(records("level-warn"), [own(Level::Error), own(Level::Warn), elsewhere]);

    log::set_max_level(LevelFilter::Off);
    assert_eq!(rack.text("logs", r#"{"text":"level-off"}"#), "OFF");
    assert_eq!(records("level-off"), []);
    drop(level);
}

#[test]
fn two_registrations_of_a_library_follow_the_level_together() {
    let level = own_level();
    log::set_max_level(LevelFilter::Debug);
    let one = Rack::with(&["services"]);
    let other = one.beside();
    other.load();
    log::set_max_level(LevelFilter::Info);
    assert_eq!(one.text("logs", r#"{"text":"quiet"}"#), "INFO");
    log::set_max_level(LevelFilter::Debug);
    assert_eq!(other.text("logs", r#"{"text":"loud"}"#), "DEBUG");
    drop(level);
}
