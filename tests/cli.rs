//! The program, as people type it.
