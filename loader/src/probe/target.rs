//! The machine that a library is judged for.

use super::image::Image;
use super::layout::Endian;
use super::verdict::Finding;
use crate::Code;

/// A system and a machine, as a library must be built for them. An argument of every probe: a verdict is a function
/// of bytes and target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// As Rust's `target_os`.
    pub os: String,
    /// As Rust's `target_arch`.
    pub arch: String,
    /// 32 or 64.
    pub pointer_width: u8,
    /// The byte order.
    pub endian: Endian,
    /// The C library, where a library can be built for the wrong one; nothing if it is unknown.
    pub libc: Option<Libc>,
    /// The x86-64 level (1 to 4) of the processor; nothing if it is unknown, or another machine.
    pub x86_level: Option<u8>,
}

/// A C library on Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libc {
    /// glibc; with its version, major and minor, if it is known.
    Glibc(Option<(u32, u32)>),
    /// musl.
    Musl,
}

impl Target {
    /// A target of which only the names are known. The word size and byte order are those of the machine's name.
    pub fn new(os: &str, arch: &str) -> Self {
        let narrow =
            ["x86", "arm", "riscv32", "powerpc", "mips", "mips32r6", "sparc", "m68k", "hexagon", "csky"];
        let big = ["powerpc", "powerpc64", "s390x", "sparc", "sparc64", "mips", "mips64", "m68k"];
        Target {
            os: os.to_owned(),
            arch: arch.to_owned(),
            pointer_width: if narrow.contains(&arch) { 32 } else { 64 },
            endian: if big.contains(&arch) { Endian::Big } else { Endian::Little },
            libc: None,
            x86_level: None,
        }
    }

    /// This process: its system and machine, its C library and its processor. Found out once.
    pub fn host() -> &'static Target {
        static HOST: std::sync::OnceLock<Target> = std::sync::OnceLock::new();
        HOST.get_or_init(|| Target {
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
            pointer_width: usize::BITS as u8,
            endian: if cfg!(target_endian = "big") { Endian::Big } else { Endian::Little },
            libc: super::host::libc(),
            x86_level: super::host::x86_level(),
        })
    }

    /// Why an image is not for this target, if it is not: word size and byte order first, then machine, then system.
    pub(super) fn refuses(&self, image: &Image) -> Option<Finding> {
        if image.bits.is_some_and(|bits| bits != self.pointer_width)
            || image.endian.is_some_and(|endian| endian != self.endian)
        {
            return Some(Finding::new(
                Code::T2008,
                format!(
                    "built for {}, this host is {}-bit {}",
                    image.shape(),
                    self.pointer_width,
                    self.endian.as_str()
                ),
                format!("build the plugin for {} on {}", self.arch, self.os),
            ));
        }
        if image.machine.as_ref().is_some_and(|machine| machine.name() != Some(&self.arch)) {
            return Some(Finding::new(
                Code::T2007,
                format!("built for {}, this host is {}", image.machine_words(), self.arch),
                "build the plugin on or for this machine",
            ));
        }
        if !image.systems.contains(&self.os) {
            return Some(Finding::new(
                Code::T2006,
                format!("built for {}, this host is {}", image.systems, self.os),
                "build the plugin on or for this operating system",
            ));
        }
        None
    }
}
