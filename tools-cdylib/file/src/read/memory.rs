//! What each task has been shown, so that reading it again costs a line and not a page.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use super::Page;

/// Pages remembered over all tasks. The oldest are forgotten, and then simply shown again.
const MOST_PAGES: usize = 1_000;

/// The pages shown so far. One value serves a registration of the plugin, for all its sessions.
#[derive(Default)]
pub(crate) struct Memory {
    shown: Mutex<VecDeque<(Place, u64)>>,
    hasher: RandomState,
}

/// Who was shown what part of which file.
#[derive(PartialEq, Eq)]
struct Place {
    session: String,
    task: String,
    file: PathBuf,
    offset: u64,
    limit: u64,
}

impl Memory {
    /// The text of the page, or a short note if this task has already been shown the very same.
    ///
    /// The text itself is compared (by its hash), not the file's time and size: those miss a change within one
    /// tick of the clock, and report one where only other lines changed.
    pub(crate) fn answer(&self, session: &str, task: &str, page: Page) -> String {
        let Page { file, shown, offset, limit, text } = page;
        if session.is_empty() && task.is_empty() {
            return text; // a call by hand, or by a host without conversations: nobody remembers the first answer
        }
        let place = Place { session: session.into(), task: task.into(), file, offset, limit };
        let print = self.hasher.hash_one(&text);
        let mut pages = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let before = pages.iter().position(|(other, _)| *other == place).and_then(|at| pages.remove(at));
        if before.is_none() && pages.len() == MOST_PAGES {
            pages.pop_front();
        }
        let unchanged = before.is_some_and(|(_, earlier)| earlier == print);
        pages.push_back((place, print));
        if unchanged {
            let summary = text.lines().last().unwrap_or_default();
            return format!(
                "unchanged: `{shown}` from line {offset} reads as it did earlier in this task {summary}\n\
                 (ask for another `offset` or `limit` to be shown it again)"
            );
        }
        text
    }

    /// Forgets what a session was shown.
    pub(crate) fn forget(&self, session: &str) {
        let mut pages = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|(place, _)| place.session != session);
    }
}
