//! `#[default]` and `#[default(EXPR)]`, on a parameter as on a field.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, Type};

/// What stands there.
pub(crate) enum Default {
    /// The type's own.
    OfType,
    /// This value.
    Value(Box<Expr>),
}

impl Default {
    /// Reads an attribute that is called `default`.
    pub(crate) fn parse(attribute: &Attribute) -> syn::Result<Self> {
        match &attribute.meta {
            Meta::Path(_) => Ok(Default::OfType),
            Meta::List(list) => Ok(Default::Value(Box::new(list.parse_args()?))),
            Meta::NameValue(pair) => Ok(Default::Value(Box::new(pair.value.clone()))),
        }
    }

    /// The attribute for serde, and the function that it names, if it needs one.
    pub(crate) fn expand(&self, function: &Ident, ty: &Type) -> (TokenStream, TokenStream) {
        let value = match self {
            Default::OfType => {
                return (quote_spanned!(function.span()=> #[serde(default)]), TokenStream::new());
            }
            Default::Value(value) => value,
        };
        let at = crate::ours(value.span());
        // A text stands for everything that can be made of it: `String`, `PathBuf`.
        let body = match &**value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                quote_spanned!(at=> ::core::convert::Into::into(#text))
            }
            value => quote_spanned!(at=> #value),
        };
        let name = function.to_string();
        (
            quote_spanned!(at=> #[serde(default = #name)]),
            quote_spanned! {at=>
                #[doc(hidden)]
                #[allow(non_snake_case)]
                fn #function() -> #ty {
                    #body
                }
            },
        )
    }
}
