//! The program, as people type it.

#![expect(clippy::unwrap_used, reason = "what helps a test fails as the test does")]

mod ran;

/// `toolrack add`, of libraries.
mod add;
/// `toolrack add` while the file changes, and of several at once.
mod adding_at_once;
/// `toolrack call`.
mod call;
/// Configuration and folders: who names them, and what is wrong with them.
mod config;
/// `toolrack definitions`.
mod definitions;
/// `toolrack explain`, help and completions: what needs no plugin.
mod explain;
/// Folders that are absent, empty, full of strangers, or open to anyone.
mod folders;
/// `toolrack inspect`.
mod inspect;
/// `toolrack list`.
mod list;
/// Names that files can have, and people would not give.
mod names;
/// `toolrack add`, of packages: with cargo.
mod packages;
/// `toolrack probe`.
mod probe;
/// What stands on standard output, and what never does.
mod stdout;
/// A store that takes nothing more.
#[cfg(unix)]
mod store;
/// What a terminal gets, and nothing else does.
#[cfg(unix)]
mod terminal;
