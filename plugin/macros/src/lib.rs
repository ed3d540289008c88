//! The procedural macros of `toolrack-plugin`.
