//! The shell, and how it is made to tell where a command ended.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The longest command that goes on the command line: Linux allows 128 KiB an argument.
const LONGEST_ARGUMENT: usize = 100_000;

/// A shell that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shell {
    program: PathBuf,
    family: Family,
}

/// How a shell is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// `sh`, `bash`, `zsh` and their like, on Windows too.
    Posix,
    /// `powershell` and `pwsh`.
    PowerShell,
}

/// Why there is no shell, or none that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShellError {
    /// The configured one, or every one that was looked for.
    NotFound(String),
    /// It has another language than the ones spoken here.
    Unsupported(String),
}

impl Shell {
    /// The configured shell, a path or a name on the `PATH`; else `bash`, else `/bin/sh`; on Windows `pwsh`, else
    /// `powershell`.
    ///
    /// # Errors
    /// [`ShellError`].
    pub(crate) fn find(configured: Option<&str>) -> Result<Shell, ShellError> {
        let defaults: &[&str] = if cfg!(windows) { &["pwsh", "powershell"] } else { &["bash", "/bin/sh"] };
        let candidates = configured.as_ref().map_or(defaults, std::slice::from_ref);
        let program = candidates.iter().find_map(|name| on_path(name));
        let program = program.ok_or_else(|| ShellError::NotFound(candidates.join("`, `")))?;
        Ok(Shell { family: family(&program)?, program })
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The arguments that make this shell run `command` and tell where it ended.
    ///
    /// # Errors
    /// The script of a long command could not be written.
    pub(crate) fn arguments(&self, command: &str, scratch: &Scratch) -> io::Result<Vec<OsString>> {
        match self.family {
            Family::Posix => {
                let script = posix_script(command, &scratch.end());
                if script.len() <= LONGEST_ARGUMENT {
                    return Ok(vec!["-c".into(), script.into()]);
                }
                Ok(vec![scratch.write_script("command", script.as_bytes())?.into()])
            }
            Family::PowerShell => {
                // The mark tells Windows PowerShell 5 that this is UTF-8.
                let script = format!("\u{feff}{}", powershell_script(command, &scratch.end()));
                let script = scratch.write_script("command.ps1", script.as_bytes())?;
                let fixed =
                    ["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"];
                Ok(fixed.iter().map(OsString::from).chain([script.into()]).collect())
            }
        }
    }
}

/// A private folder for one command, removed with this value.
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// Makes the folder; nobody but its owner may enter.
    pub(crate) fn new() -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        Ok(Scratch(builder.prefix("toolrack-terminal-").tempdir()?))
    }

    /// Where the shell was when it ended. Nothing if it did not tell: it was killed, or replaced by `exec`, or the
    /// command set an `EXIT` trap of its own.
    pub(crate) fn ended_in(&self) -> Option<PathBuf> {
        let told = std::fs::read(self.end()).ok()?;
        let told = path_of(told.strip_suffix(b"\n").unwrap_or(&told))?;
        told.is_absolute().then_some(told)
    }

    fn end(&self) -> PathBuf {
        self.0.path().join("end")
    }

    fn write_script(&self, name: &str, script: &[u8]) -> io::Result<PathBuf> {
        let path = self.0.path().join(name);
        std::fs::write(&path, script)?;
        Ok(path)
    }
}

/// A trap, so that it also runs when the command calls `exit`; on the first line, so that the line numbers in the
/// shell's messages are the command's own. `>|` because the command may have set `noclobber`.
fn posix_script(command: &str, end: &Path) -> String {
    let pwd = if cfg!(windows) { "command pwd -W" } else { "command pwd -P" };
    let trap = format!("{{ {pwd} >| {}; }} 2>/dev/null", quoted(&end.to_string_lossy()));
    format!("trap {} EXIT; {command}", quoted(&trap))
}

/// `finally` also runs after `exit`. Without the last line, PowerShell would end with 0 or 1 only.
fn powershell_script(command: &str, end: &Path) -> String {
    let end = end.to_string_lossy().replace('\'', "''");
    format!(
        "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false)\n\
         $global:LASTEXITCODE = 0\n\
         try {{\n{command}\n}} finally {{ [IO.File]::WriteAllText('{end}', (Get-Location).ProviderPath) }}\n\
         if (-not $? -and $LASTEXITCODE -eq 0) {{ exit 1 }}\n\
         exit $LASTEXITCODE\n"
    )
}

/// One word of a POSIX shell, whatever stands in it.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn family(program: &Path) -> Result<Family, ShellError> {
    let name = program.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    match name.as_str() {
        "pwsh" | "powershell" => Ok(Family::PowerShell),
        "cmd" | "fish" | "nu" | "csh" | "tcsh" | "elvish" | "xonsh" => {
            Err(ShellError::Unsupported(program.display().to_string()))
        }
        _ => Ok(Family::Posix),
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let given = Path::new(name);
    if given.components().count() > 1 {
        return given.is_file().then(|| given.to_owned());
    }
    let path = std::env::var_os("PATH")?;
    let file =
        format!("{name}{}", if given.extension().is_some() { "" } else { std::env::consts::EXE_SUFFIX });
    std::env::split_paths(&path).map(|dir| dir.join(&file)).find(|file| file.is_absolute() && file.is_file())
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes.to_vec()).into())
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(|text| text.trim_end_matches('\r').into())
}

impl std::fmt::Display for ShellError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ShellError::NotFound(names) => write!(f, "no shell found: looked for `{names}`"),
            ShellError::Unsupported(shell) => {
                write!(f, "`{shell}` cannot be used: `shell` must be a POSIX shell or PowerShell")
            }
        }
    }
}

impl std::error::Error for ShellError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_one_word() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert!(posix_script("exit 3", Path::new("/tmp/a b/end")).ends_with(" EXIT; exit 3"));
    }

    #[test]
    fn powershell_is_given_its_own_quotes() {
        let script = powershell_script("Get-Date", Path::new("C:/it's/end"));
        assert!(script.contains("'C:/it''s/end'") && script.contains("\nGet-Date\n"), "{script}");
    }

    #[test]
    fn a_shell_of_another_language_is_refused() {
        assert_eq!(
            family(Path::new("C:/Windows/cmd.exe")),
            Err(ShellError::Unsupported("C:/Windows/cmd.exe".into()))
        );
        assert_eq!(family(Path::new("/usr/bin/pwsh")), Ok(Family::PowerShell));
        assert_eq!(family(Path::new("/bin/dash")), Ok(Family::Posix));
    }

    #[test]
    fn a_shell_that_is_not_there_is_named() {
        let fault = Shell::find(Some("/no/such/shell")).unwrap_err();
        assert_eq!(fault.to_string(), "no shell found: looked for `/no/such/shell`");
    }
}
