//! The toolsets that are defined from the start.

use std::collections::BTreeMap;

use super::Toolset;

/// Name, what it is for, tools, includes.
type Row = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const SHIPPED: &[Row] = &[
    ("file", "Reads, writes and searches files", &["read_file", "write_file", "patch", "search_files"], &[]),
    ("terminal", "Runs commands and watches over processes", &["terminal", "process"], &[]),
    ("web", "Searches the web and reads pages", &["web_search", "web_extract"], &[]),
    ("search", "Searches the web, and reads nothing of it", &["web_search"], &[]),
    (
        "browser",
        "Drives a browser",
        &[
            "browser_navigate",
            "browser_snapshot",
            "browser_click",
            "browser_type",
            "browser_scroll",
            "browser_back",
            "browser_press",
            "browser_get_images",
            "browser_console",
            "browser_vision",
        ],
        &[],
    ),
    ("skills", "Finds, reads and writes skills", &["skills_list", "skill_view", "skill_manage"], &[]),
    ("delegation", "Hands tasks to agents of its own", &["delegate_task"], &[]),
    (
        "debugging",
        "Runs commands, looks things up and mends files",
        &["terminal", "process"],
        &["web", "file"],
    ),
    ("safe", "Touches nothing on this machine", &[], &["web"]),
];

/// All of them, by name.
pub(super) fn all() -> BTreeMap<String, Toolset> {
    let toolset = |(name, description, tools, includes): &Row| {
        let toolset = Toolset::new(*description)
            .with_tools(tools.iter().copied())
            .with_includes(includes.iter().copied())
            .with_closed(*name == "safe");
        ((*name).to_owned(), toolset)
    };
    SHIPPED.iter().map(toolset).collect()
}
