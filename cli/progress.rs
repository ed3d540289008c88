//! Progress bars, on a terminal only.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use toolrack::Progress;

/// A bar that shows itself if standard error is a terminal. Cleared when dropped.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// `doing` says what is done to the things: "loading".
    pub(crate) fn new(doing: &'static str) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_prefix(doing);
        Bar(bar)
    }

    /// A file is under way.
    pub(crate) fn at(&self, progress: Progress<'_>) {
        self.0.set_length(progress.total as u64);
        self.0.set_position(progress.done as u64);
        self.0.set_message(progress.path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
