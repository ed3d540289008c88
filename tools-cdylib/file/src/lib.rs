//! The file tools.
#![allow(dead_code)]
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
