use std::process::Stdio;

use serde_json::json;
use toolrack::Code;

use super::ran::{assert_keys, run, toolrack};
use crate::support::{Home, need};

#[test]
fn every_code_has_a_page_for_people_and_for_programs() {
    let home = Home::new();
    for code in Code::ALL {
        let ran = toolrack(&home, ["explain", code.as_str()]).ended(0).quietly();
        assert!(ran.stdout.starts_with(&format!("{code}: {}\n\nCause\n", code.title())), "{ran:#?}");
        assert!(ran.stdout.contains("\n\nExample\n") && ran.stdout.contains("\n\nRemedy\n"), "{ran:#?}");
        let document = toolrack(&home, ["explain", code.as_str(), "--json"]).ended(0).quietly().json();
        assert_keys(&document, "code title cause example remedy");
        assert_eq!(document["code"], json!(code.as_str()));
    }
}

#[test]
fn a_code_is_found_in_small_letters_too() {
    let home = Home::new();
    toolrack(&home, ["explain", "t5001"]).ended(0);
}

#[test]
fn an_unknown_code_is_answered_with_near_ones() {
    let home = Home::new();
    toolrack(&home, ["explain", "T207"]).ended(2).says(["`T207`: no such code", "T2007"]);
    toolrack(&home, ["explain", "what"]).ended(2).says(["codes go from T1001 to T6014"]);
    let diagnosis = toolrack(&home, ["explain", "T9999", "--json"]).ended(2).diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
}

#[test]
fn help_lists_what_is_built_and_nothing_else() {
    let home = Home::new();
    let ran = toolrack(&home, ["--help"]).ended(0).quietly();
    let commands: Vec<&str> = ran
        .stdout
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let built = ["add", "list", "call", "probe", "inspect", "definitions", "explain", "completions", "help"];
    assert_eq!(commands, built);
    for command in &built[..8] {
        toolrack(&home, [*command, "--help"]).ended(0).quietly();
    }
}

#[test]
fn the_version_is_told() {
    let home = Home::new();
    let version = format!("toolrack {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(toolrack(&home, ["--version"]).ended(0).quietly().stdout, version);
}

#[test]
fn a_line_that_is_not_understood_is_told_with_the_nearest() {
    let home = Home::new();
    toolrack(&home, ["lst"]).ended(2).says(["'lst'", "'list'"]);
    toolrack(&home, ["list", "--tolset", "x"]).ended(2).says(["--tolset", "--toolset"]);
    toolrack(&home, []).ended(2).says(["Usage: toolrack"]);
}

#[test]
fn whoever_asks_for_json_is_told_in_json_that_the_line_is_not_understood() {
    let home = Home::new();
    let diagnosis = toolrack(&home, ["lst", "--json"]).ended(2).diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
    assert_eq!(diagnosis["reason"], json!("unrecognized subcommand 'lst'"));
    assert!(diagnosis["help"].as_str().unwrap().contains("'list'"), "{diagnosis}");
}

#[test]
fn completions_are_scripts_that_their_shells_read() {
    let home = Home::new();
    for (shell, command) in
        [("bash", "add"), ("zsh", "add"), ("fish", "add"), ("elvish", "add"), ("powershell", "add")]
    {
        let ran = toolrack(&home, ["completions", shell]).ended(0).quietly();
        assert!(ran.stdout.contains("toolrack") && ran.stdout.contains(command), "{shell}");
        let script = home.path().join(shell);
        std::fs::write(&script, &ran.stdout).unwrap();
        let parses = matches!(shell, "bash" | "zsh" | "fish");
        if parses && need(shell, &format!("install {shell}")) {
            let mut check = std::process::Command::new(shell);
            run(check.arg("-n").arg(&script).stdin(Stdio::null())).ended(0).quietly();
        }
    }
}
