//! Progress bars, on a terminal only.

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar that is shown, if one is: what else is written to the terminal must know of it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// What is done sooner needs no bar, which would only flash.
const PATIENCE: Duration = Duration::from_millis(200);

/// A bar that shows itself if standard error is a terminal, and not before it is needed. Cleared when dropped.
pub(crate) struct Bar {
    doing: &'static str,
    began: Instant,
    bar: Option<ProgressBar>,
}

impl Bar {
    /// `doing` says what is done to the things: "loading".
    pub(crate) fn new(doing: &'static str) -> Self {
        Bar { doing, began: Instant::now(), bar: None }
    }

    /// A file is under way.
    pub(crate) fn at(&mut self, done: usize, total: usize, path: &Path) {
        if self.began.elapsed() < PATIENCE || !io::stderr().is_terminal() {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| show(self.doing));
        bar.set_length(total as u64);
        let name = Path::new(path.file_name().unwrap_or_default());
        bar.set_message(toolrack::escaped(name).to_string());
        bar.set_position(done as u64);
    }
}

fn show(doing: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(doing);
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar.clone());
    bar
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            SHOWN.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
    }
}

/// Standard error, which takes the bar away while something is written.
pub(crate) struct BesideBar;

impl Write for BesideBar {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let bar = SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let write = || io::stderr().write_all(text).map(|()| text.len());
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
