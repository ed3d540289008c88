//! Plugins of every kind and fault, through the loader.
//!
//! The eleven facts about abi_stable that the code must respect are numbered in the tests' names.
#![allow(clippy::unwrap_used, reason = "a test is no library")]

/// Checks of plugins, and what a model is shown of their tools.
mod availability;
/// What the table does with what plugins and the host register.
mod behaviours;
/// Several sources, one name; several files, one plugin.
mod claims;
/// Readers and writers at once.
mod concurrency;
/// Futures of plugins.
mod futures;
/// A folder of files that are all there to do harm.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hostile;
/// Which library a symbol is of, which version it is for, and that it stays.
mod images;
/// What is known from an earlier start, and the copies that are loaded.
mod known;
/// The contract, newer and older, and other than this host's.
mod layouts;
/// Panics, wherever one can come from.
mod panics;
/// What the operator does not allow, and what the system does not.
#[cfg(unix)]
mod policy;
/// Registrations: alone, side by side, and over.
mod registrations;
/// What a plugin can ask of its host.
mod services;
