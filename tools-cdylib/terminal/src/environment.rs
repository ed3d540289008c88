//! What of the host's environment a command may see.

use std::collections::BTreeMap;
use std::ffi::OsString;

/// Passed on when set. Everything else stays with the host, its keys and tokens above all.
#[cfg(not(windows))]
const ALLOWED: &[&str] =
    &["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "XDG_*"];
/// Passed on when set. Everything else stays with the host, its keys and tokens above all.
#[cfg(windows)]
const ALLOWED: &[&str] = &[
    "PATH",
    "PATHEXT",
    "COMSPEC",
    "OS",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "TEMP",
    "TMP",
    "TZ",
    "LANG",
    "LC_*",
    "USERNAME",
    "USERDOMAIN",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "HOME",
    "APPDATA",
    "LOCALAPPDATA",
    "ALLUSERSPROFILE",
    "PUBLIC",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROGRAMW6432",
    "COMMONPROGRAMFILES",
    "PSMODULEPATH",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
    "COMPUTERNAME",
];

/// The environment of a command: what is allowed of the host's, `TERM`, and the configured values, which win.
///
/// `extra` are further allowed names; a name that ends in `*` allows all that begin with what stands before it.
pub(crate) fn environment(
    host: impl IntoIterator<Item = (OsString, OsString)>,
    extra: &[String],
    set: &BTreeMap<String, String>,
    term: &str,
) -> BTreeMap<OsString, OsString> {
    let mut passed: BTreeMap<OsString, OsString> = host
        .into_iter()
        .filter(|(name, _)| name.to_str().is_some_and(|name| is_allowed(name, extra)))
        .collect();
    passed.insert("TERM".into(), term.into());
    passed.extend(set.iter().map(|(name, value)| (name.into(), value.into())));
    passed
}

fn is_allowed(name: &str, extra: &[String]) -> bool {
    ALLOWED.iter().copied().chain(extra.iter().map(String::as_str)).any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    let same = |a: &str, b: &str| if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b };
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|begin| same(begin, start)),
        None => same(pattern, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(host: &[(&str, &str)], extra: &[&str], set: &[(&str, &str)]) -> Vec<String> {
        let host = host.iter().map(|(name, value)| (name.into(), value.into()));
        let extra: Vec<String> = extra.iter().map(|name| (*name).to_owned()).collect();
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        environment(host, &extra, &set, "dumb")
            .into_iter()
            .map(|(name, value)| format!("{}={}", name.to_str().unwrap(), value.to_str().unwrap()))
            .collect()
    }

    #[test]
    fn secrets_stay_with_the_host() {
        let host = [
            ("PATH", "/bin"),
            ("API_KEY", "k"),
            ("GITHUB_TOKEN", "t"),
            ("LC_ALL", "C"),
            ("SSH_AUTH_SOCK", "s"),
        ];
        assert_eq!(passed(&host, &[], &[]), ["LC_ALL=C", "PATH=/bin", "TERM=dumb"]);
    }

    #[test]
    fn the_operator_may_allow_names_and_set_values() {
        let host = [("CARGO_HOME", "/c"), ("NPM_A", "1"), ("NPM_B", "2"), ("PATH", "/bin")];
        assert_eq!(
            passed(&host, &["CARGO_HOME", "NPM_*"], &[("PATH", "/opt/bin"), ("EDITOR", "true")]),
            ["CARGO_HOME=/c", "EDITOR=true", "NPM_A=1", "NPM_B=2", "PATH=/opt/bin", "TERM=dumb"]
        );
    }

    #[test]
    fn a_name_that_only_begins_alike_is_another_name() {
        assert_eq!(
            passed(&[("PATH_SECRET", "x"), ("XDGX", "y"), ("XDG_DATA_HOME", "/d")], &[], &[]),
            ["TERM=dumb", "XDG_DATA_HOME=/d"]
        );
    }
}
