use serde_json::json;

use super::ran::{DIAGNOSIS, assert_keys, codes, each, toolrack};
use crate::support::{Home, fixture};

const KEYS: &str = "path plugin version abi rustc sha256 tools diagnoses";

#[test]
fn a_plugin_is_shown_in_full_by_name_and_by_path() {
    let home = Home::new();
    let library = home.drop_in(&fixture("well_behaved"));
    for name in ["well_behaved", library.to_str().unwrap()] {
        let document = toolrack(&home, ["inspect", name, "--json"]).ended(0).quietly().json();
        assert_keys(&document, KEYS);
        assert_eq!(document["path"].as_str(), library.to_str());
        assert_eq!(document["plugin"], json!("well_behaved"));
        assert_eq!(document["version"], json!("0.1.0"));
        assert_eq!(document["abi"], json!("1.0"));
        assert!(document["rustc"].as_str().unwrap().starts_with("1."), "{document:#}");
        assert_eq!(document["sha256"].as_str().map(str::len), Some(64));
        assert_eq!(document["diagnoses"], json!([]));
        let tool = &document["tools"][0];
        assert_eq!((&tool["name"], &tool["toolset"]), (&json!("echo"), &json!("fixtures")));
        assert_eq!(tool["schema"]["required"], json!(["text"]));
        assert_eq!((&tool["read_only"], &tool["destructive"]), (&json!(true), &json!(null)));
    }
}

#[test]
fn people_read_what_a_tool_does_and_takes() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let ran = toolrack(&home, ["inspect", "well_behaved"]).ended(0).quietly();
    for line in [
        "plugin   well_behaved",
        "echo [fixtures]",
        "  Gives its text back.",
        "    text (string), required: The text.",
    ] {
        assert!(ran.stdout.lines().any(|it| it == line), "no `{line}` in {ran:#?}");
    }
}

#[test]
fn a_plugin_that_was_rejected_is_shown_with_what_is_wrong() {
    let home = Home::new();
    let library = home.drop_in(&fixture("cli_unwilling"));
    for name in ["cli_unwilling", library.to_str().unwrap()] {
        let document = toolrack(&home, ["inspect", name, "--json"]).ended(1).json();
        assert_keys(&document, KEYS);
        assert_eq!(codes(&document["diagnoses"]), ["T6004"]);
        assert_keys(&document["diagnoses"][0], DIAGNOSIS);
        assert_eq!(document["plugin"], json!("cli_unwilling"));
        assert_eq!(document["sha256"], json!(null));
        assert_eq!(each(&document["tools"], "name"), ["unwilling"]);
    }
}

#[test]
fn a_file_that_is_no_plugin_has_nothing_but_a_path() {
    let home = Home::new();
    let text = home.path().join("text.so");
    std::fs::write(&text, "hello").unwrap();
    let document = toolrack(&home, ["inspect", text.to_str().unwrap(), "--json"]).ended(1).json();
    assert_keys(&document, KEYS);
    assert_eq!(codes(&document["diagnoses"]), ["T2001"]);
    for key in ["plugin", "version", "abi", "rustc", "sha256"] {
        assert_eq!(document[key], json!(null), "{key}");
    }
    assert_eq!(document["tools"], json!([]));
}

#[test]
fn a_name_that_nobody_has_is_not_understood() {
    let home = Home::new();
    toolrack(&home, ["inspect", "well_behaved"]).ended(2).says(["no plugin is loaded"]);
    home.drop_in(&fixture("well_behaved"));
    let diagnosis = toolrack(&home, ["inspect", "well_behave", "--json"]).ended(2).diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
    assert_eq!(diagnosis["help"], json!("did you mean `well_behaved`?"));
}
