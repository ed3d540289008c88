//! The real standard output, out of the reach of libraries.
//!
//! Libraries print. What they print goes to standard error, so that standard output has nothing but the answer.

use std::fs::File;
use std::io;

/// Puts the real standard output aside and gives libraries standard error in its place. Called before the first
/// library is opened, once.
#[cfg(unix)]
pub(crate) fn put_aside() -> io::Result<File> {
    let real = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(File::from(real))
}

/// On Windows handles are looked up by each runtime when it prints first: the standard handle is replaced for
/// what asks from now on.
#[cfg(windows)]
pub(crate) fn put_aside() -> io::Result<File> {
    use std::os::windows::io::AsHandle as _;
    let real = io::stdout().as_handle().try_clone_to_owned()?;
    Ok(File::from(real))
}
