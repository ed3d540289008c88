//! The parameters of a tool: the context, and the arguments.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, FnArg, LitStr, Pat, PatType, Type};

use crate::default::Default;
use crate::near::unknown;
use crate::ours;

/// The parameters in their order.
pub(crate) struct Parameters(Vec<Parameter>);

enum Parameter {
    Context(Box<Type>),
    /// `#[args]`: the whole object.
    Whole(Box<Type>),
    Argument(Box<Argument>),
}

struct Argument {
    name: Ident,
    ty: Type,
    /// Doc comments, and whatever is for serde and schemars.
    attributes: Vec<Attribute>,
    default: Option<Default>,
}

impl Parameters {
    /// Reads them, and takes away what the compiler would not accept on a parameter.
    pub(crate) fn take<'a>(inputs: impl Iterator<Item = &'a mut FnArg>) -> syn::Result<Self> {
        let mut parameters = Vec::new();
        for input in inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    return Err(syn::Error::new_spanned(
                        receiver,
                        "a function has no `self`: for a tool with state put `#[tool]` on the `impl` block, whose \
                         method `call` has one",
                    ));
                }
                FnArg::Typed(typed) => parameters.push(Parameter::take(typed)?),
            }
        }
        let parameters = Parameters(parameters);
        parameters.check()?;
        Ok(parameters)
    }

    fn check(&self) -> syn::Result<()> {
        let mut contexts = self.0.iter().filter_map(|parameter| match parameter {
            Parameter::Context(ty) => Some(ty),
            _ => None,
        });
        if let (Some(_), Some(second)) = (contexts.next(), contexts.next()) {
            return Err(syn::Error::new_spanned(second, "a tool has one context"));
        }
        let whole = self.0.iter().find_map(|parameter| match parameter {
            Parameter::Whole(ty) => Some(ty),
            _ => None,
        });
        let arguments = self.0.iter().filter(|parameter| !matches!(parameter, Parameter::Context(_))).count();
        match whole {
            Some(ty) if arguments > 1 => Err(syn::Error::new_spanned(
                ty,
                "`#[args]` takes the whole object of arguments: no other argument can stand beside it",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses texts that should be the names of arguments and are none, and examples that could not be called.
    pub(crate) fn check_names(&self, names: &[LitStr], examples: &[LitStr]) -> syn::Result<()> {
        let whole = self.0.iter().any(|parameter| matches!(parameter, Parameter::Whole(_)));
        let listed: Vec<String> = self.0.iter().filter_map(Parameter::property).collect();
        let check = |name: &str, span: Span| match whole || listed.iter().any(|known| known == name) {
            true => Ok(()),
            false if listed.is_empty() => {
                Err(syn::Error::new(span, format!("there is no argument `{name}`: the tool has none")))
            }
            false => Err(syn::Error::new(
                span,
                format!("there is no argument `{name}`: known are `{}`", listed.join("`, `")),
            )),
        };
        for name in names {
            check(&name.value(), name.span())?;
        }
        for example in examples {
            let text = example.value();
            let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text)
                .map_err(|error| syn::Error::new(example.span(), format!("not a JSON object: {error}")))?;
            for key in object.keys() {
                check(key, example.span())?;
            }
        }
        Ok(())
    }

    /// The type `Arguments`, and the functions behind its defaults.
    pub(crate) fn arguments_type(&self) -> TokenStream {
        let whole = self.0.iter().find_map(|parameter| match parameter {
            Parameter::Whole(ty) => Some(ty),
            _ => None,
        });
        let derives = quote! {
            #[derive(::toolrack_plugin::serde::Deserialize, ::toolrack_plugin::schemars::JsonSchema)]
            #[schemars(crate = "::toolrack_plugin::schemars")]
        };
        if let Some(ty) = whole {
            let at = ours(ty.span());
            return quote_spanned! {at=>
                #derives
                #[serde(crate = "::toolrack_plugin::serde", transparent)]
                pub struct Arguments(#ty);
            };
        }
        let mut fields = Vec::new();
        let mut functions = Vec::new();
        for parameter in &self.0 {
            let Parameter::Argument(argument) = parameter else { continue };
            let Argument { name, ty, attributes, default } = &**argument;
            let function = format_ident!("default_{}", name.unraw(), span = name.span());
            let (attribute, made) = default.as_ref().map(|default| default.expand(&function, ty)).unzip();
            functions.extend(made);
            fields.push(quote! { #(#attributes)* #attribute #name: #ty });
        }
        quote! {
            #derives
            #[serde(
                crate = "::toolrack_plugin::serde",
                deny_unknown_fields,
                expecting = "an object with the tool's arguments"
            )]
            pub struct Arguments {
                #(#fields,)*
            }
            #(#functions)*
        }
    }

    /// What the function is called with, in its order, given the names of the context and of the arguments.
    pub(crate) fn passed(&self, context: &Ident, arguments: &Ident) -> Vec<TokenStream> {
        self.0
            .iter()
            .map(|parameter| match parameter {
                Parameter::Context(_) => quote!(#context),
                Parameter::Whole(_) => quote!(#arguments.0),
                Parameter::Argument(argument) => {
                    let name = &argument.name;
                    quote!(#arguments.#name)
                }
            })
            .collect()
    }
}

impl Parameter {
    fn take(typed: &mut PatType) -> syn::Result<Self> {
        let mut kept = Vec::new();
        let mut attributes = Vec::new();
        let mut default = None;
        let mut whole = false;
        for attribute in std::mem::take(&mut typed.attrs) {
            let name = match attribute.path().segments.last() {
                Some(segment) => segment.ident.clone(),
                None => continue,
            };
            match name.to_string().as_str() {
                "doc" | "serde" | "schemars" => attributes.push(attribute),
                "default" if default.is_some() => {
                    return Err(syn::Error::new(name.span(), "`default` is given twice"));
                }
                "default" => default = Some(Default::parse(&attribute)?),
                "args" => whole = true,
                "allow" | "expect" | "warn" | "deny" | "forbid" => kept.push(attribute),
                "cfg" | "cfg_attr" => {
                    return Err(syn::Error::new(name.span(), "an argument can not come and go with a `cfg`"));
                }
                _ => return Err(unknown("attribute", &name, &["default", "args", "serde", "schemars"])),
            }
        }
        typed.attrs = kept;
        let ty = &typed.ty;
        if is_context(ty)? {
            if default.is_some() || whole {
                return Err(syn::Error::new_spanned(
                    ty,
                    "the context is given by the host: it has no attributes",
                ));
            }
            return Ok(Parameter::Context(ty.clone()));
        }
        if whole && default.is_some() {
            return Err(syn::Error::new_spanned(ty, "`#[args]` has no default: put it on the fields"));
        }
        if whole {
            return Ok(Parameter::Whole(ty.clone()));
        }
        let name = plain_name(&typed.pat)?;
        Ok(Parameter::Argument(Box::new(Argument { name, ty: (**ty).clone(), attributes, default })))
    }

    /// The argument's name for callers, which serde may have changed.
    fn property(&self) -> Option<String> {
        let Parameter::Argument(argument) = self else { return None };
        let renamed = argument.attributes.iter().find_map(|attribute| {
            let mut name = None;
            if attribute.path().is_ident("serde") {
                let _other = attribute.parse_nested_meta(|meta| {
                    if meta.path.is_ident("rename") {
                        name = Some(meta.value()?.parse::<LitStr>()?.value());
                    } else if meta.input.peek(syn::Token![=]) {
                        meta.value()?.parse::<syn::Expr>()?;
                    }
                    Ok(())
                });
            }
            name
        });
        Some(renamed.unwrap_or_else(|| argument.name.unraw().to_string()))
    }
}

/// Whether this is the type `&Context`; an error if it is another reference, or a context that is not lent.
fn is_context(ty: &Type) -> syn::Result<bool> {
    let named = |ty: &Type| matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Context"));
    match ty {
        Type::Reference(reference) if named(&reference.elem) => match reference.mutability {
            None => Ok(true),
            Some(_) => Err(syn::Error::new_spanned(ty, "the context is `&Context`, not `&mut`")),
        },
        Type::Reference(reference) => {
            let owned = match &*reference.elem {
                Type::Path(path) if path.path.is_ident("str") => "`String`",
                Type::Path(path) if path.path.is_ident("Path") => "`PathBuf`",
                Type::Slice(_) => "`Vec`",
                _ => "the type itself",
            };
            Err(syn::Error::new_spanned(
                ty,
                format!("an argument is owned: use {owned} instead of a reference (only `&Context` is one)"),
            ))
        }
        Type::ImplTrait(_) => {
            Err(syn::Error::new_spanned(ty, "a tool can not be generic: its arguments have one schema"))
        }
        ty if named(ty) => Err(syn::Error::new_spanned(ty, "the context is lent: `&Context`")),
        _ => Ok(false),
    }
}

fn plain_name(pattern: &Pat) -> syn::Result<Ident> {
    match pattern {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => Ok(ident.ident.clone()),
        other => {
            Err(syn::Error::new_spanned(other, "an argument has a plain name, by which a model gives it"))
        }
    }
}
