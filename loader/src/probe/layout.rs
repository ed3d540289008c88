//! Word size and byte order, and integers read by them.

/// The order of the bytes of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Endian {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

impl Endian {
    /// The word for it in a message.
    pub const fn as_str(self) -> &'static str {
        match self {
            Endian::Little => "little-endian",
            Endian::Big => "big-endian",
        }
    }
}

/// How a file writes its integers. Reads past the end of the bytes given are zero, so that nothing can panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) wide: bool,
    pub(super) endian: Endian,
}

impl Layout {
    pub(super) const PE: Layout = Layout { wide: true, endian: Endian::Little };

    pub(super) fn u16(self, bytes: &[u8], at: usize) -> u16 {
        let raw = array(bytes, at);
        match self.endian {
            Endian::Little => u16::from_le_bytes(raw),
            Endian::Big => u16::from_be_bytes(raw),
        }
    }

    pub(super) fn u32(self, bytes: &[u8], at: usize) -> u32 {
        let raw = array(bytes, at);
        match self.endian {
            Endian::Little => u32::from_le_bytes(raw),
            Endian::Big => u32::from_be_bytes(raw),
        }
    }

    pub(super) fn u64(self, bytes: &[u8], at: usize) -> u64 {
        let raw = array(bytes, at);
        match self.endian {
            Endian::Little => u64::from_le_bytes(raw),
            Endian::Big => u64::from_be_bytes(raw),
        }
    }

    /// An address-sized integer.
    pub(super) fn word(self, bytes: &[u8], at: usize) -> u64 {
        if self.wide { self.u64(bytes, at) } else { u64::from(self.u32(bytes, at)) }
    }

    /// The bytes of an address.
    pub(super) const fn word_len(self) -> u64 {
        if self.wide { 8 } else { 4 }
    }

    /// The bits of an address.
    pub(super) const fn bits(self) -> u8 {
        if self.wide { 64 } else { 32 }
    }
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    at.checked_add(N).and_then(|end| bytes.get(at..end)).and_then(|raw| raw.try_into().ok()).unwrap_or([0; N])
}
