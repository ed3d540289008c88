//! A plugin under the strictest lints.
#![forbid(unsafe_code, missing_docs)]
#![deny(warnings, unreachable_pub, rust_2018_idioms, missing_debug_implementations, unused_qualifications)]

use toolrack_plugin::{Context, Host, ToolError, Value, args, export_tools, json, output, tool};

/// Arguments of the author's.
#[args]
#[derive(Debug)]
pub struct Search {
    /// What to look for.
    pub pattern: String,
    /// How many.
    #[default(10)]
    pub limit: u32,
}

/// A result of the author's.
#[output]
#[derive(Debug)]
pub struct Found {
    /// How many.
    pub count: u32,
}

/// Searches.
#[tool(read_only, check = ready)]
pub fn search(ctx: &Context<'_>, #[args] search: Search) -> Result<Found, ToolError> {
    ctx.check()?;
    let _pattern = search.pattern;
    Ok(Found { count: search.limit })
}

/// Waits.
#[tool]
pub async fn wait(_ctx: &Context<'_>, mut seconds: u32, #[default("x")] mark: String) -> String {
    seconds += 1;
    std::future::ready(()).await;
    format!("{seconds}{mark}")
}

fn ready(host: &Host) -> bool {
    !host.plugin().is_empty()
}

#[derive(Debug, Default)]
struct Counter;

/// Counts.
#[tool]
impl Counter {
    fn call(&self, by: u32) -> u32 {
        by
    }

    fn overrides(&self) -> Value {
        json!({})
    }
}

/// Alone in its module.
pub mod module {
    /// Nothing.
    #[toolrack_plugin::tool]
    pub fn nothing() {}
}

fn forget(_host: &Host, _session: &str) {}

export_tools! { name = "strict", end_session = forget, tools = [search, wait, module::nothing, Counter] }

fn main() {
    assert!(std::str::from_utf8(register_tools.manifest()).is_ok_and(|text| text.contains("\"strict\"")));
}
