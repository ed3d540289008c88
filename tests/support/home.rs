//! A user's directories, of one test alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Private directories: configuration, data, cache, and a tools folder.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let home = Home(TempDir::new().expect("a temporary folder"));
        std::fs::create_dir_all(home.tools()).expect("a tools folder");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The default tools folder.
    pub(crate) fn tools(&self) -> PathBuf {
        self.path().join("data/toolrack/tools")
    }

    /// The folder that libraries are copied into before they are opened.
    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("cache/toolrack/store")
    }

    /// Copies a library into the tools folder under its own name.
    pub(crate) fn drop_in(&self, library: &Path) -> PathBuf {
        let name = library.file_name().expect("a library has a name");
        self.drop_in_as(library, name.to_str().expect("a plain name"))
    }

    /// Copies a library into the tools folder under another name.
    pub(crate) fn drop_in_as(&self, library: &Path, name: &str) -> PathBuf {
        let target = self.tools().join(name);
        std::fs::copy(library, &target).expect("a copy in the tools folder");
        target
    }

    /// Writes the configuration where the program looks for it.
    pub(crate) fn configure(&self, toml: &str) {
        let folder = self.path().join("config/toolrack");
        std::fs::create_dir_all(&folder).expect("a configuration folder");
        std::fs::write(folder.join("toolrack.toml"), toml).expect("a configuration");
    }

    /// The program, in this home and in a working directory of its own.
    pub(crate) fn toolrack(&self) -> Command {
        self.around(Command::new(env!("CARGO_BIN_EXE_toolrack")))
    }

    /// Any program, in this home and in a working directory of its own.
    pub(crate) fn around(&self, mut command: Command) -> Command {
        let work = self.path().join("work");
        std::fs::create_dir_all(&work).expect("a working directory");
        command
            .current_dir(work)
            .env("XDG_DATA_HOME", self.path().join("data"))
            .env("XDG_CACHE_HOME", self.path().join("cache"))
            .env("XDG_CONFIG_HOME", self.path().join("config"))
            .env("HOME", self.path())
            .env_remove("TOOLRACK_CONFIG")
            .env_remove("TOOLRACK_TOOLS")
            .env_remove("RUST_LOG")
            .env_remove("RUST_BACKTRACE")
            .env_remove("NO_COLOR");
        command
    }
}
