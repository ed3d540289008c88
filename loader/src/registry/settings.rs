//! What a table is made with.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::availability::{Clock, Environment, SystemClock};

/// What a table is made with: see [`Registry::with`](super::Registry::with).
///
/// ```
/// use std::sync::Arc;
/// use toolrack::{ManualClock, McpCollision, Registry, RegistrySettings};
///
/// let registry = Registry::with(RegistrySettings {
///     mcp_collision: McpCollision::Reject,
///     clock: Arc::new(ManualClock::new()),
///     environment: Arc::new(|name| (name == "TOKEN").then(|| "secret".into())),
/// });
/// assert_eq!(registry.generation(), 0);
/// ```
#[derive(Clone)]
pub struct RegistrySettings {
    /// Which of two MCP servers a name stands for that both have.
    pub mcp_collision: McpCollision,
    /// What says for how long the answer of a check holds.
    pub clock: Arc<dyn Clock>,
    /// Where `requires_env` is looked up.
    pub environment: Arc<Environment>,
}

impl Default for RegistrySettings {
    /// The earlier of two servers, the machine's clock, and the environment of this process.
    fn default() -> Self {
        RegistrySettings {
            mcp_collision: McpCollision::default(),
            clock: Arc::new(SystemClock),
            environment: Arc::new(|name| std::env::var_os(name)),
        }
    }
}

impl fmt::Debug for RegistrySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistrySettings").field("mcp_collision", &self.mcp_collision).finish_non_exhaustive()
    }
}

/// Which of two MCP servers a name stands for that both have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum McpCollision {
    /// The one that stands first in the configuration. That the other is hidden is no fault.
    #[default]
    First,
    /// The one that registered the name last. The one rule by which the order of registrations counts.
    Latest,
    /// The one that stands first in the configuration; that the other is hidden is a conflict (T6005).
    Reject,
}

impl McpCollision {
    /// All of them.
    pub const ALL: [McpCollision; 3] = [McpCollision::First, McpCollision::Latest, McpCollision::Reject];

    /// The rule as it stands in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            McpCollision::First => "first",
            McpCollision::Latest => "latest",
            McpCollision::Reject => "reject",
        }
    }
}

impl FromStr for McpCollision {
    type Err = UnknownMcpCollision;

    fn from_str(text: &str) -> Result<Self, UnknownMcpCollision> {
        McpCollision::ALL.into_iter().find(|rule| rule.as_str() == text).ok_or(UnknownMcpCollision)
    }
}

/// The text is none of `first`, `latest` and `reject`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownMcpCollision;

impl fmt::Display for UnknownMcpCollision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected `first`, `latest` or `reject`")
    }
}

impl std::error::Error for UnknownMcpCollision {}
