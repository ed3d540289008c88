//! Near names for a path that does not exist.

use std::path::Path;

use cap_std::fs::Dir;

/// Folders with more names than this are looked at only in part.
const MOST_NAMES: usize = 10_000;
const MOST_ANSWERS: usize = 3;
const LEAST_SIMILARITY: f64 = 0.6;

/// Up to three names in `folder` that look like `missing`, the nearest first, as paths in backticks.
pub(crate) fn near_names(dir: &Dir, folder: &Path, missing: &str) -> Vec<String> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = dir.read_dir(place) else { return Vec::new() };
    let missing = missing.to_lowercase();
    let mut near: Vec<(f64, String)> = entries
        .take(MOST_NAMES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|name| (strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &missing), name))
        .filter(|(similarity, _)| *similarity >= LEAST_SIMILARITY)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.truncate(MOST_ANSWERS);
    near.into_iter().map(|(_, name)| format!("`{}`", folder.join(name).display())).collect()
}
