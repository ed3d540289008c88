//! Several images in one file, each for another machine.

use object::macho;

use super::{examine, machine};
use crate::probe::Query;
use crate::probe::image::{Format, Image, Machine, Seen, Symbol, Systems};
use crate::probe::layout::{Endian, Layout};
use crate::probe::read::Source;
use crate::probe::verdict::Fault;

/// Java's class files begin with the same number, and then have a version where a count of machines would stand.
const FIRST_JAVA_VERSION: u32 = 43;

/// Are these the first bytes of a Java class rather than of a fat file?
pub(in crate::probe) fn is_java_class(head: &[u8]) -> bool {
    let number = |at: usize| Layout { wide: false, endian: Endian::Big }.u32(head, at);
    number(0) == macho::FAT_MAGIC && number(4) >= FIRST_JAVA_VERSION
}

struct Slice {
    machine: Machine,
    offset: u64,
    size: u64,
}

/// Reads the slice for the target's machine, as dyld would choose it. Without one, each in turn, up to the first that
/// is not simply a library without the symbol.
pub(in crate::probe) fn examine_fat<'a>(
    source: Source<'a>,
    query: &Query<'_>,
    image: &mut Image,
) -> Result<Seen<'a>, Fault> {
    image.format = Some(Format::Macho);
    image.systems = Systems::One("macos");
    let slices = slices(&source)?;
    image.slices = slices.iter().map(|slice| slice.machine).collect();
    image.machine = image.slices.first().copied();
    if let Some(slice) = slices.iter().find(|slice| slice.machine.name() == Some(&query.target.arch)) {
        return examine(source.slice(slice.offset, slice.size)?, query, image);
    }
    let mut last = None;
    for slice in &slices {
        let seen = examine(source.slice(slice.offset, slice.size)?, query, image)?;
        if !matches!(seen.symbol, Symbol::Absent) {
            return Ok(seen);
        }
        last = Some(seen);
    }
    last.ok_or_else(no_slices)
}

fn slices(source: &Source<'_>) -> Result<Vec<Slice>, Fault> {
    let layout = Layout { wide: false, endian: Endian::Big };
    let header: [u8; 8] = source.array(0)?;
    let wide = layout.u32(&header, 0) == macho::FAT_MAGIC_64;
    let count = layout.u32(&header, 4);
    if count == 0 {
        return Err(no_slices());
    }
    if count >= FIRST_JAVA_VERSION {
        return Err(Fault::malformed(format!("it claims to hold {count} images")));
    }
    let mut slices = Vec::new();
    for index in 0..u64::from(count) {
        let (raw, offset, size) = if wide {
            let raw: [u8; 32] = source.array(8 + index * 32)?;
            (raw, layout.u64(&raw, 8), layout.u64(&raw, 16))
        } else {
            let short: [u8; 20] = source.array(8 + index * 20)?;
            let mut raw = [0; 32];
            raw[..20].copy_from_slice(&short);
            (raw, u64::from(layout.u32(&raw, 8)), u64::from(layout.u32(&raw, 12)))
        };
        let machine = machine(layout.u32(&raw, 0), layout.u32(&raw, 4));
        slices.push(Slice { machine, offset, size });
    }
    // All of them, before any is read: which slice a host looks at may not decide whether the file is whole.
    for slice in &slices {
        source.slice(slice.offset, slice.size)?;
    }
    Ok(slices)
}

fn no_slices() -> Fault {
    Fault::malformed("it claims to hold no image at all")
}
