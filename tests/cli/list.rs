use serde_json::json;

use super::ran::{DIAGNOSIS, assert_keys, codes, each, toolrack};
use crate::support::{Home, fixture};

#[test]
fn the_table_has_a_line_a_tool() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let ran = toolrack(&home, ["list"]).ended(0).quietly();
    assert_eq!(
        ran.stdout,
        "TOOL  TOOLSET   SOURCE               STATE\n\
         echo  fixtures  plugin well_behaved  ready\n"
    );
}

#[test]
fn the_document_has_every_key_of_every_tool() {
    let home = Home::new();
    let library = home.drop_in(&fixture("well_behaved"));
    let document = toolrack(&home, ["list", "--json"]).ended(0).quietly().json();
    assert_eq!(
        document,
        json!({
            "generation": 1,
            "tools": [{
                "name": "echo",
                "toolset": "fixtures",
                "source": { "kind": "plugin", "name": "well_behaved", "path": library.to_str() },
                "state": "ready",
                "reason": null,
            }],
            "rejected": [],
        })
    );
}

#[test]
fn the_same_folder_is_listed_the_same_again() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    home.drop_in(&fixture("cli_constructor"));
    let first = toolrack(&home, ["list", "--json"]).ended(0);
    let second = toolrack(&home, ["list", "--json"]).ended(0);
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(each(&first.json()["tools"], "name"), ["constructed_echo", "echo"]);
}

#[test]
fn a_plugin_that_does_not_register_is_rejected_in_its_own_words_and_its_tools_are_failed() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let library = home.drop_in(&fixture("cli_unwilling"));
    let ran = toolrack(&home, ["list", "--json"]).ended(1).says(["T6004", "no licence for this machine"]);
    let document = ran.json();
    assert_eq!(codes(&document["rejected"]), ["T6004"]);
    assert_keys(&document["rejected"][0], DIAGNOSIS);
    assert_eq!(document["rejected"][0]["path"].as_str(), library.to_str());
    let failed = &document["tools"][1];
    assert_eq!((&failed["name"], &failed["state"]), (&json!("unwilling"), &json!("failed")));
    assert_eq!(failed["toolset"], json!(null));
    assert_eq!(failed["source"], json!({ "kind": "plugin", "name": null, "path": library.to_str() }));
    assert!(failed["reason"].as_str().unwrap().starts_with("T6004 "), "{failed}");
    toolrack(&home, ["call", "echo", r#"{"text":"on"}"#]).ended(0);
}

#[test]
fn a_toolset_is_listed_alone_and_a_misspelt_one_is_told() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    home.drop_in(&fixture("cli_constructor"));
    let document = toolrack(&home, ["list", "--toolset", "fixtures", "--json"]).ended(0).json();
    assert_eq!(each(&document["tools"], "name"), ["echo"]);
    toolrack(&home, ["list", "--toolset", "fixture"])
        .ended(2)
        .says(["`fixture`: no such toolset", "did you mean `fixtures`?"]);
}

#[test]
fn a_tool_that_can_not_be_used_is_listed_with_the_reason_and_not_defined() {
    let home = Home::new();
    home.drop_in(&fixture("checked"));
    let flag = home.path().join("flag");
    home.configure(&format!("plugins.checked.config.flag = '{}'", flag.display()));
    let document = toolrack(&home, ["list", "--json"]).ended(0).json();
    let states = ["unavailable", "unavailable", "unavailable", "unavailable"];
    assert_eq!(each(&document["tools"], "state"), states);
    assert_eq!(document["tools"][0]["reason"], json!("the flag is not up"));
    assert!(toolrack(&home, ["list"]).ended(0).stdout.contains("unavailable: the flag is not up"));
    assert_eq!(toolrack(&home, ["definitions", "--for", "openai"]).ended(0).json(), json!([]));

    std::fs::write(flag, "").unwrap();
    let document = toolrack(&home, ["list", "--json"]).ended(0).json();
    assert_eq!(each(&document["tools"], "state"), ["ready", "ready", "unavailable", "unavailable"]);
    let defined = toolrack(&home, ["definitions", "--for", "mcp"]).ended(0).json();
    assert_eq!(each(&defined, "name"), ["needs_flag", "needs_flag_too"]);
    let keyed = home.toolrack().env("TOOLRACK_FIXTURE_TOKEN", "x").args(["list", "--json"]).output().unwrap();
    let document: serde_json::Value = serde_json::from_slice(&keyed.stdout).unwrap();
    assert_eq!(document["tools"][2]["state"], json!("ready"));
}

#[test]
fn a_toolset_that_is_defined_and_empty_is_an_empty_table() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let document = toolrack(&home, ["list", "--toolset", "browser", "--json"]).ended(0).json();
    assert_eq!(document["tools"], json!([]));
    toolrack(&home, ["list", "--toolset", "browser"]).ended(0).says(["no tools in the toolset `browser`"]);
}

#[test]
fn what_is_hidden_is_listed_on_request() {
    let home = Home::new();
    let (first, second) = (home.path().join("a"), home.path().join("b"));
    std::fs::create_dir_all(&first).unwrap();
    std::fs::create_dir_all(&second).unwrap();
    std::fs::copy(fixture("well_behaved"), first.join("libone.so")).unwrap();
    // The same tools from a plugin of another name.
    let other = super::add::patched(
        &fixture("well_behaved"),
        "\"name\":\"well_behaved\"",
        "\"name\":\"well_behavee\"",
    );
    std::fs::write(second.join("libtwo.so"), other).unwrap();
    let folders = [first.to_str().unwrap(), second.to_str().unwrap()];
    let args = ["--tools", folders[0], "--tools", folders[1], "list", "--json"];
    let document = toolrack(&home, args).ended(1).json();
    assert_eq!(codes(&document["rejected"]), ["T6005"]);
    assert_eq!(each(&document["tools"], "state"), ["ready"]);
    let mut all = args.to_vec();
    all.push("--all");
    let document = super::ran::run(home.toolrack().args(all)).ended(1).json();
    assert_eq!(each(&document["tools"], "state"), ["ready", "hidden"]);
    assert_eq!(document["tools"][1]["source"]["name"], json!("well_behavee"));
    assert!(document["tools"][1]["reason"].as_str().unwrap().contains("well_behaved"), "{document:#}");
}
