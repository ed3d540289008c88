//! Near names, for the answer to a typo. Never used to decide what is called.

/// The names that a typo of `name` may have meant, best first, at most three.
pub fn near_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = folded(name);
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (score(&wanted, &folded(candidate)), candidate))
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.truncate(3);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

fn folded(name: &str) -> String {
    name.chars().take(128).map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}

/// Similarity from 0 to 1. A part of a name is near it too: `read` means `read_file`.
fn score(wanted: &str, candidate: &str) -> f64 {
    let edit = strsim::normalized_damerau_levenshtein(wanted, candidate);
    let part = wanted.len() >= 3 && (candidate.contains(wanted) || wanted.contains(candidate));
    if part { edit.max(0.7) } else { edit }
}

#[cfg(test)]
mod tests {
    use super::near_names;

    #[test]
    fn a_typo_a_part_and_a_stranger() {
        let names = ["read_file", "search_files", "terminal", "write_file"];
        assert_eq!(near_names("raed_file", names)[0], "read_file");
        assert_eq!(near_names("Read-File", names)[0], "read_file");
        assert_eq!(near_names("terminl", names), ["terminal"]);
        assert_eq!(near_names("search", names), ["search_files"]);
        assert!(near_names("quux", names).is_empty());
    }
}
