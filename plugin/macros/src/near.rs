//! Errors about a name that is not known.

use proc_macro2::Ident;

/// `unknown WHAT NAME`, with the nearest of `known` or all of them.
pub(crate) fn unknown(what: &str, name: &Ident, known: &[&str]) -> syn::Error {
    let text = name.to_string();
    let near = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&text, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance);
    let help = match near {
        Some((_, near)) => format!("did you mean `{near}`?"),
        None => format!("known are `{}`", known.join("`, `")),
    };
    syn::Error::new(name.span(), format!("unknown {what} `{text}`: {help}"))
}
