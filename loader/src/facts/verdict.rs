//! How loading some bytes went.

use serde::{Deserialize, Serialize};

use crate::Code;

/// How loading some bytes went, the last time somebody tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nobody tried yet.
    Untried,
    /// It loaded, and registered its tools.
    Loaded,
    /// It did not.
    #[non_exhaustive]
    Failed {
        /// Why, as a code.
        #[serde(with = "code_text")]
        code: Code,
        /// Why, in one line.
        reason: String,
        /// The cause below it.
        detail: Option<String>,
        /// What to do about it.
        help: Option<String>,
    },
}

impl Verdict {
    /// The verdict that a diagnosis amounts to; one without a code says nothing about the bytes.
    pub fn failed(diagnosis: &crate::Diagnosis) -> Self {
        match diagnosis.code {
            None => Verdict::Untried,
            Some(code) => Verdict::Failed {
                code,
                reason: diagnosis.reason.clone(),
                detail: diagnosis.detail.clone(),
                help: diagnosis.help.clone(),
            },
        }
    }
}

mod code_text {
    use serde::{Deserialize, Deserializer, Serializer, de};

    use crate::Code;

    pub(super) fn serialize<S: Serializer>(code: &Code, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(code.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Code, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(|_| de::Error::custom(format!("`{text}` is no code")))
    }
}
