//! The tests of the whole: real libraries, real processes, real files. One binary.

mod support;

/// The program, as people type it.
mod cli;
/// The examples, as their pages say to run them.
mod examples;
/// Plugins of every kind and fault, through the loader.
mod plugins;
