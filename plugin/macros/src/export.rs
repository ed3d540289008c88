//! `export_tools!`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, LitStr, Path, Token, bracketed};

use crate::near::unknown;
use crate::ours;

const KNOWN: &[&str] = &["name", "tools", "end_session", "retire"];

#[derive(Default)]
struct Export {
    name: Option<LitStr>,
    tools: Vec<Expr>,
    end_session: Option<Path>,
    retire: Option<Path>,
}

pub(crate) fn expand(input: TokenStream) -> syn::Result<TokenStream> {
    syn::parse2::<Export>(input)?.write()
}

impl Parse for Export {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_long = input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]);
        let export = if is_long {
            Self::parse_long(input)?
        } else {
            Export { tools: list(input)?, ..Export::default() }
        };
        export.check()?;
        Ok(export)
    }
}

impl Export {
    fn parse_long(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut export = Export::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            if seen.contains(&key) {
                return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
            }
            input.parse::<Token![=]>()?;
            match key.to_string().as_str() {
                "name" => export.name = Some(input.parse()?),
                "end_session" => export.end_session = Some(input.parse()?),
                "retire" => export.retire = Some(input.parse()?),
                "tools" => {
                    let content;
                    bracketed!(content in input);
                    export.tools = list(&content)?;
                }
                _ => return Err(unknown("key", &key, KNOWN)),
            }
            seen.push(key);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(export)
    }

    fn check(&self) -> syn::Result<()> {
        if self.tools.is_empty() {
            return Err(syn::Error::new(
                Span::call_site(),
                "a plugin has at least one tool: `export_tools![my_tool]`",
            ));
        }
        if let Some(name) = &self.name {
            let text = name.value();
            let legal = text.len() <= 64
                && text.starts_with(|first: char| first.is_ascii_alphabetic())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
            if !legal {
                return Err(syn::Error::new(
                    name.span(),
                    "a plugin's name is a letter, then at most 63 letters, digits, `_` or `-`",
                ));
            }
        }
        let mut paths: Vec<&ExprPath> = Vec::new();
        for tool in &self.tools {
            let Expr::Path(path) = tool else { continue };
            if paths.iter().any(|earlier| earlier.path == path.path) {
                return Err(syn::Error::new_spanned(path, "this tool is in the list already"));
            }
            paths.push(path);
        }
        Ok(())
    }

    fn write(&self) -> syn::Result<TokenStream> {
        let at = Span::mixed_site();
        let private = quote_spanned!(at=> ::toolrack_plugin::__private);
        let metas = self.tools.iter().map(|tool| {
            let at = ours(tool.span());
            match tool {
                Expr::Path(path) => quote_spanned!(at=> <#path as ::toolrack_plugin::Tool>::META),
                made => quote_spanned!(at=> #private::meta_of(&|| #made)),
            }
        });
        let checks = self.tools.iter().enumerate().map(|(index, tool)| {
            // The author's own span: the compiler then shows the entry, not the whole list.
            let at = tool.span();
            let private = quote_spanned!(at=> ::toolrack_plugin::__private);
            quote_spanned! {at=>
                const _: () = #private::check_tool(&TOOLS[#index]);
                const _: () = #private::check_unique(TOOLS, #index);
            }
        });
        let adds = self.tools.iter().map(|tool| {
            let at = ours(tool.span());
            match tool {
                Expr::Path(path) => quote_spanned!(at=> tools.add(|| #path {});),
                made => quote_spanned!(at=> tools.add(|| #made);),
            }
        });
        let name = match &self.name {
            Some(name) => quote!(#name),
            None => quote_spanned!(at=> #private::plugin_name(#private::crate_of(::core::module_path!()))),
        };
        let end_session = self.end_session.as_ref().map(|path| {
            let at = ours(path.span());
            quote_spanned! {at=>
                fn end_session(host: &::toolrack_plugin::Host, session: &::core::primitive::str) {
                    let _ = #path(host, session);
                }
            }
        });
        let retire = self.retire.as_ref().map(|path| {
            let at = ours(path.span());
            quote_spanned! {at=>
                fn retire(host: &::toolrack_plugin::Host) {
                    let _ = #path(host);
                }
            }
        });
        Ok(quote_spanned! {at=>
            #[doc(hidden)]
            #[allow(unreachable_pub)]
            pub enum __ToolrackPlugin {}

            #[allow(clippy::all, clippy::pedantic, long_running_const_eval)]
            const _: () = {
                const TOOLS: &[::toolrack_plugin::ToolMeta] = &[#(#metas),*];
                #(#checks)*
                const PLUGIN: #private::PluginMeta = #private::PluginMeta {
                    name: #name,
                    crate_name: #private::crate_of(::core::module_path!()),
                    version: #private::or_empty(::core::option_env!("CARGO_PKG_VERSION")),
                    authors: #private::or_empty(::core::option_env!("CARGO_PKG_AUTHORS")),
                    description: #private::or_empty(::core::option_env!("CARGO_PKG_DESCRIPTION")),
                    license: #private::or_empty(::core::option_env!("CARGO_PKG_LICENSE")),
                    homepage: #private::or_empty(::core::option_env!("CARGO_PKG_HOMEPAGE")),
                    repository: #private::or_empty(::core::option_env!("CARGO_PKG_REPOSITORY")),
                    tools: TOOLS,
                };
                const _: () = #private::check_plugin(&PLUGIN);
                impl #private::Exported for __ToolrackPlugin {
                    const META: #private::PluginMeta = PLUGIN;
                    fn tools(tools: &mut #private::Tools<'_>) {
                        #(#adds)*
                    }
                    #end_session
                    #retire
                }
            };

            #[doc(hidden)]
            #[allow(non_upper_case_globals, unreachable_pub, long_running_const_eval)]
            #[unsafe(no_mangle)]
            pub static register_tools: #private::ToolsHeader<
                { #private::length(&<__ToolrackPlugin as #private::Exported>::META) },
            > = #private::ToolsHeader::new::<#private::Entry<__ToolrackPlugin>>(
                #private::write(&<__ToolrackPlugin as #private::Exported>::META),
                if ::core::cfg!(panic = "abort") { #private::FLAG_PANIC_ABORT } else { 0 },
            );
        })
    }
}

fn list(input: ParseStream<'_>) -> syn::Result<Vec<Expr>> {
    Ok(Punctuated::<Expr, Token![,]>::parse_terminated(input)?.into_iter().collect())
}
