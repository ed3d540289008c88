//! Tables for people.

use comfy_table::{ContentArrangement, Table, presets};

/// A table with these headings, as wide as the terminal, without lines.
pub(crate) fn table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(headings.iter().map(|heading| heading.to_uppercase()));
    table
}

/// The table's text, without the blanks that end its lines.
pub(crate) fn text(table: &Table) -> String {
    table.lines().map(|line| line.trim().to_owned() + "\n").collect()
}
