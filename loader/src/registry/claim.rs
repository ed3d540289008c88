//! Which of several claims on a name is visible.

use std::sync::Arc;

use crate::source::{Place, Source, SourceKind};
use crate::tool::ToolEntry;

/// How a claim stands among the claims on its name: the least is visible.
///
/// The order knows nothing of time, so that the same registrations give the same table in any order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    class: ClaimClass,
    place: Place,
    name: Arc<str>,
}

/// The classes of claims, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClaimClass {
    /// An override by the host, or by a plugin that the operator allowed it.
    Override,
    /// The host's own tool.
    Builtin,
    /// A plugin's.
    Plugin,
    /// An MCP server's.
    Mcp,
}

/// The rank of a claim by `source`, which is an override if `overrides`.
pub fn rank(source: &Source, overrides: bool) -> Rank {
    let class = match source.id.kind {
        _ if overrides => ClaimClass::Override,
        SourceKind::Builtin => ClaimClass::Builtin,
        SourceKind::Plugin => ClaimClass::Plugin,
        SourceKind::Mcp => ClaimClass::Mcp,
    };
    Rank { class, place: source.place.clone(), name: source.id.name.clone() }
}

/// One source's registration of a name.
pub(super) struct Claim {
    pub(super) rank: Rank,
    pub(super) entry: Arc<ToolEntry>,
}

/// What came of one registration.
#[derive(Clone, Debug)]
pub enum Claimed {
    /// It is what the name stands for now. `hides` is the source that the name stood for before, if another.
    Visible {
        /// The source that is hidden by it.
        hides: Option<Arc<Source>>,
    },
    /// It stays behind the claim of another source, and shows when that goes (T6005).
    Conflict {
        /// The source that the name stands for.
        winner: Arc<Source>,
    },
    /// It asked to override and may not (T6012). Nothing is claimed.
    PermissionDenied,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn overrides_then_builtins_then_plugins_by_folder_order_then_mcp_servers_by_configuration_order() {
        let host = Source::builtin("app");
        let first = Source::plugin("zebra", 0, Path::new("/a/zebra.so"));
        let second = Source::plugin("ant", 1, Path::new("/b/ant.so"));
        let sibling = Source::plugin("ant", 0, Path::new("/a/ant.so"));
        let mcp = Source::mcp("one", 0);
        let later = Source::mcp("another", 1);
        let ranks = [
            rank(&host, true),
            rank(&sibling, true),
            rank(&first, true),
            rank(&second, true),
            rank(&host, false),
            rank(&sibling, false),
            rank(&first, false),
            rank(&second, false),
            rank(&mcp, false),
            rank(&later, false),
        ];
        assert!(ranks.is_sorted_by(|a, b| a < b));
    }
}
