//! Folders that the host lends to plugins.

use std::path::{Path, PathBuf};

use toolrack_abi::abi_stable::std_types::RVec;
use toolrack_abi::{ServiceError, ServiceErrorKind};

/// Where plugins may keep things. Folders are made, readable by nobody else, when a plugin first asks.
#[derive(Clone, Debug)]
pub struct Directories {
    /// Each plugin gets a folder of its own in here.
    pub data: PathBuf,
    /// Results too large to be shown.
    pub spill: PathBuf,
}

impl Directories {
    pub(super) fn data(&self, plugin: &str) -> Result<RVec<u8>, ServiceError> {
        private(&self.data.join(plugin))
    }

    pub(super) fn spill(&self) -> Result<RVec<u8>, ServiceError> {
        private(&self.spill)
    }
}

fn private(path: &Path) -> Result<RVec<u8>, ServiceError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|e| {
        let message = format!("the folder `{}` could not be made: {e}", crate::escaped(path));
        ServiceError::new(ServiceErrorKind::FAILED, message)
    })?;
    path_bytes(path)
}

/// A path for the boundary: its bytes on Unix, UTF-8 elsewhere.
pub(super) fn path_bytes(path: &Path) -> Result<RVec<u8>, ServiceError> {
    #[cfg(unix)]
    let bytes = Some(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()));
    #[cfg(not(unix))]
    let bytes = path.to_str().map(str::as_bytes);
    bytes.map(RVec::from).ok_or_else(|| {
        let message = format!("the path `{}` is not valid Unicode", crate::escaped(path));
        ServiceError::new(ServiceErrorKind::FAILED, message)
    })
}
