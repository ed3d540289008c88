//! What the system's loader says, as a diagnosis.

use std::error::Error as _;
use std::path::Path;

use crate::Code;
use crate::diagnosis::Diagnosis;

/// The reason in the system's own words. libloading's own text says only which function failed.
pub(super) fn text(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

pub(super) fn diagnose(shown: &Path, error: &libloading::Error) -> Diagnosis {
    let text = text(error);
    let (code, reason, help) = classify(&text);
    Diagnosis::new(code, shown, reason).caused_by(text).help(help)
}

/// The texts are glibc's, musl's, macOS's and Windows', in English: no part of this program sets a locale.
fn classify(text: &str) -> (Code, String, &'static str) {
    let has = |part: &str| text.contains(part);
    if has("undefined symbol") || has("Symbol not found") || has("symbol not found in flat namespace") {
        let symbol = after(text, "undefined symbol: ").or_else(|| after(text, "Symbol not found: "));
        return (
            Code::T3003,
            match symbol {
                Some(symbol) => format!("it needs the symbol `{symbol}`, which no library defines"),
                None => "it needs a symbol that no library defines".to_owned(),
            },
            "link the library that defines the symbol, and build the plugin again",
        );
    }
    if has("version `") && has("not found") {
        return (
            Code::T3002,
            "it needs a newer system library than this machine has".to_owned(),
            "build the plugin on a system as old as the oldest that shall load it",
        );
    }
    if has("static TLS") {
        return (
            Code::T3005,
            "its thread-local storage does not fit any more".to_owned(),
            "build it without the initial-exec TLS model (an allocator is the usual cause), or load it first",
        );
    }
    if has("executable stack") {
        return (
            Code::T3004,
            "it asks for an executable stack".to_owned(),
            "build its C or assembly parts with `-z noexecstack`",
        );
    }
    if has("failed to map segment") {
        return (
            Code::T3007,
            "the system may not execute from the store's folder".to_owned(),
            "move the store (`[store] path`) to a folder that is not mounted noexec",
        );
    }
    if has("cannot open shared object file")
        || has("Library not loaded")
        || has("os error 126")
        || has("Error loading shared library")
    {
        let needed = text.split(':').next().filter(|name| has("cannot open") && !name.contains('/'));
        return (
            Code::T3001,
            match needed {
                Some(needed) => format!("it needs the library `{needed}`, which is not found"),
                None => "a library that it needs is not found".to_owned(),
            },
            "install that library, or put it where the system's loader looks",
        );
    }
    (
        Code::T3009,
        "the system's loader refuses it".to_owned(),
        "the cause is the loader's own words; `ldd FILE` (or `otool -L FILE`) may say more",
    )
}

fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let start = text.find(mark)? + mark.len();
    text[start..].split([' ', ',', '\n']).next().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_system_loaders_have_codes() {
        for (text, code, part) in [
            (
                "libgone.so: cannot open shared object file: No such file or directory",
                Code::T3001,
                "`libgone.so`",
            ),
            ("/s/x.so: undefined symbol: frobnicate", Code::T3003, "`frobnicate`"),
            ("/s/x.so: undefined symbol: foo, version V_1", Code::T3003, "`foo`"),
            ("/s/x.so: cannot allocate memory in static TLS block", Code::T3005, "thread-local"),
            ("/lib/libc.so.6: version `GLIBC_9.9' not found (required by /s/x.so)", Code::T3002, "newer"),
            ("/s/x.so: failed to map segment from shared object", Code::T3007, "store"),
            ("/s/x.so: cannot enable executable stack as shared object requires: x", Code::T3004, "stack"),
            ("The specified module could not be found. (os error 126)", Code::T3001, "not found"),
            ("something else", Code::T3009, "refuses"),
        ] {
            let (found, reason, _) = classify(text);
            assert_eq!(found, code, "{text}");
            assert!(reason.contains(part), "{text}: {reason}");
        }
    }
}
