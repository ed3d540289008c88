//! What is known about a library's bytes, so that a start need not find it out again.
//!
//! One JSON file stands beside each copy in the store. It is a cache: one that cannot be read, or that another
//! version wrote, is passed over and written anew. The plugin's own JSON texts stand in it unparsed.

mod verdict;

use std::fs::File;
use std::io::Read as _;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub use verdict::Verdict;

use crate::store::{Digest, Store};
use crate::{Diagnosis, escape::escaped};

/// The version of the file's shape.
const VERSION: u32 = 1;

/// No file of facts is larger: a manifest has at most 1 MiB.
const MAX_BYTES: u64 = 64 << 20;

/// What was found out about the bytes with one hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Facts {
    version: u32,
    /// Whose facts these are.
    pub sha256: Digest,
    /// How many bytes they have.
    pub len: u64,
    /// The host program that found it out; another one finds it out again.
    pub host_build: String,
    /// The boot in which it was found out.
    pub boot_id: String,
    /// When it was found out, in seconds since 1970.
    pub recorded_s: u64,
    /// Whether the layouts of this host build and the plugin agree; nothing if they were not compared.
    pub layout_ok: Option<bool>,
    /// The plugin's name and version.
    pub plugin: Option<PluginFacts>,
    /// The manifest, a JSON text.
    #[serde(with = "raw::optional")]
    pub manifest: Option<String>,
    /// The description of each tool it registered, a JSON text each, in the plugin's order.
    #[serde(with = "raw::list")]
    pub descriptions: Vec<String>,
    /// How loading it went.
    pub verdict: Verdict,
}

/// A plugin as its manifest names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginFacts {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Facts {
    /// Nothing known yet about these bytes.
    pub fn new(sha256: Digest, len: u64, host_build: impl Into<String>, boot_id: impl Into<String>) -> Self {
        Facts {
            version: VERSION,
            sha256,
            len,
            host_build: host_build.into(),
            boot_id: boot_id.into(),
            recorded_s: 0,
            layout_ok: None,
            plugin: None,
            manifest: None,
            descriptions: Vec::new(),
            verdict: Verdict::Untried,
        }
    }

    /// What this host build knows about the bytes; nothing if nothing was written, if another build wrote it, or if it
    /// cannot be read. The last is worth a warning, since facts do not break by themselves.
    pub fn read(store: &Store, sha256: Digest, len: u64, host_build: &str) -> Option<Self> {
        let path = store.facts_path(sha256, len);
        let mut bytes = Vec::new();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                log::warn!(
                    "the facts in `{}` cannot be read, and are found out again: {error}",
                    escaped(&path)
                );
                return None;
            }
        };
        let read = file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| error.to_string());
        match read.and_then(|_| Self::parse(&bytes, sha256, len)) {
            Ok(facts) => (facts.host_build == host_build).then_some(facts),
            Err(why) => {
                log::warn!("the facts in `{}` are passed over, and found out again: {why}", escaped(&path));
                None
            }
        }
    }

    /// Writes the facts beside the bytes, whole or not at all, with the time `now`.
    ///
    /// # Errors
    /// T6014 if the store is full or read-only. Loading goes on without facts; the next start finds them out again.
    pub fn write(&mut self, store: &Store, now: SystemTime) -> Result<(), Diagnosis> {
        self.recorded_s = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let path = store.facts_path(self.sha256, self.len);
        let bytes = serde_json::to_vec(self).map_err(|error| {
            Diagnosis::uncoded(&path, "the facts about a plugin are not JSON, and are not kept")
                .caused_by(error)
        })?;
        store.write_beside(&path, &bytes)
    }

    fn parse(bytes: &[u8], sha256: Digest, len: u64) -> Result<Self, String> {
        // The version first: another one's fields would only give a puzzling message.
        #[derive(Deserialize)]
        struct OnlyVersion {
            version: u32,
        }
        let OnlyVersion { version } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if version != VERSION {
            return Err(format!("they are of version {version}, and this program writes {VERSION}"));
        }
        let facts: Facts = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if (facts.sha256, facts.len) != (sha256, len) {
            return Err("they are about other bytes".to_owned());
        }
        Ok(facts)
    }
}

/// JSON texts that stand in the file as they are, neither parsed nor quoted.
mod raw {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::value::RawValue;

    fn checked<E: serde::ser::Error>(text: &str) -> Result<&RawValue, E> {
        serde_json::from_str(text).map_err(E::custom)
    }

    pub(super) mod optional {
        use super::*;

        pub(in super::super) fn serialize<S: Serializer>(
            text: &Option<String>,
            to: S,
        ) -> Result<S::Ok, S::Error> {
            text.as_deref().map(checked::<S::Error>).transpose()?.serialize(to)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<String>, D::Error> {
            Ok(Option::<Box<RawValue>>::deserialize(from)?.map(|raw| Box::<str>::from(raw).into_string()))
        }
    }

    pub(super) mod list {
        use super::*;

        pub(in super::super) fn serialize<S: Serializer>(texts: &[String], to: S) -> Result<S::Ok, S::Error> {
            to.collect_seq(texts.iter().map(|text| checked::<S::Error>(text)).collect::<Result<Vec<_>, _>>()?)
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<String>, D::Error> {
            let list = Vec::<Box<RawValue>>::deserialize(from)?;
            Ok(list.into_iter().map(|raw| Box::<str>::from(raw).into_string()).collect())
        }
    }
}

#[cfg(all(test, unix))]
mod tests;
