use serde_json::json;

use super::ran::{each, toolrack};
use crate::support::{Home, fixture};

#[test]
fn openai_gets_its_own_json_and_nothing_around() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    for args in [["definitions", "--for", "openai", "--json"], ["--json", "definitions", "--for", "openai"]] {
        let document = toolrack(&home, args).ended(0).quietly().json();
        assert_eq!(
            document,
            json!([{
                "type": "function",
                "function": {
                    "name": "echo",
                    "description": "Gives its text back.",
                    "parameters": {
                        "type": "object",
                        "properties": { "text": { "type": "string", "description": "The text." } },
                        "required": ["text"],
                        "additionalProperties": false,
                    },
                },
            }])
        );
    }
}

#[test]
fn mcp_gets_its_own_json_and_nothing_around() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let document = toolrack(&home, ["definitions", "--for", "mcp"]).ended(0).quietly().json();
    assert_eq!(each(&document, "name"), ["echo"]);
    assert_eq!(document[0]["inputSchema"]["required"], json!(["text"]));
    assert_eq!(document[0]["annotations"]["readOnlyHint"], json!(true));
}

#[test]
fn every_provider_gets_its_own_json() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    for (provider, name) in [
        ("openai", "/0/function/name"),
        ("responses", "/0/name"),
        ("anthropic", "/0/name"),
        ("gemini", "/0/functionDeclarations/0/name"),
        ("mcp", "/0/name"),
    ] {
        let document = toolrack(&home, ["definitions", "--for", provider]).ended(0).quietly().json();
        assert_eq!(document.pointer(name), Some(&json!("echo")), "{provider}: {document}");
    }
}

#[test]
fn strict_is_asked_for_and_where_there_is_no_such_mode_it_is_said() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let strict = |provider: &str| toolrack(&home, ["definitions", "--for", provider, "--strict"]).ended(0);
    assert_eq!(strict("responses").json()[0]["strict"], true);
    assert_eq!(strict("openai").json()[0]["function"]["strict"], true);
    strict("anthropic").says(["anthropic has no strict mode"]);
}

#[test]
fn without_tools_the_list_is_empty() {
    let home = Home::new();
    assert_eq!(toolrack(&home, ["definitions", "--for", "mcp"]).ended(0).quietly().stdout, "[]\n");
}

#[test]
fn toolsets_and_tools_are_chosen_and_left_out() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    home.drop_in(&fixture("cli_talkative"));
    let names = |extra: &[&str]| {
        let ran = super::ran::run(home.toolrack().args(["definitions", "--for", "mcp"]).args(extra)).ended(0);
        each(&ran.json(), "name").join(" ")
    };
    assert_eq!(names(&[]), "echo fail length lines panics print");
    assert_eq!(names(&["--toolsets", "fixtures,lines"]), "echo lines");
    assert_eq!(names(&["--disable", "cli_talkative"]), "echo");
    assert_eq!(names(&["--toolsets", "cli_talkative", "--disable", "panics,fail"]), "length lines print");
}

#[test]
fn an_unknown_toolset_is_a_finding_with_the_nearest() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let ran = toolrack(&home, ["definitions", "--for", "mcp", "--toolsets", "fixture"]).ended(1);
    assert_eq!(ran.stdout, "[]\n");
    ran.says(["fixture", "fixtures"]);
}

#[test]
fn a_count_of_tokens_stands_beside_on_standard_error() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let ran = toolrack(&home, ["definitions", "--for", "openai", "--tokens"]).ended(0).says(["tokens"]);
    assert_eq!(ran.json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_provider_is_asked_for_by_name() {
    let home = Home::new();
    toolrack(&home, ["definitions"]).ended(2).says(["--for <PROVIDER>"]);
    toolrack(&home, ["definitions", "--for", "opnai"]).ended(2).says(["openai", "mcp"]);
}
