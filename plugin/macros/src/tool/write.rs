//! Writes the implementation of `Tool`, for a function as for a block.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Attribute, LitStr, ReturnType, Signature, Type};

use super::attributes::Attributes;
use super::parameters::Parameters;
use crate::ours;

/// A tool, as far as a function and a block have it in common.
pub(super) struct Written<'a> {
    pub(super) attributes: &'a Attributes,
    /// `cfg` and the like, which what we write must share.
    pub(super) conditions: Vec<&'a Attribute>,
    /// The type that is the tool.
    pub(super) tool: TokenStream,
    /// Where an error about the tool as a whole points.
    pub(super) at: Span,
    pub(super) default_name: String,
    pub(super) description: Option<TokenStream>,
    pub(super) signature: &'a Signature,
    pub(super) parameters: Parameters,
    /// What is called, up to the brackets.
    pub(super) callee: TokenStream,
    /// `self`, if the callee takes it.
    pub(super) receiver: Option<TokenStream>,
    /// The methods `check` and `overrides` of a block, as expressions of `self` and `host`.
    pub(super) check: Option<TokenStream>,
    pub(super) overrides: Option<TokenStream>,
}

impl Written<'_> {
    pub(super) fn write(&self) -> syn::Result<TokenStream> {
        self.parameters.check_names(&self.attributes.arguments, &self.attributes.examples)?;
        let meta = self.meta()?;
        let arguments = self.parameters.arguments_type();
        let call = self.call();
        let output_schema = self.output_schema();
        let hooks = self.hooks();
        let (tool, conditions) = (&self.tool, &self.conditions);
        Ok(quote! {
            #(#conditions)*
            #[allow(unreachable_pub, clippy::all, clippy::pedantic)]
            const _: () = {
                #[allow(unused_imports)]
                use ::toolrack_plugin::__private::{
                    CheckAnswer as _, ErrorAny as _, OutputAny as _, OverridesAnswer as _, SchemaKnown as _,
                    SchemaUnknown as _, SplitAny as _,
                };
                #arguments
                impl ::toolrack_plugin::Tool for #tool {
                    const META: ::toolrack_plugin::ToolMeta = #meta;
                    type Args = Arguments;
                    #call
                    #output_schema
                    #hooks
                }
            };
        })
    }

    fn meta(&self) -> syn::Result<TokenStream> {
        let at = ours(self.at);
        let name = match &self.attributes.name {
            Some(name) => quote!(#name),
            None => {
                super::attributes::check_name(&self.default_name, self.at)?;
                let name = &self.default_name;
                quote!(#name)
            }
        };
        let description = match (&self.attributes.description, &self.description) {
            (Some(given), _) => quote!(#given),
            (None, Some(docs)) => docs.clone(),
            (None, None) => {
                return Err(syn::Error::new(
                    self.at,
                    "a tool has a description: write a doc comment above it, or `description = \"...\"`",
                ));
            }
        };
        let escaped = match syn::parse2::<LitStr>(description.clone()) {
            Ok(literal) => {
                let text = serde_json::Value::String(literal.value()).to_string();
                let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                inner.map(|text| quote!(.escaped(#text)))
            }
            Err(_) => None,
        };
        let setters = &self.attributes.setters;
        let is_async = self.signature.asyncness.is_some().then(|| quote!(.is_async(true)));
        let check = (self.attributes.check.is_some() || self.check.is_some()).then(|| quote!(.check(true)));
        let dynamic =
            (self.attributes.overrides.is_some() || self.overrides.is_some()).then(|| quote!(.dynamic(true)));
        Ok(quote_spanned! {at=>
            ::toolrack_plugin::ToolMeta::new(#name, #description) #escaped #(#setters)* #is_async #check #dynamic
        })
    }

    fn call(&self) -> TokenStream {
        let at = ours(match &self.signature.output {
            ReturnType::Type(_, ty) => ty.span(),
            ReturnType::Default => self.at,
        });
        let context = format_ident!("ctx", span = at);
        let arguments = format_ident!("arguments", span = at);
        let returned = format_ident!("returned", span = at);
        let passed = self.receiver.iter().cloned().chain(self.parameters.passed(&context, &arguments));
        let callee = &self.callee;
        let passed: Vec<TokenStream> = passed.collect();
        let (keyword, method, call) = if self.signature.asyncness.is_some() {
            let sent = ours(self.signature.ident.span());
            let call = quote_spanned!(sent=> ::toolrack_plugin::__private::must_be_send(#callee(#(#passed),*)).await);
            (quote!(async), quote!(call_async), call)
        } else {
            (TokenStream::new(), quote!(call), quote_spanned!(at=> #callee(#(#passed),*)))
        };
        let method = syn::Ident::new(&method.to_string(), at);
        quote_spanned! {at=>
            #[allow(unused_variables)]
            #keyword fn #method(
                &self,
                #context: &::toolrack_plugin::Context<'_>,
                #arguments: Arguments,
            ) -> ::core::result::Result<::toolrack_plugin::Output, ::toolrack_plugin::ToolError> {
                let #returned = #call;
                match ::toolrack_plugin::__private::Returned::of(&#returned).split(#returned) {
                    ::core::result::Result::Ok(good) => {
                        ::toolrack_plugin::__private::Returned::of(&good).output(good)
                    }
                    ::core::result::Result::Err(error) => ::core::result::Result::Err(
                        ::toolrack_plugin::__private::Returned::of(&error).error(error),
                    ),
                }
            }
        }
    }

    /// Only for a type that can be named outside the function.
    fn output_schema(&self) -> Option<TokenStream> {
        let ReturnType::Type(_, ty) = &self.signature.output else { return None };
        let mut ty = (**ty).clone();
        let mut nameable = Nameable(true);
        nameable.visit_type_mut(&mut ty);
        if !nameable.0 {
            return None;
        }
        let at = ours(ty.span());
        Some(quote_spanned! {at=>
            fn output_schema() -> ::core::option::Option<::toolrack_plugin::Value> {
                ::toolrack_plugin::__private::Returned::<#ty>::new().good().schema()
            }
        })
    }

    fn hooks(&self) -> TokenStream {
        let check = self.check.clone().or_else(|| {
            self.attributes.check.as_ref().map(|path| {
                let at = ours(path.span());
                quote_spanned!(at=> #path(host))
            })
        });
        let overrides = self.overrides.clone().or_else(|| {
            self.attributes.overrides.as_ref().map(|path| {
                let at = ours(path.span());
                quote_spanned!(at=> #path(host))
            })
        });
        let check = check.map(|call| {
            let at = ours(call.span());
            quote_spanned! {at=>
                #[allow(unused_variables)]
                fn check(&self, host: &::toolrack_plugin::Host)
                    -> ::core::result::Result<(), ::toolrack_plugin::__private::String>
                {
                    ::toolrack_plugin::__private::CheckAnswer::into_reason(#call)
                }
            }
        });
        let overrides = overrides.map(|call| {
            let at = ours(call.span());
            quote_spanned! {at=>
                #[allow(unused_variables)]
                fn overrides(&self, host: &::toolrack_plugin::Host) -> ::core::result::Result<
                    ::core::option::Option<::toolrack_plugin::Value>,
                    ::toolrack_plugin::__private::String,
                > {
                    ::toolrack_plugin::__private::OverridesAnswer::into_overrides(#call)
                }
            }
        });
        quote!(#check #overrides)
    }
}

struct Nameable(bool);

impl VisitMut for Nameable {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if matches!(ty, Type::ImplTrait(_) | Type::Never(_) | Type::Infer(_)) {
            self.0 = false;
        }
        syn::visit_mut::visit_type_mut(self, ty);
    }
}
