//! A whole plugin: what does it take to put a function into the table?

use toolrack_plugin::{export_tools, tool};

/// Counts the words of a text.
#[tool(read_only)]
fn count_words(
    /// The text.
    text: String,
) -> usize {
    text.split_whitespace().count()
}

export_tools! { name = "minimal", tools = [count_words] }
