//! `#[tool]` on an `impl` block: a tool with state.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, ImplItem, ImplItemFn, ItemImpl, Type};

use super::attributes::Attributes;
use super::function::{check_signature, conditions};
use super::parameters::Parameters;
use super::write::Written;
use crate::{docs, ours};

pub(super) fn expand(attributes: &Attributes, mut item: ItemImpl) -> syn::Result<TokenStream> {
    if let Some((_, path, _)) = &item.trait_ {
        return Err(syn::Error::new_spanned(
            path,
            "`#[tool]` writes the trait itself: put it on `impl TYPE`",
        ));
    }
    if let Some(parameter) = item.generics.params.first() {
        return Err(syn::Error::new_spanned(
            parameter,
            "a tool can not be generic: its arguments have one schema",
        ));
    }
    let tool = (*item.self_ty).clone();
    let name = match &tool {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.clone()),
        _ => None,
    };
    let Some(name) = name else {
        return Err(syn::Error::new_spanned(&tool, "a tool is a struct or an enum"));
    };
    let check = hook(&item, "check")?;
    let overrides = hook(&item, "overrides")?;
    for (given, method) in [(&attributes.check, &check), (&attributes.overrides, &overrides)] {
        if let (Some(path), Some(_)) = (given, method) {
            return Err(syn::Error::new_spanned(path, "the block has a method of that name already"));
        }
    }
    let block_docs = docs::text(&item.attrs);
    let Some(call) = method(&mut item, "call") else {
        return Err(syn::Error::new_spanned(&tool, "the block of a tool has a method `call`"));
    };
    check_signature(&call.sig)?;
    check_receiver(call)?;
    let parameters = Parameters::take(call.sig.inputs.iter_mut().skip(1))?;
    let call = &*call;
    let at = ours(call.sig.ident.span());
    let receiver = quote_spanned!(ours(match &call.sig.output {
        syn::ReturnType::Type(_, ty) => ty.span(),
        syn::ReturnType::Default => call.sig.ident.span(),
    })=> self);
    let written = Written {
        attributes,
        conditions: Vec::new(),
        tool: quote!(#tool),
        at: call.sig.ident.span(),
        default_name: snake_case(&name.to_string()),
        description: docs::text(&call.attrs).or(block_docs),
        signature: &call.sig,
        parameters,
        callee: quote_spanned!(at=> <#tool>::call),
        receiver: Some(receiver),
        check,
        overrides,
    };
    let implementation = written.write()?;
    let conditions = conditions(&item.attrs);
    Ok(quote! {
        #item
        #(#conditions)*
        #implementation
    })
}

fn method<'a>(item: &'a mut ItemImpl, name: &str) -> Option<&'a mut ImplItemFn> {
    item.items.iter_mut().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(method),
        _ => None,
    })
}

/// The call of a method `check` or `overrides`, which may leave out the host.
fn hook(item: &ItemImpl, name: &str) -> syn::Result<Option<TokenStream>> {
    let found = item.items.iter().find_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == name => Some(method),
        _ => None,
    });
    let Some(method) = found else { return Ok(None) };
    check_receiver(method)?;
    if let Some(asyncness) = &method.sig.asyncness {
        return Err(syn::Error::new(asyncness.span(), format!("`{name}` is not `async`")));
    }
    let tool = &item.self_ty;
    let ident = &method.sig.ident;
    let at = ours(ident.span());
    match method.sig.inputs.len() {
        1 => Ok(Some(quote_spanned!(at=> <#tool>::#ident(self)))),
        2 => Ok(Some(quote_spanned!(at=> <#tool>::#ident(self, host)))),
        _ => Err(syn::Error::new_spanned(
            &method.sig.inputs,
            format!("`{name}` has `&self` and perhaps `&Host`"),
        )),
    }
}

fn check_receiver(method: &ImplItemFn) -> syn::Result<()> {
    match method.sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) if receiver.reference.is_some() && receiver.mutability.is_none() => {
            Ok(())
        }
        Some(FnArg::Receiver(receiver)) => Err(syn::Error::new_spanned(
            receiver,
            "calls may run side by side: the receiver is `&self`, and what changes stands behind a lock",
        )),
        _ => Err(syn::Error::new(method.sig.ident.span(), "the method of a tool has the receiver `&self`")),
    }
}

/// `HttpGet` is `http_get`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut previous = None;
    for (at, letter) in name.char_indices() {
        let next_is_small = name[at + letter.len_utf8()..].starts_with(char::is_lowercase);
        let starts_word = letter.is_uppercase()
            && previous
                .is_some_and(|before: char| before != '_' && (!before.is_uppercase() || next_is_small));
        if starts_word {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
        previous = Some(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn a_types_name_becomes_a_tools() {
        assert_eq!(snake_case("Counter"), "counter");
        assert_eq!(snake_case("HttpGet"), "http_get");
        assert_eq!(snake_case("HTTPGet"), "http_get");
        assert_eq!(snake_case("A_b2C"), "a_b2_c");
    }
}
