//! Loads native tool plugins from a folder into one table, and calls them.

mod admit;
mod code;
mod config;
mod diagnosis;
mod escape;
mod explain;
mod facts;
pub mod open;
pub mod probe;
pub mod scan;
mod store;

pub use code::{Code, UnknownCode};
pub use diagnosis::Diagnosis;
pub use escape::{escaped, path_bytes_hex};
