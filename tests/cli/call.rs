use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::ran::{Ran, toolrack};
use crate::support::{Home, fixture};

fn home() -> Home {
    let home = Home::new();
    home.drop_in(&fixture("cli_talkative"));
    home.drop_in(&fixture("well_behaved"));
    home
}

/// What a model would see of a call that fails.
fn error(home: &Home, name: &str, arguments: &str, status: i32) -> Value {
    let answer = toolrack(home, ["call", name, arguments]).ended(status).json();
    assert!(answer["error"].is_string() && answer["error_type"].is_string(), "{answer}");
    answer
}

/// Calls with the arguments on standard input.
fn call_with(home: &Home, name: &str, input: &[u8]) -> Ran {
    let mut command = home.toolrack();
    command.args(["call", name, "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let written = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the program ends");
    // It may have refused before all was written.
    assert!(written.is_ok() || !output.status.success());
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn the_result_is_printed_with_nothing_around_it() {
    let home = home();
    for json in [&["--json"][..], &[]] {
        let call =
            |name, arguments| super::ran::run(home.toolrack().args(json).args(["call", name, arguments]));
        assert_eq!(call("echo", r#"{"text":"as it is"}"#).ended(0).stdout, "as it is\n");
        assert_eq!(call("lines", "{}").ended(0).stdout, "one\ntwo\n");
        assert_eq!(call("echo", r#"{"text":""}"#).ended(0).stdout, "");
        assert_eq!(call("length", r#"{"text":"four"}"#).ended(0).stdout, "4\n");
    }
}

#[test]
fn without_arguments_there_are_none() {
    let home = home();
    assert_eq!(toolrack(&home, ["call", "lines"]).ended(0).stdout, "one\ntwo\n");
    assert_eq!(toolrack(&home, ["call", "lines", "--json"]).ended(0).stdout, "one\ntwo\n");
}

#[test]
fn an_error_of_dispatch_is_the_answer_that_a_model_would_see() {
    let home = home();
    for (name, arguments, error_type, says) in [
        ("length", "{", "invalid_arguments", "line 1 column 1"),
        ("length", "words", "invalid_arguments", "not JSON"),
        ("length", "[1]", "invalid_arguments", "must be a JSON object, got an array"),
        ("length", "-1", "invalid_arguments", "must be a JSON object, got a number"),
        ("length", "{}", "invalid_arguments", "text"),
        ("length", r#"{"text":3}"#, "invalid_arguments", "text"),
        ("length", r#"{"txt":"a"}"#, "invalid_arguments", "did you mean `text`"),
        ("fail", "{}", "failed", "quota: the fixture has had enough"),
        ("panics", "{}", "panic", "panicked"),
    ] {
        let answer = error(&home, name, arguments, 1);
        assert_eq!(answer["error_type"], json!(error_type), "{name} {arguments}");
        assert!(answer["error"].as_str().unwrap().contains(says), "{name} {arguments}: {answer}");
    }
}

#[test]
fn a_failed_call_is_told_once() {
    let home = home();
    let ran = toolrack(&home, ["call", "length", "3"]).ended(1);
    assert!(!ran.stderr.contains("must be a JSON object"), "{ran:#?}");
}

#[test]
fn a_panic_is_in_the_log_in_one_line_and_its_backtrace_on_request() {
    let home = home();
    let panic = "the fixture panics on purpose";
    let ran = toolrack(&home, ["call", "panics"]).ended(1).says([panic]);
    assert!(!ran.stderr.contains("backtrace"), "{ran:#?}");
    assert!(!ran.stdout.contains(panic), "{ran:#?}");
    super::ran::run(home.toolrack().env("RUST_BACKTRACE", "1").args(["call", "panics"]))
        .ended(1)
        .says([panic, "backtrace:\n"]);
}

#[test]
fn a_name_with_a_typo_is_no_tool_and_the_near_one_is_named() {
    let home = home();
    let answer = error(&home, "lenght", "{}", 2);
    assert_eq!(answer["error_type"], json!("unknown_tool"));
    assert!(answer["error"].as_str().unwrap().contains("Unknown tool `lenght`"), "{answer}");
    assert_eq!(answer["near"], json!(["length"]));
}

#[test]
fn a_tool_of_a_plugin_that_failed_says_so() {
    let home = Home::new();
    home.drop_in(&fixture("cli_unwilling"));
    let answer = error(&home, "unwilling", "{}", 2);
    assert!(answer["error"].as_str().unwrap().contains("T6004"), "{answer}");
}

#[test]
fn where_there_are_no_tools_a_person_is_told_how_to_get_some() {
    let home = Home::new();
    toolrack(&home, ["call", "echo"]).ended(2).says(["toolrack add PATH"]);
    toolrack(&home, ["call", "echo", "--json"]).ended(2).quietly();
}

#[test]
fn arguments_come_from_standard_input() {
    let home = home();
    assert_eq!(call_with(&home, "echo", br#"{"text":"piped"}"#).ended(0).stdout, "piped\n");
    assert_eq!(call_with(&home, "lines", b"").ended(0).stdout, "one\ntwo\n");
    call_with(&home, "echo", b"\xff\xfe").ended(2).says(["`stdin`: the arguments could not be read"]);
}

#[test]
fn fifty_megabytes_of_arguments_are_taken_and_seventy_are_not() {
    let home = home();
    let text = |megabytes: usize| format!(r#"{{"text":"{}"}}"#, "x".repeat(megabytes << 20)).into_bytes();
    assert_eq!(call_with(&home, "length", &text(50)).ended(0).stdout, "52428800\n");
    call_with(&home, "length", &text(70)).ended(2).says(["`stdin`: the arguments are larger than"]);
}

#[test]
fn what_fails_before_dispatch_is_a_diagnosis() {
    let home = home();
    let ran = toolrack(&home, ["--tools", "nowhere", "call", "echo", "{}", "--json"]).ended(2);
    let diagnosis = ran.diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
    assert!(diagnosis["path"].as_str().unwrap().ends_with("nowhere"), "{diagnosis}");
}
