//! The file tools of Toolrack, as a plugin: `read_file`, `write_file` and `search_files`.
//!
//! This file is the plugin: the functions that become tools, and the list of them. What they do is plain Rust in
//! the modules below, which can be tested without a host.
//!
//! * `workspace`: which files may be touched. Every path goes through it.
//! * `read`, `write`, `search`: one tool each.
//! * `config`, `halt`, `error`: what the host decides, when to stop, and how to say what went wrong.

mod config;
mod error;
mod halt;
mod near;
mod read;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod workspace;
mod write;

use toolrack_plugin::{Context, Host, ToolError, export_tools, tool};

use crate::read::memory::Memory;
use crate::search::{Output, Target};

/// Shows a page of a text file, each line with its number in front.
///
/// The last line of the answer, in brackets, has the number of lines in the file and, if there are more, the
/// `next_offset` to go on from. Reading the same page again in one task gives a short note unless it changed.
#[tool(
    title = "Read file",
    emoji = "📖",
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    parallel_safe,
    parallel_key("path"),
    // A page is within 100,000 characters by itself. If it were put aside as too large, the model would be told
    // to read that file, with this tool.
    max_result_size_chars = "unlimited",
    examples(r#"{"path": "src/main.rs"}"#, r#"{"path": "server.log", "offset": 2001, "limit": 2000}"#)
)]
fn read_file(
    ctx: &Context,
    /// The file: relative to the root, or absolute.
    path: String,
    /// The first line to show, counted from 1.
    #[default(1)]
    #[schemars(range(min = 1))]
    offset: u64,
    /// The most lines to show.
    #[default(500)]
    #[schemars(range(min = 1, max = 2000))]
    limit: u64,
) -> Result<String, ToolError> {
    let request = read::ReadFile { path: &path, offset, limit };
    let page = read::read_file(&config::workspace(ctx)?, &request, &halt::asking(ctx))?;
    Ok(ctx.state::<Memory>().answer(ctx.session(), ctx.task(), page))
}

/// Writes a whole file: makes it, with the folders it needs, or replaces all of its text in one step.
///
/// The mode of a file that is replaced is kept. To change a part of a file, read it first and write all of it.
#[tool(
    title = "Write file",
    emoji = "✍️",
    read_only = false,
    destructive,
    idempotent,
    open_world = false,
    parallel_safe,
    parallel_key("path"),
    examples(r#"{"path": "notes/todo.md", "content": "- water the plants\n"}"#)
)]
fn write_file(
    ctx: &Context,
    /// The file: relative to the root, or absolute.
    path: String,
    /// All of its text.
    content: String,
) -> Result<String, ToolError> {
    Ok(write::write_file(&config::workspace(ctx)?, &path, &content)?)
}

/// Searches files: their lines by a regular expression, or their names by a pattern.
///
/// Rules in `.gitignore` are respected; hidden files are searched, binary files are not, and links are not
/// followed. Results are in the order of the paths. The last line of the answer, in brackets, has their number
/// and, if there are more, the `next_offset` to go on from.
#[tool(
    title = "Search files",
    emoji = "🔎",
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    parallel_safe,
    examples(
        r#"{"pattern": "fn main\\(", "file_glob": "*.rs", "context": 2}"#,
        r#"{"pattern": "**/*.md", "target": "files"}"#
    )
)]
#[expect(clippy::too_many_arguments, reason = "they are the tool's arguments")]
fn search_files(
    ctx: &Context,
    /// For `content` a regular expression, matched within a line, case-sensitive unless it begins with `(?i)`.
    /// For `files` a pattern such as `*.rs`, or `src/**/*.rs` to match the path below `path`.
    pattern: String,
    /// What to search.
    #[default(Target::Content)]
    target: Target,
    /// The folder to search, or one file.
    #[default(".")]
    path: String,
    /// Search only files whose name fits, such as `*.{ts,tsx}`; `!*.lock` for all others.
    file_glob: Option<String>,
    /// The most results to show.
    #[default(50)]
    #[schemars(range(min = 1))]
    limit: u64,
    /// The number of results to pass over first.
    #[default(0)]
    offset: u64,
    /// What to show of the contents.
    #[default(Output::Content)]
    output_mode: Output,
    /// The number of lines to show before and after each match.
    #[default(0)]
    #[schemars(range(max = 100))]
    context: usize,
) -> Result<String, ToolError> {
    let request = search::SearchFiles {
        pattern: &pattern,
        target,
        path: &path,
        file_glob: file_glob.as_deref(),
        limit,
        offset,
        output_mode,
        context,
    };
    Ok(search::search_files(&config::workspace(ctx)?, &request, &halt::asking(ctx))?)
}

/// A session has ended: what it was shown no longer matters.
fn forget(host: &Host, session: &str) {
    host.state::<Memory>().forget(session);
}

export_tools! {
    end_session = forget,
    tools = [read_file, write_file, search_files],
}
