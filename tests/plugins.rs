//! Plugins of every kind and fault, through the loader.
