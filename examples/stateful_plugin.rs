//! A tool that remembers: where does its state live, and who ends it?

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use toolrack_plugin::{Context, Host, export_tools, tool};

/// One registration's notes, by session. Made at the first call, dropped when the plugin retires.
#[derive(Default)]
struct Notes(Mutex<BTreeMap<String, Vec<String>>>);

/// Keeps a line, and shows all that were kept in this conversation.
#[tool(idempotent = false, destructive = false)]
fn note(
    ctx: &Context,
    /// The line to keep.
    line: String,
) -> Vec<String> {
    let notes = ctx.state::<Notes>();
    let mut notes = notes.0.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = notes.entry(ctx.session().to_owned()).or_default();
    kept.push(line);
    kept.clone()
}

/// The host says when a conversation is over.
fn forget(host: &Host, session: &str) {
    let notes = host.state::<Notes>();
    notes.0.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
}

export_tools! { name = "stateful", end_session = forget, tools = [note] }
