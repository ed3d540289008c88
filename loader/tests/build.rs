//! What the tests look into: a header's bytes, and libraries built around them.

use toolrack_abi::{ABI_STABLE_VERSION, ABI_VERSION, KIND_RUST, MAGIC, ROOT_MAGIC, STAMP_VERSION};

pub(crate) const MANIFEST: &str =
    r#"{"name":"stand-in","version":"1.2.3","tools":[{"name":"echo","toolset":"demo"}]}"#;

/// A header's bytes, field by field, so that a test can spoil one.
#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) big: bool,
    pub(crate) stamp_version: u16,
    pub(crate) kind: u16,
    pub(crate) abi: [u16; 2],
    pub(crate) abi_stable: [u16; 2],
    pub(crate) root_offset: u32,
    pub(crate) manifest_offset: u32,
    pub(crate) manifest_len: u32,
    pub(crate) flags: u32,
    pub(crate) root: [u8; 32],
    pub(crate) manifest: Vec<u8>,
}

impl Default for Header {
    fn default() -> Self {
        Header {
            big: false,
            stamp_version: STAMP_VERSION,
            kind: KIND_RUST,
            abi: ABI_VERSION,
            abi_stable: ABI_STABLE_VERSION,
            root_offset: 72,
            manifest_offset: 72 + 96,
            manifest_len: MANIFEST.len() as u32,
            flags: 0,
            root: ROOT_MAGIC,
            manifest: MANIFEST.as_bytes().to_vec(),
        }
    }
}

impl Header {
    pub(crate) fn with_manifest(text: &[u8]) -> Self {
        Header { manifest: text.to_vec(), manifest_len: text.len() as u32, ..Header::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let halves =
            [self.stamp_version, self.kind, self.abi[0], self.abi[1], self.abi_stable[0], self.abi_stable[1]];
        for value in halves {
            out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        }
        for value in [self.root_offset, self.manifest_offset, self.manifest_len, self.flags] {
            out.extend(if self.big { value.to_be_bytes() } else { value.to_le_bytes() });
        }
        out.extend(b"1.95.0 (a test)");
        out.resize(72, 0);
        out.extend(self.root);
        out.resize(72 + 96, 0);
        out.extend(&self.manifest);
        out
    }

    /// C that defines the header as `name`.
    #[cfg(target_os = "linux")]
    pub(crate) fn source(&self, name: &str) -> String {
        let bytes = self.bytes().iter().map(u8::to_string).collect::<Vec<_>>().join(",");
        format!("const unsigned char {name}[] = {{{bytes}}};\n")
    }
}

/// Compiles C into a shared library.
#[cfg(target_os = "linux")]
pub(crate) fn shared(source: &str, out: &std::path::Path, arguments: &[&str]) {
    let file = out.with_extension("c");
    std::fs::write(&file, source).unwrap();
    let status = std::process::Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(out)
        .arg(&file)
        .args(arguments)
        .status()
        .unwrap();
    assert!(status.success(), "gcc failed");
    std::fs::remove_file(file).unwrap();
}
