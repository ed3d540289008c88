//! Doc comments as text for the model.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments as an expression, if there is any.
pub(crate) fn text(attributes: &[Attribute]) -> Option<TokenStream> {
    let pieces: Vec<&Expr> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        })
        .collect();
    let literals: Option<Vec<String>> = pieces.iter().map(|piece| literal(piece)).collect();
    if let Some(lines) = literals {
        let text = unindent(&lines.join("\n"));
        let span = attributes.iter().find(|attribute| attribute.path().is_ident("doc")).map(span_of)?;
        return (!text.is_empty()).then(|| quote_spanned!(span=> #text));
    }
    // `#[doc = include_str!("...")]` is known to the compiler only.
    let mut lines = Vec::new();
    for piece in pieces {
        match literal(piece) {
            Some(text) => {
                let text = text.strip_prefix(' ').unwrap_or(&text).to_owned();
                lines.push(quote_spanned!(Span::mixed_site()=> #text, "\n"));
            }
            None => lines.push(quote_spanned!(Span::mixed_site()=> #piece, "\n")),
        }
    }
    Some(quote_spanned!(Span::mixed_site()=> ::core::concat!(#(#lines),*)))
}

fn span_of(attribute: &Attribute) -> Span {
    attribute.pound_token.span
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

/// Without the indentation that all lines share, and the stars of a block comment.
fn unindent(text: &str) -> String {
    let starred = text.contains('\n')
        && text
            .lines()
            .skip(1)
            .all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('*'))
        && text.lines().skip(1).any(|line| line.trim_start().starts_with("* "));
    let lines: Vec<&str> = text
        .lines()
        .map(|line| if starred { line.trim_start().trim_start_matches('*') } else { line })
        .map(str::trim_end)
        .collect();
    let indentation = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indentation..).unwrap_or("")).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_what_is_not_text() {
        assert_eq!(unindent(" One.\n\n   - two"), "One.\n\n  - two");
        assert_eq!(unindent("\n * One.\n * Two.\n "), "One.\nTwo.");
        assert_eq!(unindent(" * one\n * two"), "* one\n* two");
    }
}
