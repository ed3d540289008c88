//! Who registered a tool.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who registered a tool. Two sources are the same if kind and name are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId {
    /// What kind of source it is.
    pub kind: SourceKind,
    /// The host's name for itself, the plugin's name, or the MCP server's.
    pub name: Arc<str>,
}

/// The kinds of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceKind {
    /// The host itself.
    Builtin,
    /// A dynamic library.
    Plugin,
    /// An MCP server.
    Mcp,
}

impl SourceKind {
    /// The kind as it stands in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            SourceKind::Builtin => "builtin",
            SourceKind::Plugin => "plugin",
            SourceKind::Mcp => "mcp",
        }
    }
}

/// A source with its place among its kind, which decides between claims of equal kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Who it is.
    pub id: SourceId,
    /// Where it stands.
    pub place: Place,
    /// The file it comes from, for a plugin.
    pub path: Option<PathBuf>,
}

/// A place in an order that does not depend on time: folder order for plugins (the folder's index, then the path
/// in it), configuration order for MCP servers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The index of the folder, or of the server in the configuration.
    pub index: usize,
    /// The path inside the folder.
    pub path: PathBuf,
}

impl Source {
    /// The host itself, under the name `name`.
    pub fn builtin(name: &str) -> Self {
        Source {
            id: SourceId { kind: SourceKind::Builtin, name: name.into() },
            place: Place::default(),
            path: None,
        }
    }

    /// The plugin `name` in the file `path` of the folder with the index `folder`.
    pub fn plugin(name: &str, folder: usize, path: &Path) -> Self {
        Source {
            id: SourceId { kind: SourceKind::Plugin, name: name.into() },
            place: Place { index: folder, path: path.to_owned() },
            path: Some(path.to_owned()),
        }
    }

    /// The MCP server `name`, the `index`th of the configuration.
    pub fn mcp(name: &str, index: usize) -> Self {
        Source {
            id: SourceId { kind: SourceKind::Mcp, name: name.into() },
            place: Place { index, path: PathBuf::new() },
            path: None,
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.id.kind, &self.path) {
            (SourceKind::Builtin, _) => write!(f, "the host `{}`", self.id.name),
            (SourceKind::Plugin, Some(path)) => {
                write!(f, "plugin `{}` (`{}`)", self.id.name, crate::escaped(path))
            }
            (SourceKind::Plugin, None) => write!(f, "plugin `{}`", self.id.name),
            (SourceKind::Mcp, _) => write!(f, "MCP server `{}`", self.id.name),
        }
    }
}
