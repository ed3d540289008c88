//! Groups of tools: defined ones, those that registered tools name, and aliases of both.

mod members;
mod shipped;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub(crate) use members::{Members, Named};

/// The definition of a toolset. A tool that is registered under its name belongs to it as well, unless it is closed.
///
/// ```
/// use toolrack::{Registry, Toolset};
///
/// let registry = Registry::new();
/// let research = Toolset::new("Looks things up").with_tools(["read_file"]).with_includes(["web"]);
/// registry.define_toolset("research", research)?;
/// assert!(registry.snapshot().toolsets().contains(&"research"));
/// # Ok::<(), toolrack::ToolsetRefused>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Toolset {
    /// What it is for.
    pub description: String,
    /// Names of tools that belong to it, whoever registers them.
    pub tools: Vec<String>,
    /// Toolsets whose tools belong to it.
    pub includes: Vec<String>,
    /// Whether only the host's own tools and those that are listed here, or in what it includes, belong to it. A tool
    /// of a plugin or an MCP server then does not come in by naming it. Unsaid is no; for a toolset that ships, it is
    /// what that one is.
    pub closed: Option<bool>,
}

impl Toolset {
    /// A toolset without tools.
    pub fn new(description: impl Into<String>) -> Self {
        Toolset { description: description.into(), ..Toolset::default() }
    }

    /// Lists tools.
    #[must_use]
    pub fn with_tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.tools.extend(names.into_iter().map(Into::into));
        self
    }

    /// Includes toolsets.
    #[must_use]
    pub fn with_includes<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.includes.extend(names.into_iter().map(Into::into));
        self
    }

    /// Says whether it is closed.
    #[must_use]
    pub fn with_closed(mut self, closed: bool) -> Self {
        self.closed = Some(closed);
        self
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        self.closed.unwrap_or(false)
    }

    /// What stands in `self`, beside what ships under the same name.
    fn beside(mut self, shipped: &Toolset) -> Self {
        if self.description.is_empty() {
            self.description.clone_from(&shipped.description);
        }
        self.tools.extend_from_slice(&shipped.tools);
        self.includes.extend_from_slice(&shipped.includes);
        self.closed = self.closed.or(shipped.closed);
        self
    }
}

/// Why a toolset was not defined, or an alias not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolsetRefused {
    /// The name can not be written in a selection: it is empty, or has blanks, commas or control characters.
    Malformed(String),
    /// The name means everything (`all`, `*`), or belongs to an MCP server (`mcp-…`).
    Reserved(String),
    /// The alias is the name of a toolset that is defined.
    Defined(String),
    /// The alias would, by way of other aliases, stand for itself.
    Circular(String),
}

impl fmt::Display for ToolsetRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &str| crate::escaped(std::path::Path::new(name)).to_string();
        match self {
            ToolsetRefused::Malformed(name) => {
                write!(f, "`{}` is no name for a toolset: it is empty, or has blanks or commas", shown(name))
            }
            ToolsetRefused::Reserved(name) if name.starts_with("mcp-") => {
                write!(f, "the toolset `{}` belongs to an MCP server", shown(name))
            }
            ToolsetRefused::Reserved(name) => write!(f, "`{}` means every toolset", shown(name)),
            ToolsetRefused::Defined(name) => {
                write!(f, "`{}` is a toolset, and can not be an alias of another", shown(name))
            }
            ToolsetRefused::Circular(name) => write!(f, "the alias `{}` would stand for itself", shown(name)),
        }
    }
}

impl std::error::Error for ToolsetRefused {}

/// All definitions and aliases.
#[derive(Clone, Debug)]
pub(crate) struct Toolsets {
    defined: BTreeMap<String, Toolset>,
    aliases: BTreeMap<String, Arc<str>>,
}

impl Default for Toolsets {
    fn default() -> Self {
        Toolsets { defined: shipped::all(), aliases: BTreeMap::new() }
    }
}

/// Whether the name stands for everything.
pub(crate) fn is_everything(name: &str) -> bool {
    matches!(name, "all" | "*")
}

impl Toolsets {
    pub(crate) fn define(&mut self, name: &str, toolset: Toolset) -> Result<(), ToolsetRefused> {
        check_name(name)?;
        if name.starts_with("mcp-") {
            return Err(ToolsetRefused::Reserved(name.to_owned()));
        }
        let toolset = match shipped::all().get(name) {
            Some(shipped) => toolset.beside(shipped),
            None => toolset,
        };
        if let Some(target) = self.aliases.remove(name) {
            log::warn!("toolset `{name}` is defined now; as an alias it stood for `{target}`");
        }
        self.defined.insert(name.to_owned(), toolset);
        Ok(())
    }

    /// Lets `alias` stand for `toolset`. What it stood for before.
    pub(crate) fn alias(&mut self, alias: &str, toolset: &str) -> Result<Option<Arc<str>>, ToolsetRefused> {
        check_name(alias)?;
        check_name(toolset)?;
        if alias.starts_with("mcp-") {
            return Err(ToolsetRefused::Reserved(alias.to_owned()));
        }
        if self.defined.contains_key(alias) {
            return Err(ToolsetRefused::Defined(alias.to_owned()));
        }
        let mut target = toolset;
        // No chain is longer than there are aliases, as none is circular.
        loop {
            if target == alias {
                return Err(ToolsetRefused::Circular(alias.to_owned()));
            }
            match self.aliases.get(target) {
                Some(next) => target = next,
                None => break,
            }
        }
        let before = self.aliases.insert(alias.to_owned(), toolset.into());
        if let Some(before) = before.as_ref().filter(|before| &***before != toolset) {
            log::warn!("toolset alias `{alias}` stood for `{before}` and stands for `{toolset}` now");
        }
        Ok(before)
    }

    /// Takes out the aliases of a toolset that has no tools any more. Whether there were any.
    pub(crate) fn drop_aliases_of(&mut self, toolset: &str) -> bool {
        let before = self.aliases.len();
        self.aliases.retain(|_, target| **target != *toolset);
        self.aliases.len() != before
    }

    pub(crate) fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    pub(crate) fn defined(&self) -> impl Iterator<Item = (&str, &Toolset)> {
        self.defined.iter().map(|(name, toolset)| (name.as_str(), toolset))
    }

    pub(crate) fn definition(&self, name: &str) -> Option<&Toolset> {
        self.defined.get(name)
    }

    pub(crate) fn aliases(&self) -> impl Iterator<Item = (&str, &str)> {
        self.aliases.iter().map(|(alias, target)| (alias.as_str(), &**target))
    }

    pub(crate) fn target(&self, alias: &str) -> Option<&str> {
        self.aliases.get(alias).map(|target| &**target)
    }
}

fn check_name(name: &str) -> Result<(), ToolsetRefused> {
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c.is_control() || c == ',') {
        return Err(ToolsetRefused::Malformed(name.to_owned()));
    }
    if is_everything(name) {
        return Err(ToolsetRefused::Reserved(name.to_owned()));
    }
    Ok(())
}
