//! Text that may still lie in a plugin's memory.

use std::fmt;
use std::ops::Deref;

use toolrack_abi::abi_stable::std_types::RString;

/// A text: the host's own, or one that a plugin made and that is not copied until somebody wants to own it.
#[derive(Clone, PartialEq, Eq)]
pub struct Text(RString);

impl Text {
    /// The text as the host's own; copies if it is not.
    pub fn into_string(self) -> String {
        self.0.into_string()
    }

    pub(crate) fn into_inner(self) -> RString {
        self.0
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.0.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(text.into())
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.into())
    }
}

impl From<RString> for Text {
    #[inline]
    fn from(text: RString) -> Self {
        Text(text)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
