//! What a file is by its first bytes.

use object::{elf, macho as object_macho, pe as object_pe};

use super::macho;
use super::read::Source;
use super::verdict::Fault;
use crate::Code;

/// A format that may hold a library.
pub(super) enum Container {
    Elf,
    Macho,
    MachoFat,
    Pe,
}

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
    if let Some(magic) = head.first_chunk::<4>() {
        if macho::layout(magic).is_some() {
            return Ok(Container::Macho);
        }
        let number = u32::from_be_bytes(*magic);
        if matches!(number, object_macho::FAT_MAGIC | object_macho::FAT_MAGIC_64)
            && !macho::is_java_class(head)
        {
            return Ok(Container::MachoFat);
        }
    }
    if head.starts_with(&object_pe::IMAGE_DOS_SIGNATURE.to_le_bytes()) && !is_text(head) {
        return Ok(Container::Pe);
    }
    Err(other(head))
}

/// First bytes of what turns up under a library's name, and what it is.
const KNOWN: &[(&[u8], Code, &str)] = &[
    (b"!<arch>\n", Code::T2003, "a static library: object files, which a linker makes libraries of"),
    (b"!<thin>\n", Code::T2003, "a static library: object files, which a linker makes libraries of"),
    (b"BC\xC0\xDE", Code::T2003, "an object file of LLVM, which a linker makes libraries of"),
    (b"\xDE\xC0\x17\x0B", Code::T2003, "an object file of LLVM, which a linker makes libraries of"),
    (b"\0\0\xFF\xFF", Code::T2003, "an object file, which a linker makes libraries of"),
    (b"Microsoft C/C++ MSF", Code::T2004, "debug information of a Windows library: it has no code"),
    (b"--- !tapi-tbd", Code::T2002, "a text that tells Apple's linker what a library exports"),
    (b"\0asm", Code::T2001, "a WebAssembly module, not a library of the system"),
    (b"\xCA\xFE\xBA\xBE", Code::T2001, "a Java class, not a library of the system"),
    (b"PK\x03\x04", Code::T2001, "a zip archive, not a library"),
    (b"\x1F\x8B", Code::T2001, "a gzip archive, not a library"),
    (b"\xFD7zXZ\0", Code::T2001, "an xz archive, not a library"),
    (b"\x28\xB5\x2F\xFD", Code::T2001, "a zstd archive, not a library"),
    (b"#!", Code::T2001, "a script, not a library"),
    (b"version https://git-lfs", Code::T2001, "a pointer of Git LFS: the library itself was not fetched"),
];

fn other(head: &[u8]) -> Fault {
    if is_linker_script(head) {
        return Fault::stated(
            Code::T2002,
            "a text that tells the linker where the library is",
            "put the library that it names here",
        );
    }
    let stated = |code: Code, what: &str| {
        let help = match code {
            Code::T2003 => "build the plugin as a cdylib",
            _ => "put the library itself here",
        };
        Fault::stated(code, what, help)
    };
    if let Some((_, code, what)) = KNOWN.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return stated(*code, what);
    }
    if is_coff_object(head) {
        return stated(Code::T2003, "an object file, which a linker makes libraries of");
    }
    if head.iter().all(|byte| *byte == 0) {
        return stated(
            Code::T2001,
            "it begins with zeros: not a library, or one whose copy has not been written yet",
        );
    }
    if is_text(head) {
        return stated(Code::T2001, "a text, not a library");
    }
    stated(Code::T2001, "its first bytes are those of no library format")
}

/// Windows' object files have no magic number: a machine, some sections, and no header for loading.
fn is_coff_object(head: &[u8]) -> bool {
    let number = |at: usize| head.get(at..at + 2).map_or(0, |raw| u16::from_le_bytes([raw[0], raw[1]]));
    let machine = matches!(number(0), 0x8664 | 0x014c | 0xaa64 | 0xa641 | 0x01c4);
    machine && head.len() >= 60 && (1..4096).contains(&number(2)) && number(16) == 0
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
    let Some(text) = whole_characters(text) else { return false };
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
    !head.iter().any(control) && whole_characters(head).is_some()
}

/// The text, up to a character that the end of what was read cuts in two.
fn whole_characters(head: &[u8]) -> Option<&str> {
    match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok(),
        Err(_) => None,
    }
}
