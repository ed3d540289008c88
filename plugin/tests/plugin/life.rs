use std::sync::Barrier;
use std::sync::atomic::Ordering;

use toolrack_abi::abi_stable::std_types::RResult;

use crate::demo;
use crate::tools::{COUNTS_DROPPED, LAZY_MADE};

#[test]
fn registering_builds_nothing_and_the_first_call_builds_once() {
    let first = demo();
    let again = demo();
    let made = LAZY_MADE.load(Ordering::SeqCst);
    assert_eq!(made, 0, "registering is pure");
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                first.call("lazy", "{}");
            });
        }
    });
    assert_eq!(LAZY_MADE.load(Ordering::SeqCst), 1, "one instance, however many ask");
    again.call("lazy", "{}");
    assert_eq!(LAZY_MADE.load(Ordering::SeqCst), 2, "one a registration");
}

#[test]
fn a_tool_keeps_its_state_between_calls() {
    let demo = demo();
    assert_eq!(demo.call("adder", r#"{"by":40}"#).body.as_str(), "s1 40");
    assert_eq!(demo.call("adder", "{}").body.as_str(), "s1 41");
    assert_eq!(demo.tool("adder").check(), RResult::ROk("".into()));
    let RResult::ROk(overrides) = demo.tool("adder").schema_overrides() else { panic!("no overrides") };
    assert_eq!(overrides.as_str(), r#"{"description":"demo has 41"}"#);
    demo.call("adder", r#"{"by":100}"#);
    assert_eq!(demo.tool("adder").check(), RResult::RErr("full".into()));
}

#[test]
fn checks_and_overrides_of_functions_answer() {
    let demo = demo();
    assert_eq!(demo.tool("every_thing").check(), RResult::ROk("".into()));
    assert_eq!(demo.tool("every_thing").schema_overrides(), RResult::ROk(r#"{"description":"demo"}"#.into()));
    assert_eq!(demo.tool("unit_struct").check(), RResult::RErr("not available now".into()));
    assert_eq!(demo.tool("hello").check(), RResult::ROk("".into()));
    assert_eq!(demo.tool("hello").schema_overrides(), RResult::ROk("".into()));
}

#[test]
fn state_belongs_to_a_registration_and_ends_with_it() {
    let (first, second) = (demo(), demo());
    assert_eq!(first.call("count", "{}").body.as_str(), "0");
    assert_eq!(first.call("count", "{}").body.as_str(), "1");
    assert_eq!(second.call("count", "{}").body.as_str(), "0");
    let before = COUNTS_DROPPED.load(Ordering::SeqCst);
    first.plugin.retire();
    assert!(COUNTS_DROPPED.load(Ordering::SeqCst) > before, "let go at retire");
    assert_eq!(second.call("count", "{}").body.as_str(), "1", "the other lives on");
}

#[test]
fn retire_is_called_once_also_if_it_panics() {
    let demo = demo();
    demo.call("arm", "{}");
    demo.plugin.retire();
    demo.plugin.retire();
    assert_eq!(*demo.memory.events.lock().unwrap(), ["retire: {}"]);
    assert!(demo.memory.log_with("the retire hook").is_some());
}

#[test]
fn the_tools_can_be_listed_again() {
    let demo = demo();
    assert_eq!(demo.plugin.tools().len(), demo.names().len());
}
