//! What the operator decides: `plugins.terminal.config`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use toolrack_plugin::args;

use crate::environment::environment;
use crate::group::Stdout;

/// The configuration. All of it may be left out; an unknown key is an error that names it.
#[args]
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// `workdir` must be in it, and the first command of a task starts there; relative to the configuration file. It
    /// confines nothing else.
    pub(crate) root: Option<PathBuf>,
    /// A POSIX shell or PowerShell, a path or a name on the `PATH`.
    pub(crate) shell: Option<String>,
    /// Names of further environment variables that commands may see; `NPM_*` allows all that begin so.
    #[default]
    env_allow: Vec<String>,
    /// Environment variables with the values that commands are given.
    #[default]
    env: BTreeMap<String, String>,
    /// How many characters of output a call returns at most: 1,000 to 1,000,000.
    #[default(50_000)]
    pub(crate) max_output_chars: usize,
}

impl Config {
    /// Checks what the type cannot say.
    ///
    /// # Errors
    /// The key, and what is wrong with its value.
    pub(crate) fn check(self) -> Result<Self, String> {
        if let Some(name) =
            self.env_allow.iter().find(|name| !is_name(name.strip_suffix('*').unwrap_or(name)))
        {
            return Err(format!("env_allow: `{}` is not a name of a variable", name.escape_debug()));
        }
        for (name, value) in &self.env {
            if !is_name(name) {
                return Err(format!("env: `{}` is not a name of a variable", name.escape_debug()));
            }
            if value.contains('\0') {
                return Err(format!("env: the value of `{name}` has a NUL character"));
            }
        }
        if !(1_000..=1_000_000).contains(&self.max_output_chars) {
            return Err(format!(
                "max_output_chars: {} is not within 1000 and 1000000",
                self.max_output_chars
            ));
        }
        Ok(self)
    }

    /// What a command sees of the environment.
    pub(crate) fn environment(&self, stdout: Stdout) -> BTreeMap<OsString, OsString> {
        let term = if stdout == Stdout::Terminal { "xterm-256color" } else { "dumb" };
        environment(std::env::vars_os(), &self.env_allow, &self.env, term)
    }
}

/// A lone `*` is none either: it would let every secret through.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0', '*'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(json: &str) -> Result<Config, String> {
        serde_json::from_str::<Config>(json).map_err(|error| error.to_string())?.check()
    }

    #[test]
    fn all_of_it_may_be_left_out() {
        assert_eq!(checked("{}").unwrap().max_output_chars, 50_000);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        for (json, expected) in [
            (r#"{"rot":"/"}"#, "unknown field `rot`"),
            (r#"{"env_allow":["*"]}"#, "env_allow: `*`"),
            (r#"{"env_allow":["A=B"]}"#, "env_allow: `A=B`"),
            (r#"{"env":{"":"x"}}"#, "env: ``"),
            (r#"{"env":{"A":"\u0000"}}"#, "env: the value of `A`"),
            (r#"{"max_output_chars":10}"#, "max_output_chars: 10"),
        ] {
            let error = checked(json).unwrap_err();
            assert!(error.contains(expected), "{json}: {error}");
        }
    }
}
