//! admit
