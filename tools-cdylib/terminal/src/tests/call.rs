//! Whole calls, as the tool makes them.

use std::time::Duration;

use crate::call::{Failure, Request, call};
use crate::config::Config;
use crate::directory::Directories;
use crate::group::Stdout;
use crate::report::Report;

/// A conversation in a folder of its own, which is the root.
struct Conversation {
    folder: tempfile::TempDir,
    config: Config,
    directories: Directories,
}

impl Conversation {
    fn new() -> Self {
        Self::configured("")
    }

    fn configured(more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = serde_json::to_string(folder.path()).unwrap();
        let config: Config = serde_json::from_str(&format!(r#"{{"root":{root}{more}}}"#)).unwrap();
        Conversation { folder, config: config.check().unwrap(), directories: Directories::default() }
    }

    fn root(&self) -> String {
        dunce::canonicalize(self.folder.path()).unwrap().display().to_string()
    }

    fn call(&self, request: Request<'_>) -> Result<Report, Failure> {
        call(&request, &self.config, &self.directories, &|| false)
    }

    fn run(&self, command: &str) -> Report {
        self.call(request(command)).unwrap()
    }
}

fn request(command: &str) -> Request<'_> {
    Request {
        command,
        timeout: 180,
        workdir: None,
        stdout: Stdout::Pipe,
        task: "task",
        session: "session",
        remaining: None,
    }
}

#[test]
fn a_report_says_what_happened_and_no_more() {
    let conversation = Conversation::new();
    let report = conversation.run("echo hello");
    let mut json = serde_json::to_value(&report).unwrap();
    assert!(json["duration_s"].as_f64().unwrap() > 0.0);
    json["duration_s"] = 0.into();
    let expected =
        serde_json::json!({"output":"hello\n", "exit_code":0, "duration_s":0, "cwd":conversation.root()});
    assert_eq!(json, expected);
}

#[test]
fn an_exit_code_is_explained_and_no_error() {
    let conversation = Conversation::new();
    let report = conversation.run("echo hay | grep needle");
    assert_eq!(report.exit_code, Some(1));
    assert_eq!(report.meaning.as_deref(), Some("`grep`: no line matched, which is no error"));
    let killed = conversation.run("kill -KILL $$");
    assert_eq!(killed.exit_code, Some(137));
    assert!(killed.meaning.unwrap().contains("SIGKILL"));
}

#[test]
fn a_cd_is_seen_by_the_next_call_of_the_task_and_by_no_other() {
    let conversation = Conversation::new();
    let root = conversation.root();
    assert_eq!(conversation.run("mkdir sub; cd sub").cwd, format!("{root}/sub"));
    assert_eq!(conversation.run("pwd").output, format!("{root}/sub\n"));
    let other = conversation.call(Request { task: "other", ..request("pwd") }).unwrap();
    assert_eq!(other.output, format!("{root}\n"));
}

#[test]
fn a_workdir_is_for_one_call() {
    let conversation = Conversation::new();
    let root = conversation.root();
    conversation.run("mkdir -p a/deep b; cd a");
    let there = conversation.call(Request { workdir: Some("deep"), ..request("pwd; cd /") }).unwrap();
    assert_eq!((there.output, there.cwd), (format!("{root}/a/deep\n"), format!("{root}/a")));
    assert_eq!(conversation.run("pwd").output, format!("{root}/a\n"));
}

#[test]
fn a_directory_that_is_gone_is_told_and_the_command_runs_in_the_root() {
    let conversation = Conversation::new();
    let root = conversation.root();
    conversation.run("mkdir sub; cd sub; rmdir ../sub");
    conversation.run("mkdir -p other; cd other");
    std::fs::remove_dir(conversation.folder.path().join("other")).unwrap();
    let report = conversation.run("pwd");
    assert_eq!(report.output, format!("{root}\n"));
    assert_eq!(report.notes, [format!("`{root}/other`, where the last command ended, is gone")]);
    assert!(conversation.run("pwd").notes.is_empty());
}

#[test]
fn what_is_not_text_and_what_was_left_behind_is_noted() {
    let report = Conversation::new().run("printf '\\377'; sleep 1000 &");
    assert_eq!(report.output, "\u{fffd}");
    assert_eq!(report.notes.len(), 2, "{report:?}");
}

#[test]
fn a_long_output_says_how_much_is_left_out() {
    let conversation = Conversation::configured(r#","max_output_chars":1000"#);
    let report = conversation.run("seq 1 10000");
    assert!(report.output.chars().count() <= 1000);
    assert!(report.omitted_chars > 40_000);
}

#[test]
fn the_operator_gives_environment_and_shell() {
    let conversation = Conversation::configured(r#","shell":"/bin/sh","env":{"GREETING":"hi"}"#);
    assert_eq!(conversation.run("echo $GREETING $TERM").output, "hi dumb\n");
    let missing = Conversation::configured(r#","shell":"/no/shell""#);
    let failure = missing.call(request("true")).unwrap_err();
    assert_eq!(failure.to_string(), "no shell found: looked for `/no/shell`");
}

#[test]
fn arguments_that_cannot_be_meant_are_refused() {
    let conversation = Conversation::new();
    for (bad, expected) in [
        (request(" \n"), "command: it is empty"),
        (request("a\0b"), "command: it has a NUL character, which no shell can be given"),
        (Request { timeout: 0, ..request("true") }, "timeout: 0 is not within 1 and 600 seconds"),
        (Request { timeout: 601, ..request("true") }, "timeout: 601 is not within 1 and 600 seconds"),
    ] {
        let failure = conversation.call(bad).unwrap_err();
        assert!(matches!(failure, Failure::Arguments(_)), "{failure:?}");
        assert_eq!(failure.to_string(), expected);
    }
    let outside = conversation.call(Request { workdir: Some("/"), ..request("true") }).unwrap_err();
    assert!(outside.to_string().contains("is outside the root"), "{outside}");
}

#[test]
fn at_its_timeout_a_command_is_ended_and_what_it_printed_is_there() {
    let slow = Request { timeout: 2, ..request("echo begun; exec sleep 1000") };
    let failure = Conversation::new().call(slow).unwrap_err();
    assert!(failure.to_string().starts_with("timed out after 2 s; "), "{failure}");
    let Failure::TimedOut(_, report) = failure else { panic!() };
    assert_eq!((report.output.as_str(), report.exit_code), ("begun\n", None));
}

#[test]
fn a_call_that_ends_before_its_commands_timeout_says_so() {
    let slow = Request { remaining: Some(Duration::from_secs(2)), ..request("sleep 1000") };
    let failure = Conversation::new().call(slow).unwrap_err();
    assert!(
        failure.to_string().starts_with("timed out after 1.5 s, because the call itself ends then; "),
        "{failure}"
    );
}

#[test]
fn without_time_nothing_is_started() {
    let conversation = Conversation::new();
    let late = Request { remaining: Some(Duration::ZERO), ..request("touch started") };
    assert!(matches!(conversation.call(late), Err(Failure::NoTime)));
    assert!(!conversation.folder.path().join("started").exists());
}

#[test]
fn a_cancelled_call_is_no_timeout() {
    let conversation = Conversation::new();
    let failure = call(&request("sleep 1000"), &conversation.config, &conversation.directories, &|| true);
    assert!(matches!(failure, Err(Failure::Cancelled(_))));
}

#[test]
fn of_the_hosts_environment_a_command_sees_only_what_is_allowed() {
    // Cargo gives every test this one.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "run me by `cargo test`");
    assert!(!Conversation::new().run("env").output.contains("CARGO_MANIFEST_DIR="));
    let allowed = Conversation::configured(r#","env_allow":["CARGO_MANIFEST_*"]"#);
    assert!(allowed.run("env").output.contains("CARGO_MANIFEST_DIR="));
}
