//! The codes of diagnoses: a contract.

use std::fmt;
use std::str::FromStr;

macro_rules! codes {
    ($($code:ident $title:literal)*) => {
        /// Why a file was rejected, or what went wrong with a plugin later. The code of a cause never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// The code as it is printed, `T1001`.
            pub const fn as_str(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// What the code means, in a few words.
            pub const fn title(self) -> &'static str {
                match self { $(Code::$code => $title,)* }
            }
        }
    };
}

codes! {
    T1001 "not a regular file"
    T1002 "broken link, or a loop of links"
    T1003 "not readable"
    T1004 "empty"
    T1005 "too large"
    T1006 "changed while it was read"
    T1007 "the same library as another file"
    T1008 "incomplete: segments end beyond the file"

    T2001 "not a library"
    T2002 "a linker script (text)"
    T2003 "an object file or a program"
    T2004 "debug information only"
    T2005 "malformed"
    T2006 "for another operating system"
    T2007 "for another machine"
    T2008 "other word size or byte order"
    T2009 "marked not to be loaded at run time"

    T3001 "a needed library is not found"
    T3002 "needs a newer libc"
    T3003 "undefined symbol"
    T3004 "asks for an executable stack"
    T3005 "static TLS does not fit"
    T3006 "other libc"
    T3007 "the folder, or the store, is mounted noexec"
    T3008 "needs a newer CPU"
    T3009 "refused by the system loader"
    T3010 "a sibling of another plugin's name is loaded"

    T4001 "`register_tools` is no toolrack header"
    T4002 "`register_tools` has a non-default symbol version"
    T4003 "`register_tools` is imported, not defined"
    T4004 "a near miss of `register_tools`"
    T4005 "built for another abi_stable"
    T4006 "built for another major version of toolrack-abi"
    T4007 "layouts differ, or their check was opted out of"
    T4008 "the manifest is invalid"
    T4009 "a kind of plugin that this host does not load"

    T5001 "unsafe owner or mode"
    T5002 "denied by pattern, or the plugin is disabled"
    T5003 "not on the allow list"
    T5004 "differs from `toolrack.lock`"
    T5005 "signature missing or wrong"
    T5006 "another file already provides this plugin"

    T6001 "crashed while loading or in a call"
    T6002 "no answer in time while loading"
    T6003 "ended the process while loading"
    T6004 "its registration failed"
    T6005 "name conflict"
    T6006 "an invalid tool"
    T6007 "quarantined"
    T6008 "built with panic=abort"
    T6009 "the worker crashed"
    T6010 "a call passed its deadline"
    T6011 "registers other tools than its trial did"
    T6012 "an override that the operator did not allow"
    T6013 "past the budget of retired generations"
    T6014 "could not be stored"
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text is not a code of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode;

impl FromStr for Code {
    type Err = UnknownCode;

    /// Takes a code in any case.
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text)).ok_or(UnknownCode)
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
