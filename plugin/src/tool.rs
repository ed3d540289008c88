//! The trait under `#[tool]`.

use std::future::Future;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Context, Host, Output, ToolError, ToolMeta};

/// A tool. `#[tool]` writes the implementation, for a function as for an `impl` block; by hand it is for what these
/// can not say.
///
/// An implementation has one of [`call`](Self::call) and [`call_async`](Self::call_async), and says which by
/// [`ToolMeta::is_async`].
///
/// ```
/// use toolrack_plugin::{Context, Output, Tool, ToolError, ToolMeta, args};
///
/// struct Shout {
///     mark: char,
/// }
///
/// #[args]
/// struct ShoutArgs {
///     /// What to shout.
///     text: String,
/// }
///
/// impl Tool for Shout {
///     const META: ToolMeta = ToolMeta::new("shout", "Shouts.").read_only(true);
///     type Args = ShoutArgs;
///
///     fn call(&self, _ctx: &Context, args: ShoutArgs) -> Result<Output, ToolError> {
///         Ok(Output::text(format!("{}{}", args.text.to_uppercase(), self.mark)))
///     }
/// }
///
/// toolrack_plugin::export_tools! { name = "shouter", tools = [Shout { mark: '!' }] }
/// # fn main() {}
/// ```
pub trait Tool: Send + Sync + Sized + 'static {
    /// What is known of it when it is compiled.
    const META: ToolMeta;

    /// Its arguments: a struct or enum under [`#[args]`](macro@crate::args).
    type Args: DeserializeOwned + JsonSchema + Send;

    /// Answers a call on the caller's thread.
    ///
    /// # Errors
    /// Whatever failed; the model reads it.
    fn call(&self, ctx: &Context<'_>, args: Self::Args) -> Result<Output, ToolError> {
        let _unused = (ctx, args);
        Err(unwritten("call"))
    }

    /// Answers a call as a future. When the future is dropped, the call was cancelled.
    ///
    /// # Errors
    /// Whatever failed; the model reads it.
    fn call_async(
        &self,
        ctx: &Context<'_>,
        args: Self::Args,
    ) -> impl Future<Output = Result<Output, ToolError>> + Send {
        let _unused = (ctx, args);
        std::future::ready(Err(unwritten("call_async")))
    }

    /// Whether the tool can be used now. Asked only if [`ToolMeta::check`] is set, now and then, from any thread.
    ///
    /// # Errors
    /// Why it can not be used.
    fn check(&self, host: &Host) -> Result<(), String> {
        let _unused = host;
        Ok(())
    }

    /// The keys of the description that are different at the moment, as a JSON object. Asked only if
    /// [`ToolMeta::dynamic`] is set, whenever the tools are shown to a model.
    ///
    /// # Errors
    /// Why they are not known; the static description is then shown.
    fn overrides(&self, host: &Host) -> Result<Option<Value>, String> {
        let _unused = host;
        Ok(None)
    }

    /// The JSON Schema of the arguments object.
    fn schema() -> Value {
        crate::schema::arguments_schema::<Self::Args>()
    }

    /// The JSON Schema of the result, if it is an object and known.
    fn output_schema() -> Option<Value> {
        None
    }
}

fn unwritten(method: &str) -> ToolError {
    ToolError::new(format!("the tool has no `{method}`: `ToolMeta::is_async` and the methods do not agree"))
}
