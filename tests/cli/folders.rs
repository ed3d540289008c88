use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;

use super::ran::{codes, each, run, toolrack};
use crate::support::{Home, fixture, need, tool_library};

#[test]
fn a_default_folder_that_is_not_there_yet_is_an_empty_table() {
    let home = Home::new();
    fs::remove_dir(home.tools()).unwrap();
    let empty = json!({ "generation": 0, "tools": [], "rejected": [] });
    assert_eq!(toolrack(&home, ["list", "--json"]).ended(0).quietly().json(), empty);
    let ran = toolrack(&home, ["list"]).ended(0).says(["no tools in `", "toolrack add PATH"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn an_empty_folder_is_an_empty_table() {
    let home = Home::new();
    let folder = home.path().join("named");
    fs::create_dir(&folder).unwrap();
    let ran = toolrack(&home, ["--tools", folder.to_str().unwrap(), "list", "--json"]).ended(0).quietly();
    assert_eq!(ran.json()["tools"], json!([]));
}

#[test]
fn a_folder_that_is_named_and_not_there_is_not_understood() {
    let home = Home::new();
    for command in ["list", "call", "definitions", "inspect"] {
        let rest: &[&str] = match command {
            "call" | "inspect" => &["echo"],
            "definitions" => &["--for", "mcp"],
            _ => &[],
        };
        run(home.toolrack().args(["--tools", "nowhere", command]).args(rest)).ended(2).says(["nowhere`"]);
    }
    let diagnosis = toolrack(&home, ["--tools", "nowhere", "list", "--json"]).ended(2).diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
    fs::create_dir_all(home.path().join("work")).unwrap();
    fs::write(home.path().join("work/file"), "").unwrap();
    toolrack(&home, ["--tools", "file", "list"]).ended(2).says(["is not a folder"]);
}

/// Two thousand libraries that are none of ours, and the folder in which cargo keeps what it builds.
#[cfg(unix)]
#[test]
fn among_thousands_of_strangers_nothing_but_plugins_loads_each_once() {
    if !need("gcc", "install a C compiler") {
        return;
    }
    let home = Home::new();
    let strangers = home.path().join("strangers");
    fs::create_dir(&strangers).unwrap();
    let sources = [
        "int a(void) { return 1; }",
        "const char data[4096] = {7};",
        "extern int b(void); int c(void) { return b(); }",
    ];
    for (index, source) in sources.iter().enumerate() {
        let library = home.path().join("one.so");
        super::add::gcc(source, &library);
        let mut bytes = fs::read(&library).unwrap();
        for copy in 0..2000 / sources.len() {
            bytes.extend((copy as u32).to_le_bytes());
            fs::write(strangers.join(format!("lib{index}_{copy}.so")), &bytes).unwrap();
        }
    }
    fs::copy(fixture("well_behaved"), strangers.join("libneedle.so")).unwrap();
    let built = tool_library("file").with_file_name("deps");
    let args = ["--tools", strangers.to_str().unwrap(), "--tools", built.to_str().unwrap(), "list", "--json"];
    let document = run(home.toolrack().env("RUST_LOG", "off").args(args)).json();
    let plugins: BTreeSet<&str> = document["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["state"] == "ready")
        .map(|tool| tool["source"]["name"].as_str().unwrap())
        .collect();
    // The tools that ship, and the plugin of the benches: what is built here beside the tests' own.
    let ours = BTreeSet::from(["bench000", "file", "terminal", "well_behaved"]);
    assert!(plugins.contains("well_behaved") && plugins.contains("file"), "{plugins:?}");
    assert!(plugins.is_subset(&ours), "{plugins:?}");
    let names: Vec<&str> = each(&document["tools"], "name");
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "a tool twice: {names:?}");
    // Earlier builds of the same plugins may lie there too; nothing of the strangers is even a finding.
    for rejected in document["rejected"].as_array().unwrap() {
        let path = Path::new(rejected["path"].as_str().unwrap());
        assert!(path.starts_with(&built), "{rejected:#}");
        assert!(path.file_name().unwrap().to_str().unwrap().starts_with("libtoolrack_"), "{rejected:#}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_anyone_may_write_to_is_refused_until_the_printed_command_is_run() {
    use std::os::unix::fs::PermissionsExt as _;

    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    fs::set_permissions(home.tools(), fs::Permissions::from_mode(0o777)).unwrap();
    let ran = toolrack(&home, ["list", "--json"]).ended(1).says(["T5001", "chmod"]);
    let document = ran.json();
    assert_eq!(codes(&document["rejected"]), ["T5001"]);
    assert_eq!(each(&document["tools"], "state"), ["failed"]);
    let answer = toolrack(&home, ["call", "echo", "{}"]).ended(2).json();
    assert!(answer["error"].as_str().unwrap().contains("T5001"), "{answer}");
    // Nor is anything put there.
    let added = run(home.toolrack().args(["add", "--json"]).arg(fixture("cli_constructor"))).ended(1).json();
    assert_eq!(codes(&added["rejected"]), ["T5001"]);
    let help = document["rejected"][0]["help"].as_str().unwrap();
    let command = help.strip_prefix("run: ").unwrap_or_else(|| panic!("{help}"));
    run(std::process::Command::new("sh").args(["-c", command])).ended(0);
    toolrack(&home, ["call", "echo", r#"{"text":"trusted"}"#]).ended(0);
}
