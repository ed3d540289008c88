//! What is added: told by what stands at the path.

use std::path::{Path, PathBuf};

use toolrack::Diagnosis;

/// A package that is built first, or a library.
pub(super) enum Source {
    Package(PathBuf),
    Library(PathBuf),
}

impl Source {
    /// Looks at what stands at the path, and no further.
    pub(super) fn of(path: &Path) -> Result<Self, Diagnosis> {
        let metadata = std::fs::metadata(path).map_err(|e| {
            Diagnosis::uncoded(path, "it can not be added")
                .caused_by(e)
                .help("name a package's folder, or a library")
        })?;
        if path.file_name().is_some_and(|name| name == "Cargo.toml") {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            return Ok(Source::Package(folder.unwrap_or(Path::new(".")).to_owned()));
        }
        if !metadata.is_dir() {
            return Ok(Source::Library(path.to_owned()));
        }
        if path.join("Cargo.toml").is_file() {
            return Ok(Source::Package(path.to_owned()));
        }
        Err(Diagnosis::uncoded(path, "the folder has no Cargo.toml").help(
            "name a plugin's package, or a built library; a folder of libraries is used with `--tools`",
        ))
    }

    /// The package's folder, or the library's file.
    pub(super) fn path(&self) -> &Path {
        match self {
            Source::Package(path) | Source::Library(path) => path,
        }
    }
}
