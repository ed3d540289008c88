//! Whether a file system lets code run from it.

use std::fs::File;
use std::path::Path;

use crate::{Code, Diagnosis};

/// T3007 if the file system of this open file or folder is mounted noexec.
///
/// Code would be mapped from the store's copy, and could run; but a noexec folder is an operator who said that
/// nothing in it may.
/// Systems that do not tell (Windows has no such mount) give nothing.
pub fn noexec(file: &File, path: &Path) -> Option<Diagnosis> {
    is_noexec(file).then(|| {
        Diagnosis::new(Code::T3007, path, "its file system is mounted noexec, so no code may run from it")
            .help("move it to a file system that is mounted with exec, or remount this one if that is yours to decide")
    })
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_noexec(file: &File) -> bool {
    rustix::fs::fstatvfs(file).is_ok_and(|stat| stat.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC))
}

#[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
fn is_noexec(file: &File) -> bool {
    // `statvfs` of these systems leaves the flag out; `statfs` has it, with the same value on each.
    const MNT_NOEXEC: u64 = 4;
    rustix::fs::fstatfs(file).is_ok_and(|stat| u64::from(stat.f_flags) & MNT_NOEXEC != 0)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple", target_os = "freebsd")))]
fn is_noexec(_: &File) -> bool {
    false
}
