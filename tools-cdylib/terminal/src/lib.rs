//! The terminal tools.
