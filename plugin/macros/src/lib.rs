//! The procedural macros of `toolrack-plugin`, which re-exports them and says what they mean.

mod args;
mod default;
mod docs;
mod export;
mod near;
mod tool;

use proc_macro::TokenStream;
use proc_macro2::Span;

/// Makes a tool of a function, or of an `impl` block with a method `call`.
///
/// The function stays as it is, and callable. See the crate's documentation for what can stand in the brackets and
/// on parameters.
#[proc_macro_attribute]
pub fn tool(attributes: TokenStream, item: TokenStream) -> TokenStream {
    tool::expand(attributes.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct or an enum one that can be read from a call's arguments, or from the plugin's configuration.
///
/// It derives `Deserialize` and `JsonSchema`. Fields that are not known are refused, unless a field is flattened
/// (serde can not do both). Doc comments become descriptions; a field may have `#[default]` or `#[default(EXPR)]`
/// and whatever serde and schemars know.
#[proc_macro_attribute]
pub fn args(attributes: TokenStream, item: TokenStream) -> TokenStream {
    args::expand_args(attributes.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a struct or an enum one that a tool can return: it derives `Serialize` and `JsonSchema`.
#[proc_macro_attribute]
pub fn output(attributes: TokenStream, item: TokenStream) -> TokenStream {
    args::expand_output(attributes.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Lists the plugin's tools and writes the one symbol that a host looks for. Once a library.
///
/// An entry is the path of a function under `#[tool]` or of a struct without fields, or an expression that builds
/// a tool; that is evaluated when the tool is first called or checked.
///
/// The long form has keys: `name`, `tools`, `end_session` (a `fn(&Host, &str)`, called when a session is over) and
/// `retire` (a `fn(&Host)`, called once, after the last call).
#[proc_macro]
pub fn export_tools(input: TokenStream) -> TokenStream {
    export::expand(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// A span that points at the author's code, but counts as ours: lints of theirs do not apply to what we write.
fn ours(at: Span) -> Span {
    Span::mixed_site().located_at(at)
}
