//! The examples do what they say.

use std::process::Command;

use crate::support::{Home, artifact, fixture};

/// What `quickstart` prints when it loads that plugin and calls its tool.
fn quickstart(example: &str, tool: &str, arguments: &str) -> String {
    let home = Home::new();
    home.drop_in(&fixture(example));
    let program = artifact(&format!("examples/quickstart{}", std::env::consts::EXE_SUFFIX));
    let output = home
        .around(Command::new(program))
        .arg(home.tools())
        .args([tool, arguments])
        .output()
        .expect("the example runs");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_quickstart_loads_the_minimal_plugin_and_calls_it() {
    let printed = quickstart("minimal_plugin", "count_words", r#"{"text":"how many are these"}"#);
    assert_eq!(printed, "minimal 0.1.0: count_words\n4\n");
}

#[test]
fn the_stateful_plugin_keeps_notes() {
    let printed = quickstart("stateful_plugin", "note", r#"{"line":"milk"}"#);
    assert_eq!(printed, "stateful 0.1.0: note\n[\"milk\"]\n");
}

#[test]
fn the_async_plugin_waits_on_its_own_runtime() {
    let printed = quickstart("async_plugin", "wait", r#"{"seconds":0.01}"#);
    assert_eq!(printed, "waiting 0.1.0: wait\nwaited 0.01 s\n");
}
