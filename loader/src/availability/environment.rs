//! Environment variables that a tool cannot do without.

use std::ffi::OsString;

/// Looks a variable of the environment up.
pub type Environment = dyn Fn(&str) -> Option<OsString> + Send + Sync;

/// The first of `items` that is not satisfied. Each is a variable's name, or names of which one is enough, with `|`
/// between them. A variable that is empty counts as missing.
pub(crate) fn first_missing<'a>(items: &'a [String], env: &Environment) -> Option<&'a str> {
    items.iter().map(String::as_str).find(|item| {
        !item.split('|').map(str::trim).any(|name| {
            // A name that no environment can hold is never looked up: the system's own lookup would panic.
            let possible = !name.is_empty() && !name.contains(['=', '\0']);
            possible && env(name).is_some_and(|value| !value.is_empty())
        })
    })
}

/// What is said of an item that is not satisfied.
pub(crate) fn complaint(item: &str) -> String {
    let names: Vec<String> =
        item.split('|').map(|name| format!("`{}`", crate::escaped(name.trim().as_ref()))).collect();
    match &names[..] {
        [_] => format!("the environment variable {} is not set", names[0]),
        _ => format!("none of the environment variables {} is set", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing<'a>(items: &'a [String], set: &'static [(&'static str, &'static str)]) -> Option<&'a str> {
        first_missing(items, &move |name| {
            set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    fn items(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn every_item_must_be_satisfied_and_of_alternatives_one_is_enough() {
        let needs = items(&["BRAVE_KEY|TAVILY_KEY", "HOME"]);
        assert_eq!(missing(&needs, &[("TAVILY_KEY", "x"), ("HOME", "/")]), None);
        assert_eq!(missing(&needs, &[("BRAVE_KEY", "x"), ("HOME", "/")]), None);
        assert_eq!(missing(&needs, &[("BRAVE_KEY", "x")]), Some("HOME"));
        assert_eq!(missing(&needs, &[("HOME", "/")]), Some("BRAVE_KEY|TAVILY_KEY"));
        assert_eq!(missing(&[], &[]), None);
    }

    #[test]
    fn an_empty_variable_counts_as_missing() {
        assert_eq!(missing(&items(&["KEY"]), &[("KEY", "")]), Some("KEY"));
        assert_eq!(missing(&items(&["KEY|OTHER"]), &[("KEY", ""), ("OTHER", "1")]), None);
    }

    #[test]
    fn a_name_that_no_environment_can_hold_is_missing_and_harms_nobody() {
        for name in ["", "|", "A=B", "A\0B"] {
            let needs = items(&[name]);
            assert_eq!(first_missing(&needs, &|name| std::env::var_os(name)), Some(name));
        }
    }

    #[test]
    fn the_complaint_names_every_alternative() {
        assert_eq!(complaint("KEY"), "the environment variable `KEY` is not set");
        assert_eq!(complaint("A | B"), "none of the environment variables `A`, `B` is set");
    }
}
