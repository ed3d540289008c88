use std::fs;

use serde_json::json;

use super::ran::{codes, each, run, toolrack};
use crate::support::{Home, fixture, tool_library};

/// The names of the tools that the program lists, given these variables.
fn listed(home: &Home, variables: &[(&str, &str)], args: &[&str]) -> String {
    let mut command = home.toolrack();
    command.envs(variables.iter().copied()).args(args).args(["list", "--json"]);
    each(&run(&mut command).ended(0).json()["tools"], "name").join(" ")
}

/// A folder with one plugin.
fn folder(home: &Home, name: &str, plugin: &str) -> String {
    let folder = home.path().join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(fixture(plugin), folder.join(format!("{plugin}.so"))).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn a_flag_beats_the_environment_which_beats_the_configuration_which_beats_the_default() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let [a, b] = [folder(&home, "a", "cli_constructor"), folder(&home, "b", "well_behaved")];
    assert_eq!(listed(&home, &[], &[]), "echo");
    home.configure(&format!("tools = [{a:?}]"));
    assert_eq!(listed(&home, &[], &[]), "constructed_echo");
    assert_eq!(listed(&home, &[("TOOLRACK_TOOLS", &b)], &[]), "echo");
    assert_eq!(listed(&home, &[("TOOLRACK_TOOLS", &b)], &["--tools", &a]), "constructed_echo");
    let both = std::env::join_paths([&a, &b]).unwrap().into_string().unwrap();
    assert_eq!(listed(&home, &[("TOOLRACK_TOOLS", &both)], &[]), "constructed_echo echo");
    assert_eq!(listed(&home, &[], &["--tools", &a, "--tools", &b]), "constructed_echo echo");
}

#[test]
fn a_configuration_is_named_by_flag_by_variable_or_lies_in_its_place() {
    let home = Home::new();
    let [a, b] = [folder(&home, "a", "cli_constructor"), folder(&home, "b", "well_behaved")];
    let write = |name: &str, tools: &str| {
        let path = home.path().join(name);
        fs::write(&path, format!("tools = [{tools:?}]")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    // Its paths are relative to it.
    let [by_flag, by_variable] = [write("flag.toml", "a"), write("variable.toml", &b)];
    home.configure("tools = []");
    assert_eq!(listed(&home, &[], &[]), "");
    assert_eq!(listed(&home, &[("TOOLRACK_CONFIG", &by_variable)], &[]), "echo");
    assert_eq!(
        listed(&home, &[("TOOLRACK_CONFIG", &by_variable)], &["--config", &by_flag]),
        "constructed_echo"
    );
    assert!(a.ends_with("/a"));
}

#[test]
fn the_working_directory_is_never_read_unasked() {
    let home = Home::new();
    let work = home.path().join("work");
    fs::create_dir_all(work.join("tools")).unwrap();
    fs::copy(fixture("well_behaved"), work.join("tools/libw.so")).unwrap();
    fs::copy(fixture("well_behaved"), work.join("libw.so")).unwrap();
    fs::write(work.join("toolrack.toml"), "tools = [\"tools\"]\nthis is not toml").unwrap();
    assert_eq!(listed(&home, &[], &[]), "");
    assert_eq!(listed(&home, &[("TOOLRACK_TOOLS", ":")], &[]), "");
}

#[test]
fn an_unknown_key_is_an_error_with_the_nearest_known_one() {
    let home = Home::new();
    home.configure("[trust]\ndenny = [\"*\"]\n");
    toolrack(&home, ["list"]).ended(2).says(["toolrack.toml", "denny", "`deny`"]);
    let diagnosis = toolrack(&home, ["list", "--json"]).ended(2).diagnosis();
    assert_eq!(diagnosis["code"], json!(null));
    // What needs no configuration goes on.
    toolrack(&home, ["explain", "T5002"]).ended(0);
}

#[test]
fn a_configuration_that_is_named_and_not_there_is_an_error() {
    let home = Home::new();
    for command in [["--config", "nowhere.toml", "list"], ["--config", "nowhere.toml", "call"]] {
        let mut args = command.to_vec();
        args.extend(["call"].iter().filter(|it| command.contains(it)).map(|_| "echo"));
        run(home.toolrack().args(args)).ended(2).says(["nowhere.toml", "does not exist"]);
    }
}

#[test]
fn a_plugin_that_is_disabled_is_not_loaded() {
    let home = Home::new();
    home.drop_in(&tool_library("file"));
    home.drop_in(&fixture("well_behaved"));
    home.configure("[plugins.file]\nenabled = false\n");
    let document = toolrack(&home, ["list", "--json"]).ended(1).says(["enabled = true"]).json();
    assert_eq!(codes(&document["rejected"]), ["T5002"]);
    let ready: Vec<_> =
        document["tools"].as_array().unwrap().iter().filter(|it| it["state"] == "ready").collect();
    assert_eq!((ready.len(), &ready[0]["name"]), (1, &json!("echo")));
    assert!(each(&document["tools"], "name").contains(&"read_file"), "{document:#}");
}

#[test]
fn a_plugin_is_told_its_configuration() {
    let home = Home::new();
    home.drop_in(&tool_library("file"));
    let root = home.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("inside.txt"), "within the root\n").unwrap();
    fs::write(home.path().join("outside.txt"), "beyond the root\n").unwrap();
    home.configure(&format!("[plugins.file.config]\nroot = {root:?}\n"));
    let read = |path: &str| toolrack(&home, ["call", "read_file", &json!({ "path": path }).to_string()]);
    assert!(read("inside.txt").ended(0).stdout.contains("within the root"));
    let refused = read("../outside.txt").ended(1);
    assert!(!refused.stdout.contains("beyond the root"), "{refused:#?}");
    assert!(refused.json()["error_type"].is_string());
}

#[test]
fn without_a_root_the_working_directory_is_one() {
    let home = Home::new();
    home.drop_in(&tool_library("file"));
    fs::create_dir_all(home.path().join("work")).unwrap();
    fs::write(home.path().join("work/README.md"), "one\ntwo\nthree\nfour\n").unwrap();
    let ran = toolrack(&home, ["call", "read_file", r#"{"path":"README.md","limit":3}"#]).ended(0).quietly();
    assert!(ran.stdout.contains("three") && !ran.stdout.contains("four"), "{ran:#?}");
}

#[cfg(unix)]
#[test]
fn without_a_home_it_is_told_which_variable_to_set() {
    let home = Home::new();
    let bare = |args: &[&str]| {
        let mut command = home.toolrack();
        for name in ["HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(name);
        }
        run(command.args(args))
    };
    bare(&["list"]).ended(2).says(["`XDG_DATA_HOME`", "`HOME`", "--tools"]);
    bare(&["explain", "T1001"]).ended(0).quietly();
    bare(&["probe", fixture("well_behaved").to_str().unwrap()]).ended(0).quietly();
}
