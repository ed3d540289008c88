//! The operator's patterns: what is denied, and, if anything is, what is allowed.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};

use crate::Diagnosis;
use crate::config::Trust;

/// Allow and deny patterns, compiled.
#[derive(Debug)]
pub(crate) struct Patterns {
    allow: Vec<Pattern>,
    deny: Vec<Pattern>,
}

/// What the patterns say about a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ruling<'a> {
    /// Not denied, and allowed if there is a list of what is.
    Admitted,
    /// This pattern denies it.
    Denied(&'a str),
    /// There is a list of what is allowed, and it is not on it.
    NotAllowed,
}

#[derive(Debug)]
struct Pattern {
    text: String,
    scope: Scope,
    matcher: GlobMatcher,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    FileName,
    WholePath,
}

impl Patterns {
    pub(crate) fn new(trust: &Trust) -> Result<Self, Diagnosis> {
        let compile = |key: &str, texts: &[String]| {
            texts.iter().map(|text| Pattern::new(text, key, trust.file.as_deref())).collect::<Result<_, _>>()
        };
        Ok(Patterns { allow: compile("allow", &trust.allow)?, deny: compile("deny", &trust.deny)? })
    }

    /// Rules on one file that is known by several paths, as found and without links.
    ///
    /// A denial of any of them counts, since all lead to the same code; so does a permission, since whoever wrote
    /// the pattern meant the file that the path leads to.
    pub(crate) fn rule(&self, paths: &[&Path]) -> Ruling<'_> {
        let hit = |patterns: &'_ [Pattern]| -> Option<usize> {
            patterns.iter().position(|pattern| paths.iter().any(|path| pattern.matches(path)))
        };
        if let Some(index) = hit(&self.deny) {
            return Ruling::Denied(&self.deny[index].text);
        }
        if self.allow.is_empty() || hit(&self.allow).is_some() {
            Ruling::Admitted
        } else {
            Ruling::NotAllowed
        }
    }
}

impl Pattern {
    /// A pattern with a slash is of whole paths, and relative to the configuration's folder; one without is of names.
    fn new(text: &str, key: &str, file: Option<&Path>) -> Result<Self, Diagnosis> {
        let scope = if text.contains('/') { Scope::WholePath } else { Scope::FileName };
        let from_anywhere = text.starts_with("**/") || text.starts_with('/') || Path::new(text).has_root();
        let folder = file.and_then(Path::parent).and_then(Path::to_str);
        let whole = match folder {
            Some(folder) if scope == Scope::WholePath && !from_anywhere => {
                let relative = text.strip_prefix("./").unwrap_or(text);
                format!("{}/{relative}", globset::escape(folder.trim_end_matches('/')))
            }
            _ => text.to_owned(),
        };
        let glob = GlobBuilder::new(&whole)
            .literal_separator(true)
            // Where two spellings name one file, a denial of one must not miss the other.
            .case_insensitive(cfg!(any(windows, target_vendor = "apple")))
            .build()
            .map_err(|error| {
                let place = file.map_or_else(|| PathBuf::from("[trust]"), Path::to_owned);
                Diagnosis::uncoded(place, format!("`{text}` in `trust.{key}` is no pattern"))
                    .caused_by(error.kind())
                    .help("`*` and `?` match within a name, `**` across folders, `[a-z]` and `{a,b}` one of several")
            })?;
        Ok(Pattern { text: text.to_owned(), scope, matcher: glob.compile_matcher() })
    }

    fn matches(&self, path: &Path) -> bool {
        match self.scope {
            Scope::WholePath => self.matcher.is_match(path),
            Scope::FileName => path.file_name().is_some_and(|name| self.matcher.is_match(Path::new(name))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(allow: &[&str], deny: &[&str]) -> Result<Patterns, Diagnosis> {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let file = Some(PathBuf::from("/etc/toolrack/toolrack.toml"));
        Patterns::new(&Trust { file, allow: own(allow), deny: own(deny), ..Trust::default() })
    }

    #[test]
    fn deny_wins_and_an_allow_list_admits_only_what_is_on_it() {
        const ADMITTED: Ruling<'_> = Ruling::Admitted;
        let denied = Ruling::Denied;
        for (allow, deny, path, ruling) in [
            (&[][..], &[][..], "/t/x.so", ADMITTED),
            (&[], &["x.*"], "/t/x.so", denied("x.*")),
            (&["x.so"], &["*.so"], "/t/x.so", denied("*.so")),
            (&["y.so", "x.so"], &[], "/t/x.so", ADMITTED),
            (&["y.so"], &[], "/t/x.so", Ruling::NotAllowed),
            (&["/t/*.so"], &[], "/t/x.so", ADMITTED),
            (&["/t/*.so"], &[], "/t/deep/x.so", Ruling::NotAllowed),
            (&["/t/**"], &[], "/t/deep/x.so", ADMITTED),
            (&["**/deep/*"], &[], "/t/deep/x.so", ADMITTED),
            (&["tools/*"], &[], "/etc/toolrack/tools/x.so", ADMITTED),
            (&["./tools/*"], &[], "/etc/toolrack/tools/x.so", ADMITTED),
            (&["tools/*"], &[], "/t/tools/x.so", Ruling::NotAllowed),
            (&[], &["t"], "/t/x.so", ADMITTED),
            (&[], &["lib{a,b}.so"], "/t/libb.so", denied("lib{a,b}.so")),
        ] {
            let compiled = patterns(allow, deny).expect("patterns");
            assert_eq!(compiled.rule(&[Path::new(path)]), ruling, "{allow:?} {deny:?} {path}");
        }
    }

    #[test]
    fn a_denial_of_where_a_link_leads_counts() {
        let compiled = patterns(&[], &["/home/eve/**"]).expect("a pattern");
        let paths = [Path::new("/t/x.so"), Path::new("/home/eve/x.so")];
        assert_eq!(compiled.rule(&paths), Ruling::Denied("/home/eve/**"));
    }

    #[test]
    fn a_pattern_that_is_none_names_its_place() {
        let error = patterns(&[], &["lib[.so"]).expect_err("an open bracket").to_string();
        assert!(error.contains("`lib[.so` in `trust.deny` is no pattern"), "{error}");
        assert!(error.contains("/etc/toolrack/toolrack.toml"), "{error}");
    }
}
