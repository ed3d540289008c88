//! Files by their names.

use std::ops::ControlFlow;

use super::page::{Offered, Page};
use super::walk::{Ended, NamePattern, each_file};
use super::{Output, SearchFiles};
use crate::error::FileError;
use crate::halt::AskHalt;
use crate::workspace::Located;

/// Puts the path of every file that fits on the page, or only their number.
pub(super) fn search(
    start: &Located<'_>,
    request: &SearchFiles<'_>,
    halt: AskHalt<'_>,
    page: &mut Page,
) -> Result<Ended, FileError> {
    let pattern = NamePattern::parse("pattern", request.pattern)?;
    each_file(start, request.file_glob, halt, page, |found, page| {
        page.searched += 1;
        if !pattern.fits(&found.below) {
            return ControlFlow::Continue(());
        }
        if request.output_mode == Output::Count {
            page.tally();
            return ControlFlow::Continue(());
        }
        match page.offer(&format!("{}\n", found.shown)) {
            Offered::Full => ControlFlow::Break(None),
            Offered::Shown | Offered::Skipped => ControlFlow::Continue(()),
        }
    })
}
