//! The file tools.
#![allow(dead_code)]
mod error;
mod halt;
mod near;
mod read_file;
mod search_files;
#[cfg(test)]
mod tests;
mod text;
mod workspace;
mod write_file;
