//! What a file is by its first bytes.

use object::{elf, macho, pe};

use super::read::Source;
use super::verdict::Fault;
use crate::Code;

/// A format that may hold a library.
pub(super) enum Container {
    Elf,
}

const LIBRARY_HELP: &str = "put the library itself here";

/// Tells libraries from everything else, and says what the rest is.
pub(super) fn sniff(source: &Source<'_>) -> Result<Container, Fault> {
    let head = source.head();
    if head.is_empty() {
        return Err(Fault::stated(Code::T1004, "it is empty", "copy the whole library here"));
    }
    if head.starts_with(&elf::ELFMAG) {
        return Ok(Container::Elf);
    }
    if elf::ELFMAG.starts_with(head) {
        return Err(Fault::beyond("its header", source.size()));
    }
    let _ = (macho::MH_MAGIC, pe::IMAGE_DOS_SIGNATURE);
    Err(other(head))
}

fn other(head: &[u8]) -> Fault {
    if is_linker_script(head) {
        return Fault::stated(
            Code::T2002,
            "a text that tells the linker where the library is",
            "put the library that it names here",
        );
    }
    let no_library = |what: &str| Fault::stated(Code::T2001, what, LIBRARY_HELP);
    if is_text(head) {
        return no_library("a text, not a library");
    }
    no_library("its first bytes are those of no library format")
}

/// Words that begin a linker script, before a bracket.
const SCRIPT_WORDS: [&str; 17] = [
    "INPUT",
    "GROUP",
    "OUTPUT_FORMAT",
    "OUTPUT_ARCH",
    "OUTPUT",
    "ENTRY",
    "SEARCH_DIR",
    "STARTUP",
    "EXTERN",
    "SECTIONS",
    "PHDRS",
    "VERSION",
    "TARGET",
    "MEMORY",
    "ASSERT",
    "PROVIDE",
    "INSERT",
];

fn is_linker_script(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        if comment.trim_start().starts_with("GNU ld script") {
            return true;
        }
        let Some((_, after)) = comment.split_once("*/") else { return false };
        rest = after.trim_start();
    }
    SCRIPT_WORDS
        .iter()
        .any(|word| rest.strip_prefix(word).is_some_and(|after| after.trim_start().starts_with(['(', '{'])))
}

fn is_text(head: &[u8]) -> bool {
    if head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF") {
        return true;
    }
    let control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0C | 0x1B);
    !head.iter().any(control) && std::str::from_utf8(head).is_ok()
}
