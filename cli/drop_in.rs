//! Puts a library into a tools folder so that nobody ever sees half of it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolrack::open::Opened;
use toolrack::scan::is_library_name;
use toolrack::{Code, Diagnosis};

const BLOCK: usize = 64 << 10;

/// Longer than the tick of any clock that counts the changes of files; but for FAT's, which is two seconds.
const TICKS: Duration = Duration::from_millis(50);

/// A copy in the folder, under a name that no scan looks at. Removed again unless it is finished.
pub(crate) struct DropIn {
    temporary: PathBuf,
    target: PathBuf,
}

impl DropIn {
    /// Copies an open library into `folder`, which is made if need be.
    ///
    /// # Errors
    /// If its name is no library's, it changed meanwhile (T1006), or the folder does not take it.
    pub(crate) fn copy(library: &Opened, folder: &Path) -> Result<Self, Diagnosis> {
        let name = library.path.file_name().filter(|name| is_library_name(name)).ok_or_else(|| {
            Diagnosis::uncoded(&library.path, "its name is none that a scan looks at")
                .help(format!("give it a name that ends `.{}`", std::env::consts::DLL_EXTENSION))
        })?;
        let refused = |e: io::Error| {
            Diagnosis::uncoded(folder, "the tools folder does not take the library")
                .caused_by(e)
                .help("mend the folder's mode or space, or name another with `--tools`")
        };
        fs::create_dir_all(folder).map_err(refused)?;
        // Not made of the library's name, which may be as long as a name can be.
        let hidden = format!(".toolrack-{}.part", std::process::id());
        let drop_in = DropIn { temporary: folder.join(hidden), target: folder.join(name) };
        let mut file = create(&drop_in.temporary).map_err(refused)?;
        settle(library)?;
        let from = || rewound(&library.file).map(|file| file.take(library.identity.size));
        io::copy(&mut from().map_err(refused)?, &mut file).map_err(refused)?;
        library.unchanged()?;
        // On some file systems that time is too coarse even so; the bytes are not.
        let same = same_bytes(from().map_err(refused)?, rewound(&file).map_err(refused)?).map_err(refused)?;
        if !same || file.metadata().map_err(refused)?.len() != library.identity.size {
            return Err(Diagnosis::new(Code::T1006, &*library.path, "it changed while it was copied")
                .help("add it again when it is written"));
        }
        Ok(drop_in)
    }

    /// The copy, for now.
    pub(crate) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Where it will be.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Gives the copy its name, in one step, in place of what had it.
    ///
    /// # Errors
    /// If the folder does not take it.
    pub(crate) fn finish(self) -> Result<PathBuf, Diagnosis> {
        fs::rename(&self.temporary, &self.target).map_err(|e| {
            Diagnosis::uncoded(&self.target, "the library could not be put in its place").caused_by(e)
        })?;
        Ok(self.target.clone())
    }
}

/// Readable by all, writable by its owner alone, whatever the umask; never through a link that lies there.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    options.open(path)
}

/// Waits until a change would show: the time of a file's last change is counted in ticks, and one that happens in
/// the same tick as the last is not seen.
fn settle(library: &Opened) -> Result<(), Diagnosis> {
    let changed = library.metadata.modified().ok();
    let age = changed.and_then(|changed| changed.elapsed().ok());
    if let Some(rest) = age.and_then(|age| TICKS.checked_sub(age)) {
        std::thread::sleep(rest);
    }
    library.unchanged()
}

fn rewound(mut file: &File) -> io::Result<&File> {
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

fn same_bytes(a: impl io::Read, b: impl io::Read) -> io::Result<bool> {
    let (mut a, mut b) = (BufReader::with_capacity(BLOCK, a), BufReader::with_capacity(BLOCK, b));
    loop {
        let (left, right) = (a.fill_buf()?, b.fill_buf()?);
        let len = left.len().min(right.len());
        if left[..len] != right[..len] {
            return Ok(false);
        }
        if len == 0 {
            return Ok(left.is_empty() && right.is_empty());
        }
        a.consume(len);
        b.consume(len);
    }
}

impl Drop for DropIn {
    fn drop(&mut self) {
        // After `finish` it is gone already.
        let _ = fs::remove_file(&self.temporary);
    }
}
