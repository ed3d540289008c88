//! What this process runs on, found out without unsafe code.

use super::target::Libc;

/// The C library of this process.
pub(super) fn libc() -> Option<Libc> {
    if cfg!(all(target_os = "linux", target_env = "musl")) {
        return Some(Libc::Musl);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return Some(Libc::Glibc(mapped_glibc()));
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    None
}

/// The version of glibc: the newest that the file defines which this process has mapped as its C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn mapped_glibc() -> Option<(u32, u32)> {
    let maps = std::fs::read("/proc/self/maps").ok()?;
    let path = maps.split(|byte| *byte == b'\n').find_map(|line| {
        let path = line.get(line.iter().position(|byte| *byte == b'/')?..)?;
        let name = path.rsplit(|byte| *byte == b'/').next()?;
        // `libc.so.6`, or a link's target of older systems, `libc-2.31.so`.
        (name == b"libc.so.6" || name.starts_with(b"libc-2.")).then_some(path)
    })?;
    let path = std::path::Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(path));
    let file = std::fs::File::open(path).ok()?;
    let budget = std::cell::Cell::new(super::MAX_READ);
    super::elf::defined_glibc(&super::read::Source::new(&file, &budget).ok()?).ok()?
}

/// The x86-64 level of this processor, by the features that each level promises.
pub(super) fn x86_level() -> Option<u8> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        let v2 = has!("cmpxchg16b")
            && has!("popcnt")
            && has!("sse3")
            && has!("ssse3")
            && has!("sse4.1")
            && has!("sse4.2");
        let v3 = v2
            && has!("avx")
            && has!("avx2")
            && has!("bmi1")
            && has!("bmi2")
            && has!("f16c")
            && has!("fma")
            && has!("lzcnt")
            && has!("movbe");
        let v4 = v3
            && has!("avx512f")
            && has!("avx512bw")
            && has!("avx512cd")
            && has!("avx512dq")
            && has!("avx512vl");
        Some(1 + u8::from(v2) + u8::from(v3) + u8::from(v4))
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_glibc_is_the_one_that_it_names_itself() {
        let Some(Libc::Glibc(Some(version))) = libc() else { panic!("no version found") };
        let output = std::process::Command::new("getconf").arg("GNU_LIBC_VERSION").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.trim(), format!("glibc {}.{}", version.0, version.1));
    }
}
