//! The loader, from a file's bytes to a verdict.

// Stand-in plugins, and C compiled on the spot.
mod build;
// Bytes that count how much of them is read.
mod counting;
// Real images of other systems and machines.
mod foreign;
// Those images: written and linked here.
mod images;
// Every file of the corpus gets its verdict and its code.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod corpus;
