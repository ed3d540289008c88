//! A page of help for each code.

use crate::Code;

/// Why something happens, how it looks, and what to do about it; plain text of several lines each, commands and
/// output indented by four spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Explanation {
    /// Why it happens.
    pub cause: &'static str,
    /// How it comes about, or what one sees.
    pub example: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// The page of a code.
///
/// ```
/// let page = toolrack::explain(toolrack::Code::T5001);
/// assert!(page.remedy.contains("chmod go-w"));
/// ```
pub fn explain(code: Code) -> Explanation {
    let part = |name| part(code, name).unwrap_or_default();
    Explanation { cause: part("cause"), example: part("example"), remedy: part("remedy") }
}

const PAGES: &str = include_str!("explain/pages.md");

/// One part of a page; a test sees to it that none is missing.
fn part(code: Code, name: &str) -> Option<&'static str> {
    let page = sections(PAGES, "\n## ").find(|page| page.starts_with(code.as_str()))?;
    let part = sections(page, "\n### ").find_map(|part| part.strip_prefix(name))?;
    Some(part.trim_matches('\n'))
}

/// What follows each heading, the heading's own words included.
fn sections<'a>(text: &'a str, heading: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(heading).skip(1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_has_a_page_with_all_three_parts() {
        let mut seen = BTreeSet::new();
        for &code in Code::ALL {
            let page = explain(code);
            for (name, text) in [("cause", page.cause), ("example", page.example), ("remedy", page.remedy)] {
                assert!(text.len() >= 20, "{code} has no {name}");
                assert!(seen.insert(text), "{code} has another page's {name}");
                assert_eq!(text, text.trim_end(), "{code}, {name}");
            }
            assert!(page.cause.ends_with('.'), "{code}: the cause is a sentence");
        }
    }

    #[test]
    fn the_pages_stand_in_order_under_their_codes_titles_and_there_are_no_others() {
        let headings: Vec<&str> = sections(PAGES, "\n## ").filter_map(|page| page.lines().next()).collect();
        assert_eq!(headings.len(), Code::ALL.len());
        for (heading, code) in headings.iter().zip(Code::ALL) {
            let title = heading.strip_prefix(code.as_str()).and_then(|rest| rest.strip_prefix(' '));
            let title = title.unwrap_or_else(|| panic!("`{heading}` stands where {code} should"));
            assert!(title.starts_with(code.title()), "`{heading}` is not `{}`", code.title());
        }
        for page in sections(PAGES, "\n## ") {
            let parts: Vec<&str> = sections(page, "\n### ").filter_map(|part| part.lines().next()).collect();
            assert_eq!(parts, ["cause", "example", "remedy"]);
        }
    }

    #[test]
    fn no_page_names_a_code_that_does_not_exist() {
        for word in PAGES.split(|c: char| !c.is_ascii_alphanumeric()) {
            let is_code =
                word.len() == 5 && word.starts_with('T') && word[1..].bytes().all(|b| b.is_ascii_digit());
            assert!(!is_code || word.parse::<Code>().is_ok(), "{word}");
        }
    }

    #[test]
    fn lines_fit_and_are_plain_text() {
        for (number, line) in PAGES.lines().enumerate() {
            let number = number + 1;
            assert!(line.chars().count() <= 120, "line {number} is too long: {line}");
            assert!(!line.contains('\t') && line.trim_end() == line, "line {number}: {line:?}");
            assert!(line.is_ascii(), "line {number}: {line}");
            assert!(line.matches('`').count() % 2 == 0, "an odd backtick in line {number}: {line}");
        }
    }
}
