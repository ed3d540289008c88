//! The tools on real folders: what a user of the tools would notice.

/// Paths: what is inside the root, and what is not.
mod paths;
/// The functions as tools.
mod plugin;
/// `read_file`.
mod reading;
/// What only a user without root's rights, or a full disk, can show.
#[cfg(unix)]
mod rights;
/// `search_files`.
mod searching;
mod support;
/// `write_file`.
mod writing;
