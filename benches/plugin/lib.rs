//! The plugin that the benches call and open.
//!
//! The benches make many plugins of one build: they put other digits for `000` into its bytes, so that
//! plugin and tool have other names of the same length.

use toolrack_abi::abi_stable::std_types::{RStr, RString};
use toolrack_plugin::{export_tools, tool};

/// Gives its text back.
#[tool(read_only, toolset = "bench")]
fn bench000_echo(
    /// The text.
    text: String,
) -> String {
    text
}

export_tools! { name = "bench000", tools = [bench000_echo] }

/// The same without any contract: reads the arguments and gives the text back. The least that an echo can cost
/// which takes JSON; an empty text stands for arguments that are none.
#[expect(unsafe_code, reason = "an exported name must be the only one; `bare_echo` is")]
#[unsafe(no_mangle)]
pub extern "C" fn bare_echo(arguments: RStr<'_>) -> RString {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Arguments {
        text: String,
    }
    let read: Result<Arguments, _> = serde_json::from_str(arguments.as_str());
    read.map(|arguments| arguments.text).unwrap_or_default().into()
}
