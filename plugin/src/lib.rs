//! toolrack-plugin
