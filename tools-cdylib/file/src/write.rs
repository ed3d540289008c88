//! `write_file`: replaces a whole file, or makes it.

mod draft;

use std::io::{self, Write as _};
use std::path::Path;

use cap_std::fs::{Dir, Metadata, OpenOptions};

use self::draft::{Draft, Readers};
use crate::error::{FileError, Kind, reason};
use crate::text::count;
use crate::workspace::{Access, Located, Workspace};

/// Writes `content` as it is, as UTF-8, and says what happened.
///
/// The text goes into a new file beside the old one, to the disk, and then takes the old one's name in one
/// step: whoever reads meanwhile, and whoever looks after a crash, sees the old text or the new, whole. Mode
/// and owner are kept; what a new file cannot inherit is lost: extended attributes and access control lists.
/// Of several hard links only this name gets the new text. A link is written through, to the file it names.
///
/// # Errors
/// The path is outside the root, a folder or something special; the file or its folder may not be written;
/// the storage is full. The old file is then as it was.
pub(crate) fn write_file(workspace: &Workspace, path: &str, content: &str) -> Result<String, FileError> {
    let target = workspace.locate(path, Access::Write)?;
    if path.ends_with(std::path::is_separator) || target.relative == Path::new(".") {
        return Err(FileError::new(Kind::NotAFile, format!("`{path}` names a folder, not a file")));
    }
    let previous = replaceable(&target)?;
    let folder = make_parent(&target)?;
    let mut remarks = Vec::new();

    let failed = |error: io::Error| FileError::io("write", &target.shown, &error);
    let readers = if previous.is_some() { Readers::Owner } else { Readers::AsUsual };
    let mut draft = Draft::create(&folder, readers).map_err(|error| no_draft(&target, &error))?;
    draft.write_all(content.as_bytes()).map_err(failed)?;
    if let Some(previous) = &previous {
        let same_owner = draft.take_over(previous).map_err(failed)?;
        remarks.extend((!same_owner).then(|| "its owner could not be kept".to_owned()));
        remarks.extend(hard_links(previous));
    }
    let name = target.relative.file_name().unwrap_or_default();
    draft.publish(Path::new(name)).map_err(failed)?;

    let done = if previous.is_some() { "replaced" } else { "created" };
    let (bytes, lines) = (content.len() as u64, content.lines().count() as u64);
    let mut answer = format!("{done} `{}`: {}, {}", target.shown, count(bytes, "byte"), count(lines, "line"));
    for remark in remarks {
        answer += &format!("; {remark}");
    }
    Ok(answer)
}

/// The file that stands there now, if any. Refuses what must not be replaced: a folder, a device, a file
/// that its mode protects from being written (renaming over it would only need the folder's permission).
fn replaceable(target: &Located<'_>) -> Result<Option<Metadata>, FileError> {
    let failed = |error: io::Error| FileError::io("write", &target.shown, &error);
    let previous = match target.dir().metadata(&target.relative) {
        Ok(previous) => previous,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    target.expect_regular(&previous)?;
    match target.dir().open_with(&target.relative, OpenOptions::new().write(true)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(failed(error)),
        // Any other failure is not about permission; a program that runs, say, can be replaced all the same.
        _ => Ok(Some(previous)),
    }
}

/// Makes the folders that are missing and opens the last one.
fn make_parent(target: &Located<'_>) -> Result<Dir, FileError> {
    let parent = match target.relative.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let failed = |error: io::Error| FileError::io("make the folder of", &target.shown, &error);
    if parent != Path::new(".") {
        target.dir().create_dir_all(parent).map_err(failed)?;
    }
    target.dir().open_dir(parent).map_err(failed)
}

fn no_draft(target: &Located<'_>, error: &io::Error) -> FileError {
    let mut failure = FileError::io("write", &target.shown, error);
    if failure.kind == Kind::PermissionDenied {
        failure.message =
            format!("cannot write `{}`: no file can be made in its folder: {}", target.shown, reason(error));
    }
    failure
}

fn hard_links(previous: &Metadata) -> Option<String> {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        let others = previous.nlink().saturating_sub(1);
        (others > 0).then(|| format!("{} to it still have the old text", count(others, "other hard link")))
    }
    #[cfg(not(unix))]
    {
        let _ = previous;
        None
    }
}
