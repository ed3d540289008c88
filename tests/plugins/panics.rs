use std::time::{Duration, Instant};

use toolrack::{Batch, Call, Code, Description, ErrorType, Output, Source};

use crate::support::fixture;
use crate::support::logs::{Record, logged};
use crate::support::nested::{Nested, source};
use crate::support::rack::{Rack, error_of, plugin, rejected};

/// The one record with this text: an error, of this plugin, with a backtrace.
#[track_caller]
fn assert_in_the_log(text: &str, plugin: &str) {
    let records: Vec<Record> =
        logged(text).into_iter().filter(|record| record.target.starts_with(plugin)).collect();
    let [record] = &records[..] else {
        panic!("`{text}` is in the log {} times: {records:#?}", records.len())
    };
    assert_eq!(record.level, log::Level::Error);
    assert!(record.message.contains(&format!("{plugin}.rs:")), "the place: {}", record.message);
    assert!(record.message.contains("backtrace:\n   0:"), "{}", record.message);
}

/// An error that says nothing of what the panic said.
#[track_caller]
fn assert_panicked(answer: &toolrack::Answer) {
    let object = error_of(answer, ErrorType::Panic);
    let text = object["error"].as_str().unwrap();
    let secret = ["boom:", "boom in", ".rs", "backtrace"].iter().any(|part| text.contains(part));
    assert!(text.contains("panicked") && !secret, "{text}");
}

#[test]
fn fact_3_a_panic_in_a_call_is_an_answer_and_the_tool_stays() {
    let rack = Rack::with(&["panics_in_call"]);
    assert_panicked(&rack.call("boom", r#"{"text":"r4-in-a-call"}"#));
    assert_in_the_log("boom: r4-in-a-call", "panics_in_call");
    assert_eq!(rack.text("alive", "{}"), "alive");
    assert_panicked(&rack.call("boom", r#"{"text":"again"}"#));
    assert_eq!(rack.names(), ["alive", "boom"]);
}

#[test]
fn fact_3_a_panics_payload_may_panic_when_it_is_dropped() {
    let rack = Rack::with(&["panics_in_payload"]);
    assert_panicked(&rack.call("bomb", "{}"));
    assert_panicked(&rack.call("bomb", "{}"));
}

#[test]
fn fact_3_a_panic_while_registering_is_a_diagnosis_and_the_neighbour_loads() {
    let rack = Rack::new();
    rack.drop_in(&["panics_in_registration", "well_behaved"]);
    let report = rack.load();
    let [(file, code)] = &rejected(&report)[..] else { panic!("{report:#?}") };
    assert!(file.contains("panics_in_registration"));
    assert_eq!(*code, Code::T6004);
    assert!(report.rejected[0].detail.as_deref().unwrap().contains("panicked"), "{}", report.rejected[0]);
    assert_in_the_log("boom while registering", "panics_in_registration");
    assert_eq!(rack.text("echo", r#"{"text":"here"}"#), "here");
    let missing = error_of(&rack.call("undescribed", "{}"), ErrorType::UnknownTool);
    assert!(missing["error"].as_str().unwrap().contains("T6004"), "{missing}");
}

#[test]
fn fact_3_a_panic_in_a_poll_is_an_answer() {
    let rack = Rack::with(&["panics_in_poll"]);
    assert_panicked(&rack.call("boom_in_poll", "{}"));
    assert_in_the_log("boom in a poll", "panics_in_poll");
    assert_panicked(&rack.call("boom_in_poll", "{}"));
}

#[test]
fn fact_3_a_panic_in_the_drop_of_a_future_goes_to_the_log() {
    let rack = Rack::with(&["panics_in_poll"]);
    let call = Call::new().deadline(Instant::now() + Duration::from_millis(20));
    error_of(&rack.registry.call_inline("boom_in_drop", "{}", &call), ErrorType::Timeout);
    assert_in_the_log("boom in a drop of a future", "panics_in_poll");
}

#[test]
fn fact_3_a_panic_in_the_drop_of_a_tool_goes_to_the_log() {
    let rack = Rack::with(&["panics_in_drop"]);
    assert_eq!(rack.text("ticks", "{}"), "tick");
    rack.registry.withdraw(&plugin("panics_in_drop"));
    assert_in_the_log("boom in the drop of a tool", "panics_in_drop");
    assert!(rack.names().is_empty());
}

#[test]
fn fact_3_a_panic_in_a_constructor_is_an_answer_and_the_next_call_tries_again() {
    let rack = Rack::with(&["panics_in_constructor"]);
    assert_panicked(&rack.call("fragile", "{}"));
    assert_in_the_log("boom in a constructor", "panics_in_constructor");
    assert_eq!(rack.text("fragile", "{}"), "made");
}

#[test]
fn a_panic_in_a_tool_of_the_host_is_an_answer_too() {
    let rack = Rack::new();
    let description = Description::new("boom", "host", "Panics", r#"{"type":"object"}"#).unwrap();
    let batch = Batch::new(Source::builtin("app")).tool(description, |_, args| {
        if args.contains("boom") {
            panic!("boom in the host: {args}");
        }
        Ok(Output::text("fine"))
    });
    rack.registry.publish(batch).unwrap();
    assert_panicked(&rack.call("boom", r#"{"boom":"r4-in-the-host"}"#));
    assert!(logged("r4-in-the-host").iter().any(|record| record.level == log::Level::Error));
    assert_eq!(rack.text("boom", "{}"), "fine");
}

#[test]
fn a_listener_for_progress_that_panics_does_not_harm_the_plugin() {
    let rack = Rack::with(&["slow"]);
    let progress: std::sync::Arc<toolrack::ProgressFn> = std::sync::Arc::new(|_, _, _| panic!("a listener"));
    let call = Call::new().progress(&progress).deadline(Instant::now() + Duration::from_millis(20));
    error_of(&rack.registry.call_inline("works", "{}", &call), ErrorType::Timeout);
}

#[test]
fn fact_3_a_plugin_in_which_no_guard_works_is_refused_and_its_neighbour_loads() {
    let nested = Nested::new("panic_abort", &["toolrack_aborts"]);
    nested.package(
        "toolrack_aborts",
        "[lib]\ncrate-type = [\"cdylib\"]",
        &format!("toolrack-plugin = {{ path = {:?} }}", source("plugin")),
        include_str!("panics/aborts.rs"),
    );
    let library = nested.library("toolrack_aborts", &["-C", "panic=abort"]);
    let rack = Rack::new();
    rack.home.drop_in_as(&library, "a.so");
    rack.home.drop_in_as(&fixture("well_behaved"), "b.so");
    let report = rack.load();
    assert_eq!(rejected(&report), [("a.so".to_owned(), Code::T6008)]);
    assert!(
        report.rejected[0].help.as_deref().unwrap().contains("panic = \"unwind\""),
        "{}",
        report.rejected[0]
    );
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
    let missing = error_of(&rack.call("ends_the_process", "{}"), ErrorType::UnknownTool);
    assert!(missing["error"].as_str().unwrap().contains("T6008"), "{missing}");
}
