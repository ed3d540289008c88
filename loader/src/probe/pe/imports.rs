//! The import directory: which libraries are needed, and what of them.

use super::File;
use crate::probe::layout::Layout;
use crate::probe::verdict::Fault;

/// More libraries than any needs.
const MAX_LIBRARIES: u64 = 512;

/// The names of the needed libraries.
pub(super) fn libraries(file: &File<'_>) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    for descriptor in descriptors(file) {
        names.push(file.text("import directory", descriptor?.name, 256)?);
    }
    Ok(names)
}

/// Is `name` imported? Looks at no more than `max` imports; what can not be read is not.
pub(super) fn imports(file: &File<'_>, name: &[u8], max: u64) -> bool {
    let len = file.header.layout.word_len();
    let mut left = max;
    for descriptor in descriptors(file).map_while(Result::ok) {
        for index in 0.. {
            if left == 0 {
                return false;
            }
            left -= 1;
            let Ok(entry) = thunk(file, descriptor.thunks + index * len) else { return false };
            let by_number = entry >> (len * 8 - 1) == 1;
            if entry == 0 {
                break;
            }
            // Two bytes of a guessed index stand before the name.
            if !by_number
                && file.text("import directory", entry + 2, 256).is_ok_and(|text| text.as_bytes() == name)
            {
                return true;
            }
        }
    }
    false
}

fn thunk(file: &File<'_>, rva: u64) -> Result<u64, Fault> {
    if file.header.layout.wide {
        Ok(Layout::PE.u64(&file.array::<8>("import directory", rva)?, 0))
    } else {
        file.u32("import directory", rva).map(u64::from)
    }
}

struct Descriptor {
    name: u64,
    thunks: u64,
}

fn descriptors<'a>(file: &'a File<'a>) -> impl Iterator<Item = Result<Descriptor, Fault>> + 'a {
    let directory = file.header.imports;
    let count = if directory.rva == 0 || directory.len == 0 { 0 } else { MAX_LIBRARIES };
    (0..count).map_while(move |index| {
        let raw: [u8; 20] = match file.array("import directory", directory.rva + index * 20) {
            Ok(raw) => raw,
            Err(fault) => return Some(Err(fault)),
        };
        let word = |at: usize| u64::from(Layout::PE.u32(&raw, at));
        let thunks = if word(0) == 0 { word(16) } else { word(0) };
        (word(12) != 0).then(|| Ok(Descriptor { name: word(12), thunks }))
    })
}
