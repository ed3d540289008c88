//! Which of several claims on a name is visible.

use std::cmp::Reverse;
use std::sync::Arc;

use super::settings::McpCollision;
use super::snapshot::HiddenBy;
use crate::source::{Place, Source, SourceKind};
use crate::tool::ToolEntry;

/// How a claim stands among the claims on its name: the least is visible.
///
/// The order knows nothing of time, so that the same registrations give the same table in any order; only between
/// MCP servers an operator can ask for it ([`McpCollision::Latest`](super::McpCollision::Latest)).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    class: ClaimClass,
    /// When it was registered, where that counts: the latest is visible. Else 0.
    time: Reverse<u64>,
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
    Rank { class, time: Reverse(0), place: source.place.clone(), name: source.id.name.clone() }
}

impl Rank {
    /// The class of the claim.
    pub fn class(&self) -> ClaimClass {
        self.class
    }

    /// The same claim where of several in its class the latest is visible. `time` is a number that grows.
    #[must_use]
    pub fn registered_at(mut self, time: u64) -> Self {
        self.time = Reverse(time);
        self
    }
}

/// One source's registration of a name.
pub(super) struct Claim {
    pub(super) rank: Rank,
    /// When the source first registered the name: what it registers again keeps its turn.
    pub(super) time: u64,
    pub(super) entry: Arc<ToolEntry>,
}

/// What came of one registration.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Claimed {
    /// It is what the name stands for now. `hides` is the source that the name stood for before, if another.
    Visible {
        /// The source that is hidden by it.
        hides: Option<Arc<Source>>,
    },
    /// The same source had registered it before, and it is what the name stands for, as it was.
    Replaced,
    /// It is what the name stands for, as an override that it may be.
    Override {
        /// The source that is hidden by it, if there is one.
        hides: Option<Arc<Source>>,
    },
    /// It stays behind the claim of another source, and shows when that goes (T6005).
    Conflict {
        /// The source that the name stands for.
        winner: Arc<Source>,
    },
    /// It stays behind the claim of another MCP server, which is no fault, and shows when that goes.
    Behind {
        /// The server that the name stands for.
        winner: Arc<Source>,
    },
    /// It asked to override and may not (T6012). Nothing is claimed.
    PermissionDenied,
}

impl Claimed {
    /// Whether the name stands for it now.
    pub fn is_visible(&self) -> bool {
        matches!(self, Claimed::Visible { .. } | Claimed::Replaced | Claimed::Override { .. })
    }

    /// The source that is hidden by it and was not before.
    pub fn hides(&self) -> Option<&Arc<Source>> {
        match self {
            Claimed::Visible { hides } | Claimed::Override { hides } => hides.as_ref(),
            _ => None,
        }
    }
}

/// How the claim `behind` comes to be hidden by the claim `before` it.
pub(super) fn hidden_by(before: &Claim, behind: &Claim, rule: McpCollision) -> HiddenBy {
    match (before.rank.class, behind.rank.class) {
        // Two overrides on one name: both may, and nobody said which.
        (ClaimClass::Override, ClaimClass::Override) => HiddenBy::Conflict,
        (ClaimClass::Override, _) => HiddenBy::Override,
        (ClaimClass::Mcp, ClaimClass::Mcp) if rule != McpCollision::Reject => HiddenBy::Collision,
        _ => HiddenBy::Conflict,
    }
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

    #[test]
    fn where_time_counts_the_latest_stands_first_whatever_its_place() {
        let first = rank(&Source::mcp("one", 0), false).registered_at(1);
        let second = rank(&Source::mcp("two", 1), false).registered_at(2);
        let builtin = rank(&Source::builtin("app"), false);
        assert!(builtin < second && second < first);
    }
}
