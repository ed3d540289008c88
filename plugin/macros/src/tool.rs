//! `#[tool]`.

mod attributes;
mod block;
mod function;
mod parameters;
mod write;

use proc_macro2::TokenStream;
use syn::Item;

use attributes::Attributes;

pub(crate) fn expand(attributes: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    let attributes: Attributes = syn::parse2(attributes)?;
    match syn::parse2::<Item>(item)? {
        Item::Fn(item) => function::expand(&attributes, item),
        Item::Impl(item) => block::expand(&attributes, item),
        item => Err(syn::Error::new_spanned(
            &item,
            "`#[tool]` stands on a function, or on an `impl` block with a method `call`",
        )),
    }
}
