//! What stands in the brackets of `#[tool(...)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitBool, LitInt, LitStr, Path, Token, bracketed, parenthesized};

use crate::near::unknown;
use crate::ours;

const KNOWN: &[&str] = &[
    "name",
    "description",
    "title",
    "toolset",
    "emoji",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "parallel_safe",
    "parallel_key",
    "max_concurrent",
    "timeout",
    "max_result_size_chars",
    "requires_env",
    "hints",
    "examples",
    "check",
    "check_id",
    "overrides",
    "override",
];

/// The attributes, checked as far as they can be without the function.
#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) name: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) check: Option<Path>,
    pub(crate) overrides: Option<Path>,
    /// The calls on `ToolMeta` that say the rest.
    pub(crate) setters: Vec<TokenStream>,
    /// Texts that must be the names of arguments.
    pub(crate) arguments: Vec<LitStr>,
    /// Texts that are JSON objects of arguments.
    pub(crate) examples: Vec<LitStr>,
}

impl Parse for Attributes {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attributes = Attributes::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            if seen.contains(&key) {
                return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
            }
            attributes.read(&key, input)?;
            seen.push(key);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(attributes)
    }
}

impl Attributes {
    fn read(&mut self, key: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let at = ours(key.span());
        let setter = match key.to_string().as_str() {
            "name" => {
                let name: Expr = value(input)?;
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &name {
                    check_name(&text.value(), text.span())?;
                }
                self.name = Some(name);
                return Ok(());
            }
            "description" => {
                self.description = Some(value(input)?);
                return Ok(());
            }
            "check" => {
                self.check = Some(value(input)?);
                return Ok(());
            }
            "overrides" => {
                self.overrides = Some(value(input)?);
                return Ok(());
            }
            "title" | "toolset" | "emoji" | "check_id" => {
                let text: Expr = value(input)?;
                quote_spanned!(at=> .#key(#text))
            }
            "read_only" | "destructive" | "idempotent" | "open_world" | "parallel_safe" => {
                let yes = flag(input)?;
                quote_spanned!(at=> .#key(#yes))
            }
            "override" => {
                let yes = flag(input)?;
                quote_spanned!(at=> .overriding(#yes))
            }
            "max_concurrent" => {
                let calls: LitInt = value(input)?;
                if calls.base10_parse::<u32>()? == 0 {
                    return Err(syn::Error::new(calls.span(), "at least one call at a time"));
                }
                quote_spanned!(at=> .max_concurrent(#calls))
            }
            "timeout" => self.timeout(input)?,
            "max_result_size_chars" => size(input)?,
            "parallel_key" => {
                let names = texts(key, input)?;
                self.arguments.extend(names.iter().cloned());
                quote_spanned!(at=> .parallel_key(&[#(#names),*]))
            }
            "requires_env" => {
                let names = texts(key, input)?;
                for name in &names {
                    if name.value().split('|').any(|name| name.trim().is_empty()) {
                        return Err(syn::Error::new(
                            name.span(),
                            "a variable's name is empty: write `A` or `A|B`",
                        ));
                    }
                }
                quote_spanned!(at=> .requires_env(&[#(#names),*]))
            }
            "examples" => {
                self.examples = texts(key, input)?;
                let examples = &self.examples;
                quote_spanned!(at=> .examples(&[#(#examples),*]))
            }
            "hints" => hints(input)?,
            _ => return Err(unknown("attribute", key, KNOWN)),
        };
        self.setters.push(setter);
        Ok(())
    }

    /// `= SECONDS`, `= "none"` or `= arg("NAME")`.
    fn timeout(&mut self, input: ParseStream<'_>) -> syn::Result<TokenStream> {
        const FORMS: &str = "expected seconds above 0, `\"none\"` or `arg(\"NAME\")`";
        let expr: Expr = value(input)?;
        let at = ours(expr.span());
        let wrong = || syn::Error::new_spanned(&expr, FORMS);
        let timeout = match &expr {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "none" => {
                quote_spanned!(at=> None)
            }
            Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
                let seconds: f64 = number.base10_parse().map_err(|_| wrong())?;
                if seconds <= 0.0 {
                    return Err(wrong());
                }
                quote_spanned!(at=> Seconds(#seconds))
            }
            Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => {
                let seconds: f64 = number.base10_parse().map_err(|_| wrong())?;
                if seconds <= 0.0 || !seconds.is_finite() {
                    return Err(wrong());
                }
                quote_spanned!(at=> Seconds(#seconds))
            }
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("arg")) => {
                let mut args = call.args.iter();
                match (args.next(), args.next()) {
                    (Some(Expr::Lit(ExprLit { lit: Lit::Str(name), .. })), None) => {
                        self.arguments.push(name.clone());
                        quote_spanned!(at=> Argument(#name))
                    }
                    _ => return Err(wrong()),
                }
            }
            _ => return Err(wrong()),
        };
        Ok(quote_spanned!(at=> .timeout(::toolrack_plugin::Timeout::#timeout)))
    }
}

/// A letter, then at most 63 letters, digits or underscores: what every provider takes.
pub(crate) fn check_name(name: &str, span: proc_macro2::Span) -> syn::Result<()> {
    let legal = name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if legal {
        return Ok(());
    }
    Err(syn::Error::new(
        span,
        format!("`{name}` is no tool's name: a letter, then at most 63 letters, digits or underscores"),
    ))
}

fn value<T: Parse>(input: ParseStream<'_>) -> syn::Result<T> {
    input.parse::<Token![=]>()?;
    input.parse()
}

/// Nothing, `= true` or `= false`.
fn flag(input: ParseStream<'_>) -> syn::Result<bool> {
    if input.peek(Token![=]) { Ok(value::<LitBool>(input)?.value) } else { Ok(true) }
}

fn size(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let size: Lit = value(input)?;
    let at = ours(size.span());
    let size = match &size {
        Lit::Int(chars) => quote_spanned!(at=> Chars(#chars)),
        Lit::Str(word) if word.value() == "unlimited" => quote_spanned!(at=> Unlimited),
        other => {
            return Err(syn::Error::new(other.span(), "expected a number of characters or `\"unlimited\"`"));
        }
    };
    Ok(quote_spanned!(at=> .max_result_size_chars(::toolrack_plugin::ResultSize::#size)))
}

/// `("A", "B")`.
fn texts(key: &Ident, input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    if !input.peek(syn::token::Paren) {
        return Err(syn::Error::new(key.span(), format!("write `{key}(\"...\")`")));
    }
    let content;
    parenthesized!(content in input);
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated(&content)?;
    Ok(texts.into_iter().collect())
}

/// `("tool" => "text", ["a", "b"] => "text")`.
fn hints(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    let paren = parenthesized!(content in input);
    let at = ours(paren.span.join());
    let form = |error: syn::Error| {
        syn::Error::new(error.span(), "write `hints(\"tool\" => \"text\", [\"a\", \"b\"] => \"text\")`")
    };
    let mut hints = Vec::new();
    while !content.is_empty() {
        let tools = if content.peek(syn::token::Bracket) {
            let names;
            bracketed!(names in content);
            Punctuated::<LitStr, Token![,]>::parse_terminated(&names)?.into_iter().collect()
        } else {
            vec![content.parse::<LitStr>().map_err(form)?]
        };
        content.parse::<Token![=>]>().map_err(form)?;
        let text: Expr = content.parse()?;
        hints.push(quote_spanned!(at=> ::toolrack_plugin::Hint { tools: &[#(#tools),*], text: #text }));
        if !content.is_empty() {
            content.parse::<Token![,]>()?;
        }
    }
    Ok(quote_spanned!(at=> .hints(&[#(#hints),*])))
}
