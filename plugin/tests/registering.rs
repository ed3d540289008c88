//! A plugin that can not be registered says why, and the host lives on. One test at a time.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "a test is no library")]

#[path = "support/host.rs"]
mod host;

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use toolrack_plugin::schemars::{JsonSchema, Schema, SchemaGenerator};
use toolrack_plugin::{Context, Output, Tool, ToolError, ToolMeta, args, export_tools, tool};

static SCHEMA_PANICS: AtomicBool = AtomicBool::new(false);

#[derive(toolrack_plugin::serde::Deserialize)]
#[serde(crate = "toolrack_plugin::serde")]
struct Moody;

impl JsonSchema for Moody {
    fn schema_name() -> Cow<'static, str> {
        "Moody".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        assert!(!SCHEMA_PANICS.load(Ordering::SeqCst), "no schema today");
        Schema::default()
    }
}

/// Has moods.
#[tool]
fn moody(mood: Moody) -> String {
    let Moody = mood;
    "fine".to_owned()
}

struct ByHand;

#[args]
struct Nothing {}

impl Tool for ByHand {
    const META: ToolMeta = ToolMeta::new("hand_made", "By hand.").examples(&["{}"]);
    type Args = Nothing;

    fn call(&self, _ctx: &Context<'_>, _args: Nothing) -> Result<Output, ToolError> {
        Ok(Output::text(""))
    }
}

/// A tool without its method.
struct Unwritten;

impl Tool for Unwritten {
    const META: ToolMeta = ToolMeta::new("unwritten", "Forgotten.");
    type Args = Nothing;
}

export_tools![moody, ByHand, Unwritten];

#[test]
fn a_registration_that_panics_is_an_error_in_words_and_may_be_tried_again() {
    let _alone = alone();
    SCHEMA_PANICS.store(true, Ordering::SeqCst);
    let failed = host::try_register(register_tools.root());
    SCHEMA_PANICS.store(false, Ordering::SeqCst);
    let Err((error, memory)) = failed else { panic!("registered") };
    assert_eq!(error, "tool `moody`: describing it panicked; the details are in the host's log");
    assert!(memory.log_with("no schema today").is_some(), "{:?}", memory.logs());
    assert_eq!(host::register(register_tools.root()).names(), ["moody", "hand_made", "unwritten"]);
}

#[test]
fn the_plugin_is_called_like_its_crate() {
    let _alone = alone();
    let manifest: toolrack_plugin::Value =
        toolrack_plugin::serde_json::from_slice(register_tools.manifest()).unwrap();
    assert_eq!(manifest["name"], "registering");
    assert_eq!(host::register(register_tools.root()).description("moody")["toolset"], "registering");
}

#[test]
fn a_method_that_was_forgotten_is_told() {
    let _alone = alone();
    let answer = host::register(register_tools.root()).call("unwritten", "{}");
    assert!(answer.is_error && answer.body.starts_with("the tool has no `call`"), "{answer:?}");
}

fn alone() -> std::sync::MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
