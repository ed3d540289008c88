//! A table of its own, loaded from a home of its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use toolrack::{
    Answer, Call, Code, Config, Directories, ErrorType, Loader, LoaderSettings, Registry, Report, SourceId,
    SourceKind,
};

use super::{Home, fixture, logs};

/// A host in the test's own process.
pub(crate) struct Rack {
    pub(crate) home: Arc<Home>,
    pub(crate) registry: Registry,
    pub(crate) loader: Loader,
}

impl Rack {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self::configured("")
    }

    /// One whose operator wrote this into `toolrack.toml`.
    pub(crate) fn configured(toml: &str) -> Self {
        Self::at(Arc::new(Home::new()), toml)
    }

    /// One with these fixtures, all of which load.
    pub(crate) fn with(fixtures: &[&str]) -> Self {
        let rack = Self::new();
        rack.drop_in(fixtures);
        let report = rack.load();
        assert!(report.rejected.is_empty(), "{:#?}", report.rejected);
        assert_eq!(report.loaded.len(), fixtures.len());
        rack
    }

    /// Another host of the same user, in the same process: another table, the same folders.
    pub(crate) fn beside(&self) -> Self {
        Self::at(self.home.clone(), "")
    }

    pub(crate) fn at(home: Arc<Home>, toml: &str) -> Self {
        logs::listen();
        let config = Config::from_toml(toml, &home.path().join("toolrack.toml")).expect("a configuration");
        let directories =
            Directories { data: home.path().join("data/plugins"), spill: home.path().join("spill") };
        let settings = LoaderSettings { config, store: home.store(), directories };
        let registry = Registry::new();
        let loader = Loader::new(registry.clone(), settings).expect("a loader");
        Rack { home, registry, loader }
    }

    /// Copies fixtures into the tools folder.
    pub(crate) fn drop_in(&self, fixtures: &[&str]) {
        for name in fixtures {
            self.home.drop_in(&fixture(name));
        }
    }

    /// Loads the tools folder.
    pub(crate) fn load(&self) -> Report {
        self.load_folders(&[self.home.tools()])
    }

    pub(crate) fn load_folders(&self, folders: &[PathBuf]) -> Report {
        self.loader.load_folders(folders, &mut |_| {})
    }

    /// Loads one file.
    pub(crate) fn load_file(&self, path: &Path) -> Report {
        self.loader.load_files(&[path.to_owned()], &mut |_| {})
    }

    /// Calls a tool, as the host itself.
    pub(crate) fn call(&self, name: &str, args: &str) -> Answer {
        self.registry.call_inline(name, args, &Call::new())
    }

    /// Calls a tool that must not fail; its text.
    pub(crate) fn text(&self, name: &str, args: &str) -> String {
        let answer = self.call(name, args);
        assert!(!answer.is_error(), "{}", answer.as_str());
        answer.into_string()
    }

    /// The names in the table.
    pub(crate) fn names(&self) -> Vec<String> {
        self.registry.snapshot().names().map(str::to_owned).collect()
    }
}

/// The source that a plugin of that name is.
pub(crate) fn plugin(name: &str) -> SourceId {
    SourceId { kind: SourceKind::Plugin, name: name.into() }
}

/// The codes of what was rejected, with the files' names.
pub(crate) fn rejected(report: &Report) -> Vec<(String, Code)> {
    let rejected = report.rejected.iter();
    rejected.map(|d| (file_name(&d.path), d.code.expect("a file's diagnosis has a code"))).collect()
}

/// The names of the plugins that were loaded.
pub(crate) fn loaded(report: &Report) -> Vec<&str> {
    report.loaded.iter().map(|plugin| plugin.name.as_str()).collect()
}

/// The last part of a path.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The object of an answer that is an error of this type.
#[track_caller]
pub(crate) fn error_of(answer: &Answer, error_type: ErrorType) -> Value {
    assert_eq!(answer.error, Some(error_type), "{}", answer.as_str());
    let object: Value = serde_json::from_str(answer.as_str()).expect("an error is a JSON object");
    assert_eq!(object["error_type"], error_type.as_str());
    object
}

/// The value of an answer that is JSON and no error.
#[track_caller]
pub(crate) fn json_of(answer: &Answer) -> Value {
    assert!(!answer.is_error(), "{}", answer.as_str());
    serde_json::from_str(answer.as_str()).expect("the answer is JSON")
}
