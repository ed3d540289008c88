//! The nearest known key.

/// The known word that this one was probably meant to be.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let lower = word.to_lowercase().replace('-', "_");
    let allowed = (word.chars().count() / 3).max(1);
    known
        .iter()
        .map(|&candidate| (strsim::damerau_levenshtein(&lower, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed || (lower.len() > 3 && candidate.starts_with(&lower))
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_another_word_finds_none() {
        let known = ["allow", "deny", "owners", "strict_modes", "max_file_mb"];
        assert_eq!(nearest("alow", &known), Some("allow"));
        assert_eq!(nearest("strict-modes", &known), Some("strict_modes"));
        assert_eq!(nearest("StrictModes", &known), Some("strict_modes"));
        assert_eq!(nearest("max_file", &known), Some("max_file_mb"));
        assert_eq!(nearest("colour", &known), None);
    }
}
