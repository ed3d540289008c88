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

/// The same on Windows, where a library asks for the standard handle when it prints.
#[cfg(windows)]
#[expect(unsafe_code, reason = "the standard library can not set a standard handle")]
pub(crate) fn put_aside() -> io::Result<File> {
    use std::os::windows::io::{AsHandle as _, AsRawHandle as _};
    use windows_sys::Win32::System::Console::{STD_OUTPUT_HANDLE, SetStdHandle};

    let real = io::stdout().as_handle().try_clone_to_owned()?;
    // SAFETY: the handle is this process's standard error, which stays open as long as the process.
    if unsafe { SetStdHandle(STD_OUTPUT_HANDLE, io::stderr().as_raw_handle()) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(real))
}
