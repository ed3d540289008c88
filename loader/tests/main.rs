//! The loader, from a file's bytes to a verdict.

#![expect(clippy::unwrap_used, reason = "a test may panic, and its helpers are part of it")]
#![expect(clippy::print_stdout, reason = "what was compared, counted or skipped is worth reading")]

// How much of a file is read.
#[cfg(target_os = "linux")]
mod budget;
// Stand-in plugins, and C compiled on the spot.
mod build;
// Bytes that count how much of them is read.
mod counting;
// Folders and files of every sort.
#[cfg(unix)]
mod folders;
// Real images of other systems and machines.
mod foreign;
// Images that no linker would write.
mod hostile;
// Images of other machines, written and linked here.
mod images;
// What holds for every file.
mod laws;
// Mach-O and PE images that no linker would write.
mod spoilt;
// Good files, changed at random.
mod mutation;
// A file for every code, and what the fuzzer starts from.
mod seeds;
// The header behind the symbol, field by field.
mod stamps;
// What is no library at all.
mod texts;
// Small ELF images, built field by field.
mod synth;
// Every file of the corpus gets its verdict and its code.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod corpus;
// The symbol reader against the system's own.
#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod dlsym;
