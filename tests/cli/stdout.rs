use std::process::Stdio;

use serde_json::json;

use super::ran::{each, run, toolrack};
use crate::support::{Home, fixture};

const PRINTED: [&str; 1] = ["printed while registering"];

#[test]
fn what_a_plugin_prints_while_it_registers_is_not_in_the_answer() {
    let home = Home::new();
    home.drop_in(&fixture("cli_talkative"));
    let ran = toolrack(&home, ["list", "--json"]).ended(0).says(PRINTED);
    assert_eq!(each(&ran.json()["tools"], "name"), ["fail", "length", "lines", "panics", "print"]);
    toolrack(&home, ["definitions", "--for", "mcp"]).ended(0).says(PRINTED).json();
    toolrack(&home, ["inspect", "cli_talkative", "--json"]).ended(0).says(PRINTED).json();
}

#[test]
fn what_a_plugin_prints_in_a_call_is_not_in_the_result() {
    let home = Home::new();
    home.drop_in(&fixture("cli_talkative"));
    let ran = toolrack(&home, ["call", "print", r#"{"lines":2}"#]).ended(0);
    assert_eq!(ran.stdout, "2\n");
    ran.says(["printed by a call, line 0\n", "printed by a call, line 1\n"]);
}

#[test]
fn what_a_plugin_prints_while_it_is_tried_is_not_in_the_answer() {
    let home = Home::new();
    let ran =
        run(home.toolrack().args(["add", "--json"]).arg(fixture("cli_talkative"))).ended(0).says(PRINTED);
    assert_eq!(ran.json()["rejected"], json!([]));
}

#[cfg(unix)]
#[test]
fn a_plugin_that_prints_in_a_constructor_or_closes_standard_output_spoils_nothing() {
    for fault in ["print", "close"] {
        let home = Home::new();
        let program = || {
            let mut command = home.toolrack();
            command.env("TOOLRACK_FIXTURE", fault);
            command
        };
        let added = run(program().args(["add", "--json"]).arg(fixture("cli_constructor"))).ended(0).json();
        assert_eq!(added["added"][0]["tools"], json!(["constructed_echo"]), "{fault}");
        let listed = run(program().args(["list", "--json"])).ended(0).json();
        assert_eq!(each(&listed["tools"], "name"), ["constructed_echo"], "{fault}");
        let called = run(program().args(["call", "constructed_echo", r#"{"text":"clean"}"#])).ended(0);
        assert_eq!(called.stdout, "clean\n", "{fault}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let library = fixture("well_behaved");
    for args in [
        &["list", "--json"][..],
        &["list"],
        &["call", "echo", r#"{"text":"unheard"}"#],
        &["definitions", "--for", "openai"],
        &["probe", library.to_str().unwrap()],
        &["inspect", "well_behaved"],
        &["explain", "T1001"],
        &["completions", "bash"],
        &["--help"],
    ] {
        let mut command = home.toolrack();
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_can_not_be_written_is_told() {
    let home = Home::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = home.toolrack().args(["list", "--json"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the result could not be written"), "{stderr}");
}

#[test]
fn the_log_goes_to_standard_error_and_is_as_loud_as_asked() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    std::fs::write(home.tools().join("text.so"), "hello").unwrap();
    let log = |level: &str| run(home.toolrack().env("RUST_LOG", level).args(["list", "--json"])).ended(1);
    let quiet = log("off").quietly();
    let usual = toolrack(&home, ["list", "--json"]).ended(1).says(["warning: skipped T2001", "help: "]);
    let loud = log("trace").says(["T2001"]);
    assert!(loud.stderr.len() >= usual.stderr.len());
    assert_eq!((&quiet.stdout, &usual.stdout), (&usual.stdout, &loud.stdout));
}
