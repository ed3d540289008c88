//! The tool as a host calls it: the function itself, with a context that has no host behind it.

use toolrack_plugin::{Context, Tool, ToolError, json};

use crate::budget::TIMEOUT;
use crate::report::Report;
use crate::terminal;

/// Calls the tool in a folder of its own.
fn run(folder: &tempfile::TempDir, command: &str, timeout: u32) -> Result<Report, ToolError> {
    let context = Context::detached().with_config(json!({"root": folder.path()})).with_task("task");
    terminal(&context, command.to_owned(), timeout, None, false)
}

#[test]
fn a_command_that_fails_is_a_result_and_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let report = run(&folder, "echo no >&2; exit 3", 180).unwrap();
    assert_eq!((report.output.as_str(), report.exit_code), ("no\n", Some(3)));
}

#[test]
fn a_timeout_is_an_error_that_carries_what_was_printed() {
    let folder = tempfile::tempdir().unwrap();
    let error = run(&folder, "echo begun; exec sleep 1000", 2).unwrap_err();
    assert_eq!(error.error_type(), "timeout");
    assert!(error.message().starts_with("timed out after 2 s; "), "{error}");
    assert_eq!(error.extra()["output"], "begun\n");
    assert!(error.extra()["duration_s"].as_f64().unwrap() >= 2.0);
    assert!(!error.extra().contains_key("exit_code"));
}

#[test]
fn arguments_that_cannot_be_meant_are_told_by_their_type() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(&folder, "true", 601).unwrap_err().error_type(), "invalid_arguments");
}

#[test]
fn a_directory_is_kept_by_the_registration() {
    let folder = tempfile::tempdir().unwrap();
    let context = Context::detached().with_config(json!({"root": folder.path()})).with_task("task");
    let call = |command: &str| terminal(&context, command.to_owned(), 180, None, false).unwrap();
    let kept = call("mkdir sub; cd sub").cwd;
    assert!(kept.ends_with("/sub"));
    assert_eq!(call("pwd").output, format!("{kept}\n"));
}

#[test]
fn a_faulty_configuration_is_told_by_its_key() {
    for (config, expected) in
        [(json!({"rooot": "/"}), "unknown field `rooot`"), (json!({"root": "here"}), "there is no host")]
    {
        let context = Context::detached().with_config(config);
        let error = terminal(&context, "true".to_owned(), 180, None, false).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn the_schema_says_the_range_of_the_timeout() {
    let timeout = &<terminal as Tool>::schema()["properties"]["timeout"];
    assert_eq!((&timeout["minimum"], &timeout["maximum"]), (&json!(TIMEOUT.start()), &json!(TIMEOUT.end())));
}
