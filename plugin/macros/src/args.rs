//! `#[args]` and `#[output]`: derives with the paths that a plugin with one dependency needs.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Field, Fields, Item, parse_quote};

use crate::default::Default;

pub(crate) fn expand_args(attributes: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    nothing(&attributes, "args")?;
    let mut item = syn::parse2::<Item>(item)?;
    let (name, generics, fields) = parts(&mut item, "args")?;
    let flattened = fields.iter().any(|fields| fields.iter().any(is_flattened));
    let mut functions = Vec::new();
    for (variant, fields) in fields.into_iter().enumerate() {
        for (at, field) in fields.iter_mut().enumerate() {
            let Some(default) = take_default(field)? else { continue };
            if generics && matches!(default, Default::Value(_)) {
                return Err(syn::Error::new(field.span(), "a generic type has no `#[default(...)]`"));
            }
            let of = field.ident.as_ref().map_or_else(|| at.to_string(), |name| name.unraw().to_string());
            let function =
                format_ident!("__toolrack_default_{}_{}_{}", name, variant, of, span = field.span());
            let (attribute, made) = default.expand(&function, &field.ty);
            let attribute: TokenStream = attribute;
            field.attrs.push(parse_attribute(attribute)?);
            functions.push(made);
        }
    }
    let closed = (!flattened).then(|| quote!(, deny_unknown_fields));
    Ok(quote! {
        #[derive(::toolrack_plugin::serde::Deserialize, ::toolrack_plugin::schemars::JsonSchema)]
        #[serde(crate = "::toolrack_plugin::serde" #closed)]
        #[schemars(crate = "::toolrack_plugin::schemars")]
        #item
        #(#functions)*
    })
}

pub(crate) fn expand_output(attributes: TokenStream, item: TokenStream) -> syn::Result<TokenStream> {
    nothing(&attributes, "output")?;
    let mut item = syn::parse2::<Item>(item)?;
    parts(&mut item, "output")?;
    Ok(quote! {
        #[derive(::toolrack_plugin::serde::Serialize, ::toolrack_plugin::schemars::JsonSchema)]
        #[serde(crate = "::toolrack_plugin::serde")]
        #[schemars(crate = "::toolrack_plugin::schemars")]
        #item
    })
}

fn nothing(attributes: &TokenStream, name: &str) -> syn::Result<()> {
    if attributes.is_empty() {
        return Ok(());
    }
    Err(syn::Error::new_spanned(
        attributes,
        format!("`#[{name}]` has nothing in brackets: use `#[serde(...)]` beside it"),
    ))
}

/// The name, whether it is generic, and the fields of each variant.
fn parts<'a>(item: &'a mut Item, attribute: &str) -> syn::Result<(syn::Ident, bool, Vec<&'a mut Fields>)> {
    match item {
        Item::Struct(item) => {
            Ok((item.ident.clone(), !item.generics.params.is_empty(), vec![&mut item.fields]))
        }
        Item::Enum(item) => Ok((
            item.ident.clone(),
            !item.generics.params.is_empty(),
            item.variants.iter_mut().map(|variant| &mut variant.fields).collect(),
        )),
        other => {
            Err(syn::Error::new(other.span(), format!("`#[{attribute}]` stands on a struct or an enum")))
        }
    }
}

fn is_flattened(field: &Field) -> bool {
    field.attrs.iter().any(|attribute| {
        let mut flat = false;
        if attribute.path().is_ident("serde") {
            let _other = attribute.parse_nested_meta(|meta| {
                flat |= meta.path.is_ident("flatten");
                if meta.input.peek(syn::Token![=]) {
                    meta.value()?.parse::<syn::Expr>()?;
                }
                Ok(())
            });
        }
        flat
    })
}

fn take_default(field: &mut Field) -> syn::Result<Option<Default>> {
    let Some(at) = field.attrs.iter().position(|attribute| attribute.path().is_ident("default")) else {
        return Ok(None);
    };
    Default::parse(&field.attrs.remove(at)).map(Some)
}

fn parse_attribute(tokens: TokenStream) -> syn::Result<syn::Attribute> {
    let wrapped: syn::ItemStruct = parse_quote!(#tokens struct X;);
    wrapped
        .attrs
        .into_iter()
        .next()
        .ok_or_else(|| syn::Error::new(proc_macro2::Span::call_site(), "no attribute"))
}
