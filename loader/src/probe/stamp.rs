//! The header behind the symbol: the stamp, and whether the rest of it is where the stamp says.

use toolrack_abi::{
    ABI_STABLE_VERSION, ABI_VERSION, FLAG_PANIC_ABORT, KIND_RUST, MAGIC, MAX_MANIFEST, ROOT_MAGIC, STAMP_LEN,
    SYMBOL,
};

use super::image::{Definition, Kind};
use super::layout::Layout;
use super::read::Source;
use super::verdict::{self, Fault, Finding};
use crate::Code;

const HELP: &str = "if it is meant as a plugin, let `export_tools!` write the symbol";

/// What a plugin's stamp says, in words and numbers of this host.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Stamped {
    /// The version of the stamp's layout.
    pub stamp_version: u16,
    /// The kind of plugin: 1 is Rust.
    pub kind: u16,
    /// Major and minor version of `toolrack-abi`.
    pub abi: [u16; 2],
    /// Major and minor version of abi_stable.
    pub abi_stable: [u16; 2],
    /// The compiler that built the plugin, as it names itself.
    pub rustc: String,
    /// It was built with `panic=abort`: no guard in it works.
    pub panic_abort: bool,
    /// Where abi_stable's header stands, in bytes from the symbol's first.
    pub root_offset: u32,
}

/// Where the manifest stands in the file, and its length; or what is wrong with the header.
pub(super) type ManifestPlace = Result<(u64, usize), Finding>;

/// Reads the header at `definition`. First match wins: no header at all, another kind, another contract, no root,
/// another abi_stable.
pub(super) fn read(
    source: &Source<'_>,
    layout: Layout,
    definition: &Definition,
) -> Result<(Option<Stamped>, ManifestPlace), Fault> {
    let refused = |stamped, finding| Ok((stamped, Err(finding)));
    let no_header = |reason: &str| Finding::new(Code::T4001, format!("`{SYMBOL}` is {reason}"), HELP);
    let (offset, limit) = match place(definition) {
        Ok(place) => place,
        Err(reason) => return refused(None, no_header(&reason)),
    };
    if limit < STAMP_LEN as u64 {
        return refused(None, no_header(&format!("other data: {limit} bytes, too few for a header")));
    }
    let raw: [u8; STAMP_LEN] = source.array(offset)?;
    if raw[..8] != MAGIC || layout.u16(&raw, 8) == 0 {
        return refused(None, no_header("other data, which does not begin as a header does"));
    }
    let pair = |at: usize| [layout.u16(&raw, at), layout.u16(&raw, at + 2)];
    let stamped = Stamped {
        stamp_version: layout.u16(&raw, 8),
        kind: layout.u16(&raw, 10),
        abi: pair(12),
        abi_stable: pair(16),
        root_offset: layout.u32(&raw, 20),
        panic_abort: layout.u32(&raw, 32) & FLAG_PANIC_ABORT != 0,
        rustc: padded(&raw[36..68]),
    };
    if let Some(finding) = foreign_contract(&stamped) {
        return refused(Some(stamped), finding);
    }
    let root = u64::from(stamped.root_offset);
    if root < STAMP_LEN as u64 || root + ROOT_MAGIC.len() as u64 > limit {
        let reason = format!("a header whose root lies outside it (at {root} of {limit} bytes)");
        return refused(Some(stamped), no_header(&reason));
    }
    if source.array::<{ ROOT_MAGIC.len() }>(offset + root)? != ROOT_MAGIC {
        return refused(Some(stamped), no_header("a header without a root of abi_stable"));
    }
    if let Some(finding) = foreign_abi_stable(&stamped) {
        return refused(Some(stamped), finding);
    }
    let (at, len) = (u64::from(layout.u32(&raw, 24)), u64::from(layout.u32(&raw, 28)));
    let manifest = if len > MAX_MANIFEST as u64 {
        Err(manifest_outside(format!("claims {len} bytes; 1 MiB is the most")))
    } else if at < STAMP_LEN as u64 || at + len > limit {
        Err(manifest_outside(format!("lies outside the header (bytes {at} to {} of {limit})", at + len)))
    } else {
        Ok((offset + at, len as usize))
    };
    Ok((Some(stamped), manifest))
}

/// Where the header stands in the file, and how many bytes it can have; or what the symbol is instead.
fn place(definition: &Definition) -> Result<(u64, u64), String> {
    match &definition.kind {
        Kind::Data => {}
        Kind::Function => return Err("a function, not data".to_owned()),
        Kind::Resolver => {
            return Err("a function that is chosen while the library loads, not data".to_owned());
        }
        Kind::ThreadLocal => return Err("thread-local".to_owned()),
        Kind::Absolute => return Err("a plain number, not data".to_owned()),
        Kind::Common => return Err("data that was never placed".to_owned()),
        Kind::Forwarded(target) => return Err(format!("forwarded to {target}, not defined here")),
    }
    let Some((offset, available)) = definition.in_file else {
        return Err("data without bytes in the file".to_owned());
    };
    Ok((offset, definition.size.unwrap_or(available).min(available)))
}

fn foreign_contract(stamped: &Stamped) -> Option<Finding> {
    if stamped.kind != KIND_RUST {
        return Some(Finding::new(
            Code::T4009,
            format!("a plugin of kind {}, this host loads kind {KIND_RUST} (Rust)", stamped.kind),
            "update toolrack, or build the plugin with `toolrack-plugin`",
        ));
    }
    (stamped.abi[0] != ABI_VERSION[0]).then(|| {
        Finding::new(
            Code::T4006,
            format!(
                "built for toolrack-abi {}.{}, this host has {}.{}",
                stamped.abi[0], stamped.abi[1], ABI_VERSION[0], ABI_VERSION[1]
            ),
            if stamped.abi[0] > ABI_VERSION[0] {
                "update toolrack"
            } else {
                "build the plugin with the current `toolrack-plugin`"
            },
        )
    })
}

fn foreign_abi_stable(stamped: &Stamped) -> Option<Finding> {
    let [major, minor] = stamped.abi_stable;
    let [host_major, host_minor] = ABI_STABLE_VERSION;
    (major != host_major || (major == 0 && minor != host_minor)).then(|| {
        Finding::new(
            Code::T4005,
            format!("built for abi_stable {major}.{minor}, this host has {host_major}.{host_minor}"),
            "build the plugin with the `toolrack-plugin` that this toolrack belongs to",
        )
    })
}

fn manifest_outside(what: String) -> Finding {
    Finding::new(Code::T4008, format!("the manifest {what}"), "build the plugin again with `export_tools!`")
}

/// The text before the padding, on one line.
fn padded(raw: &[u8]) -> String {
    let text = raw.split(|byte| *byte == 0).next().unwrap_or_default();
    verdict::printable(text)
}
