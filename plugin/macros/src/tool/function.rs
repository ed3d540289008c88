//! `#[tool]` on a function.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, ItemFn, Signature};

use super::attributes::Attributes;
use super::parameters::Parameters;
use super::write::Written;
use crate::{docs, ours};

pub(super) fn expand(attributes: &Attributes, mut item: ItemFn) -> syn::Result<TokenStream> {
    check_signature(&item.sig)?;
    let parameters = Parameters::take(item.sig.inputs.iter_mut())?;
    let name = &item.sig.ident;
    let conditions = conditions(&item.attrs);
    let implementation = Written {
        attributes,
        conditions: conditions.clone(),
        tool: quote!(#name),
        at: name.span(),
        default_name: name.unraw().to_string(),
        description: docs::text(&item.attrs),
        signature: &item.sig,
        parameters,
        callee: quote!(#name),
        receiver: None,
        check: None,
        overrides: None,
    }
    .write()?;
    let visibility = &item.vis;
    let at = ours(name.span());
    // `export_tools!` finds the tool by the function's path: a type of the same name does not disturb the function.
    Ok(quote_spanned! {at=>
        #item
        #(#conditions)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, unreachable_pub)]
        #visibility struct #name {}
        #implementation
    })
}

/// Refuses what no tool can be.
pub(super) fn check_signature(signature: &Signature) -> syn::Result<()> {
    if let Some(parameter) = signature.generics.params.first() {
        return Err(syn::Error::new_spanned(
            parameter,
            "a tool can not be generic: its arguments have one schema",
        ));
    }
    if let Some(unsafety) = &signature.unsafety {
        return Err(syn::Error::new(unsafety.span(), "a tool is called by a model: it can not be `unsafe`"));
    }
    if let Some(abi) = &signature.abi {
        return Err(syn::Error::new_spanned(abi, "a tool is a plain Rust function"));
    }
    if let Some(variadic) = &signature.variadic {
        return Err(syn::Error::new(variadic.span(), "a tool has a fixed number of arguments"));
    }
    Ok(())
}

pub(super) fn conditions(attributes: &[Attribute]) -> Vec<&Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
