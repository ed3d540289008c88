//! The file tools.
#![allow(dead_code, unused)]
mod error;
mod halt;
mod near;
mod read_file;
mod search_files;
mod text;
mod workspace;
mod write_file;
