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
        let lines: Vec<String> = lines.into_iter().map(without_stars).collect();
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

/// Without the indentation that all lines share.
fn unindent(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let indentation = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let lines: Vec<&str> = lines.iter().map(|line| line.get(indentation..).unwrap_or("")).collect();
    lines.join("\n").trim().to_owned()
}

/// A block comment without the stars before its lines. Other comments come line by line.
fn without_stars(comment: String) -> String {
    let mut rest = comment.lines().skip(1).map(str::trim_start).filter(|line| !line.is_empty()).peekable();
    if rest.peek().is_none() || !rest.all(|line| line.starts_with('*')) {
        return comment;
    }
    let lines = comment.lines().map(|line| line.trim_start().strip_prefix('*').unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_lose_what_is_not_text() {
        assert_eq!(unindent(" One.\n\n   - two"), "One.\n\n  - two");
        assert_eq!(unindent(" * one\n * two"), "* one\n* two");
        let block = "\n * One.\n *\n * Two.\n ".to_owned();
        assert_eq!(unindent(&without_stars(block)), "One.\n\nTwo.");
        let plain = "One.\n  Two.".to_owned();
        assert_eq!(without_stars(plain.clone()), plain);
    }
}
