use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toolrack::{Code, ErrorType};

use crate::support::rack::{Rack, error_of, loaded, rejected};
use crate::support::{fixture, need, skip};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_plugin_in_a_folder_that_anyone_may_write_to_is_refused_and_its_neighbour_loads() {
    let rack = Rack::new();
    let open = rack.home.tools().join("open");
    fs::create_dir(&open).unwrap();
    fs::copy(fixture("answers"), open.join("a.so")).unwrap();
    mode(&open, 0o777);
    rack.drop_in(&["well_behaved"]);
    let report = rack.load();
    assert_eq!(rejected(&report), [("a.so".to_owned(), Code::T5001)]);
    assert!(report.rejected[0].help.as_deref().unwrap().contains("chmod"), "{}", report.rejected[0]);
    assert_eq!(loaded(&report), ["well_behaved"]);
    let missing = error_of(&rack.call("okay", "{}"), ErrorType::UnknownTool);
    assert!(missing["error"].as_str().unwrap().contains("T5001"), "{missing}");

    mode(&open, 0o755);
    assert_eq!(loaded(&rack.load()), ["well_behaved", "answers"], "by path");
}

#[test]
fn a_file_that_anyone_may_write_to_is_refused() {
    let rack = Rack::new();
    mode(&rack.home.drop_in(&fixture("well_behaved")), 0o666);
    assert_eq!(rejected(&rack.load())[0].1, Code::T5001);
    assert!(rack.home.store().join("bytes").read_dir().unwrap().next().is_none(), "nothing was copied");
}

#[test]
fn a_plugin_that_is_disabled_and_a_file_that_is_denied_or_not_allowed_are_told_apart() {
    for (toml, code, words) in [
        ("plugins.well_behaved.enabled = false", Code::T5002, "is disabled"),
        ("trust.deny = ['*well_behaved*']", Code::T5002, "`*well_behaved*` under `deny`"),
        ("trust.allow = ['*answers*']", Code::T5003, "under `allow`"),
    ] {
        let rack = Rack::configured(toml);
        rack.drop_in(&["well_behaved", "answers"]);
        let report = rack.load();
        assert_eq!(loaded(&report), ["answers"], "{toml}");
        assert_eq!(rejected(&report)[0].1, code, "{toml}");
        assert!(report.rejected[0].reason.contains(words), "{}", report.rejected[0]);
        let missing = error_of(&rack.call("echo", "{}"), ErrorType::UnknownTool);
        assert!(missing["error"].as_str().unwrap().contains(code.as_str()), "{missing}");
    }
}

/// Lists the tools where the store is a file system of its own; what was rejected, and what was listed.
#[cfg(target_os = "linux")]
fn list_with_store_on(options: &str, then: &str) -> Option<(String, Vec<String>)> {
    if !need("unshare", "install util-linux") {
        return None;
    }
    let home = crate::support::Home::new();
    home.drop_in(&fixture("well_behaved"));
    fs::create_dir_all(home.store()).unwrap();
    for folder in [home.path().join("cache"), home.path().join("cache/toolrack"), home.store()] {
        mode(&folder, 0o700);
    }
    let script = format!(
        "mount -t tmpfs -o {options},mode=700 tmpfs \"$1\" || exit 99\n\
         mkdir -m 700 \"$1/bytes\" \"$1/tmp\"\n{then}\nshift; exec \"$@\""
    );
    let program = home.toolrack();
    let mut command = std::process::Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, "sh"]).arg(home.store()).arg(program.get_program());
    command.args(["list", "--json"]);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().unwrap();
    // 99 is the script's own; `unshare` itself has 1, and says nothing on stdout.
    if output.status.code() == Some(99) || output.stdout.is_empty() {
        let why = String::from_utf8_lossy(&output.stderr);
        skip(&format!("no file system can be mounted here, only root can: {}", why.trim()));
        return None;
    }
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes = list["rejected"].as_array().unwrap().iter().map(|one| one["code"].to_string()).collect();
    Some((list["rejected"][0]["reason"].to_string(), codes))
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_that_is_full_or_read_only_is_told() {
    if let Some((reason, codes)) = list_with_store_on("size=256k", "") {
        assert_eq!(codes, ["\"T6014\""]);
        assert!(reason.contains("is full"), "{reason}");
    }
    if let Some((reason, codes)) = list_with_store_on("size=64m", "mount -o remount,ro \"$1\"") {
        assert_eq!(codes, ["\"T6014\""]);
        assert!(reason.contains("read-only"), "{reason}");
    }
}
