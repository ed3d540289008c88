//! The export directory, searched by halves as `GetProcAddress` does.

use std::cmp::Ordering;

use super::File;
use crate::probe::image::{Definition, Kind, Symbol};
use crate::probe::layout::Layout;
use crate::probe::verdict::{Fault, printable};

/// The export directory's counts and tables, as addresses in the image.
pub(super) struct Exports {
    functions: u64,
    pub(super) names: u64,
    function_table: u64,
    name_table: u64,
    ordinal_table: u64,
}

impl Exports {
    /// The directory; nothing if there is none.
    pub(super) fn read(file: &File<'_>) -> Result<Option<Self>, Fault> {
        let directory = file.header.exports;
        if directory.rva == 0 || directory.len == 0 {
            return Ok(None);
        }
        let raw: [u8; 40] = file.array("export directory", directory.rva)?;
        let word = |at: usize| u64::from(Layout::PE.u32(&raw, at));
        Ok(Some(Exports {
            functions: word(20),
            names: word(24),
            function_table: word(28),
            name_table: word(32),
            ordinal_table: word(36),
        }))
    }

    /// The address of a name.
    pub(super) fn name(&self, file: &File<'_>, index: u64) -> Result<u64, Fault> {
        Ok(u64::from(file.u32("table of exported names", self.name_table + index * 4)?))
    }

    fn address(&self, file: &File<'_>, index: u64) -> Result<u64, Fault> {
        let raw: [u8; 2] = file.array("table of exported numbers", self.ordinal_table + index * 2)?;
        let ordinal = u64::from(Layout::PE.u16(&raw, 0));
        if ordinal >= self.functions {
            return Err(Fault::malformed("a name in its export directory stands for nothing"));
        }
        Ok(u64::from(file.u32("table of exports", self.function_table + ordinal * 4)?))
    }
}

/// Looks a name up.
pub(super) fn find(file: &File<'_>, name: &[u8]) -> Result<Symbol, Fault> {
    let Some(exports) = Exports::read(file)? else { return Ok(Symbol::Absent) };
    let (mut low, mut high) = (0, exports.names);
    while low < high {
        let middle = low + (high - low) / 2;
        match compare(file, exports.name(file, middle)?, name)? {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return define(file, exports.address(file, middle)?),
        }
    }
    Ok(Symbol::Absent)
}

fn define(file: &File<'_>, rva: u64) -> Result<Symbol, Fault> {
    if rva == 0 {
        return Ok(Symbol::Absent);
    }
    let directory = file.header.exports;
    let kind = if rva.checked_sub(directory.rva).is_some_and(|into| into < directory.len) {
        Kind::Forwarded(format!("`{}`", printable(file.text("export directory", rva, 256)?.as_bytes())))
    } else if file.sections.is_code(rva) {
        Kind::Function
    } else {
        Kind::Data
    };
    let place = file.sections.place(rva).filter(|_| kind == Kind::Data);
    Ok(Symbol::Defined(Definition {
        kind,
        address: rva,
        size: None,
        in_file: place.map(|place| (place.offset, place.available)),
    }))
}

/// The text at `rva` against `name`, as `strcmp` orders them.
fn compare(file: &File<'_>, rva: u64, name: &[u8]) -> Result<Ordering, Fault> {
    let mut rva = rva;
    for wanted in name.iter().copied().chain([0]) {
        let [byte] = file.array("table of exported names", rva)?;
        match byte.cmp(&wanted) {
            Ordering::Equal => rva += 1,
            unequal => return Ok(unequal),
        }
    }
    Ok(Ordering::Equal)
}
