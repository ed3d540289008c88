//! The 68 plain bytes that a host reads before it opens a library.

use abi_stable::library::AbiHeader;

/// The name of the one exported symbol.
pub const SYMBOL: &str = "register_tools";

/// The first eight bytes of every [`Stamp`].
pub const MAGIC: [u8; 8] = *b"TOOLRACK";

/// The version of the stamp's own layout. A host accepts a higher one: it may only say more.
pub const STAMP_VERSION: u16 = 1;

/// [`Stamp::kind`] of a Rust plugin that is reached through abi_stable. 2 is reserved for C.
pub const KIND_RUST: u16 = 1;

/// Major and minor version of this package.
pub const ABI_VERSION: [u16; 2] =
    [parse(env!("CARGO_PKG_VERSION_MAJOR").as_bytes()), parse(env!("CARGO_PKG_VERSION_MINOR").as_bytes())];

/// Major and minor version of the abi_stable header that this package is built with.
pub const ABI_STABLE_VERSION: [u16; 2] =
    [AbiHeader::VALUE.abi_major as u16, AbiHeader::VALUE.abi_minor as u16];

/// The 32 bytes that stand at [`Stamp::root_offset`].
pub const ROOT_MAGIC: [u8; 32] = AbiHeader::VALUE.magic_string;

/// Bit 0 of [`Stamp::flags`]: the plugin was built with `panic=abort`, so that no guard in it can work.
pub const FLAG_PANIC_ABORT: u32 = 1;

/// The largest manifest, in bytes.
pub const MAX_MANIFEST: usize = 1 << 20;

/// The size of a [`Stamp`], in bytes.
pub const STAMP_LEN: usize = size_of::<Stamp>();

/// The compiler that built this package, as it names itself, without its name.
pub const RUSTC: &str = env!("TOOLRACK_RUSTC");

/// What a host can know of a plugin without running it. Fixed for all time; integers are in the library's own
/// byte order.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`STAMP_VERSION`].
    pub stamp_version: u16,
    /// [`KIND_RUST`].
    pub kind: u16,
    /// [`ABI_VERSION`].
    pub abi: [u16; 2],
    /// [`ABI_STABLE_VERSION`].
    pub abi_stable: [u16; 2],
    /// Where abi_stable's header stands, in bytes from the stamp's first.
    pub root_offset: u32,
    /// Where the manifest stands, in bytes from the stamp's first.
    pub manifest_offset: u32,
    /// The manifest's length in bytes.
    pub manifest_len: u32,
    /// [`FLAG_PANIC_ABORT`]; other bits are zero.
    pub flags: u32,
    /// [`RUSTC`], cut at 32 bytes, padded with zeros.
    pub rustc: [u8; 32],
}

const _: () = assert!(STAMP_LEN == 68, "the stamp is part of the contract");

impl Stamp {
    /// The stamp of a plugin whose header lies as [`ToolsHeader`](crate::ToolsHeader) says.
    pub(crate) const fn new(
        root_offset: usize,
        manifest_offset: usize,
        manifest_len: usize,
        flags: u32,
    ) -> Self {
        assert!(manifest_len <= MAX_MANIFEST, "the manifest of a plugin is at most 1 MiB");
        Stamp {
            magic: MAGIC,
            stamp_version: STAMP_VERSION,
            kind: KIND_RUST,
            abi: ABI_VERSION,
            abi_stable: ABI_STABLE_VERSION,
            root_offset: root_offset as u32,
            manifest_offset: manifest_offset as u32,
            manifest_len: manifest_len as u32,
            flags,
            rustc: pad(RUSTC.as_bytes()),
        }
    }
}

const fn pad(text: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    let mut i = 0;
    while i < text.len() && i < out.len() {
        out[i] = text[i];
        i += 1;
    }
    out
}

const fn parse(digits: &[u8]) -> u16 {
    let mut value = 0;
    let mut i = 0;
    while i < digits.len() {
        value = value * 10 + (digits[i] - b'0') as u16;
        i += 1;
    }
    value
}
