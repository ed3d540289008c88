//! Tables for people.

use comfy_table::{ContentArrangement, Table, presets};

use crate::output::Output;

/// A table with these headings and without lines: as wide as the terminal, or as it likes if there is none.
pub(crate) fn table(headings: &[&str], output: &Output) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if let Some(width) = output.width() {
        table.set_width(width);
    }
    table.set_header(headings.iter().map(|heading| heading.to_uppercase()));
    table
}

/// The table's text, without the blanks around it. Those that begin the lines of a wrapped cell stay.
pub(crate) fn text(table: &Table) -> String {
    table.lines().map(|line| line.strip_prefix(' ').unwrap_or(&line).trim_end().to_owned() + "\n").collect()
}
