//! The program run to its end, and how it ended.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::Home;

/// What is left of a run.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) status: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Runs `toolrack` with these arguments.
pub(super) fn toolrack<const N: usize>(home: &Home, args: [&str; N]) -> Ran {
    run(home.toolrack().args(args))
}

/// Runs a command without input.
pub(super) fn run(command: &mut Command) -> Ran {
    let output = command.stdin(Stdio::null()).output().expect("the program starts");
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("standard output is text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// It ended with this status.
    #[track_caller]
    pub(super) fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        self
    }

    /// Standard output, which is one JSON document.
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        assert_eq!(self.stdout.trim_end().lines().count(), 1, "one document on one line: {self:#?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:#?}"))
    }

    /// The diagnosis on standard error; nothing on standard output.
    #[track_caller]
    pub(super) fn diagnosis(&self) -> Value {
        assert_eq!(self.stdout, "", "{self:#?}");
        let diagnosis = serde_json::from_str(&self.stderr).unwrap_or_else(|e| panic!("{e}: {self:#?}"));
        assert_keys(&diagnosis, DIAGNOSIS);
        diagnosis
    }

    /// Standard error has all of these, and no panic of the program's own.
    #[track_caller]
    pub(super) fn says<const N: usize>(self, parts: [&str; N]) -> Self {
        for part in parts {
            assert!(self.stderr.contains(part), "no `{part}` in {self:#?}");
        }
        assert!(!self.stderr.contains("thread 'main'"), "{self:#?}");
        self
    }

    /// Standard error is empty.
    #[track_caller]
    pub(super) fn quietly(self) -> Self {
        assert_eq!(self.stderr, "", "{self:#?}");
        self
    }
}

/// The keys of a diagnosis.
pub(super) const DIAGNOSIS: &str = "code detail help path reason";

/// An object has these keys, and no others.
#[track_caller]
pub(super) fn assert_keys(object: &Value, keys: &str) {
    let mut found: Vec<&str> = object.as_object().expect("an object").keys().map(String::as_str).collect();
    found.sort_unstable();
    let mut expected: Vec<&str> = keys.split(' ').collect();
    expected.sort_unstable();
    assert_eq!(found, expected, "{object:#}");
}

/// The codes in a list of diagnoses; `-` where there is none.
pub(super) fn codes(rejected: &Value) -> Vec<&str> {
    let rejected = rejected.as_array().expect("a list");
    rejected.iter().map(|diagnosis| diagnosis["code"].as_str().unwrap_or("-")).collect()
}

/// The strings under a key of each object in a list.
pub(super) fn each<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().expect("a list").iter().map(|it| it[key].as_str().unwrap_or("-")).collect()
}
