//! Arguments: from a model's text to what a tool takes.
//!
//! parse → coerce → validate, all pure. What fits the schema as it came is passed on untouched, to the byte.

mod coerce;
mod expected;
mod faults;
mod hazard;
mod parse;
mod schema;

pub use coerce::coerce_arguments;
pub(crate) use parse::{object, object_text};
pub(crate) use schema::ArgumentSchema;
