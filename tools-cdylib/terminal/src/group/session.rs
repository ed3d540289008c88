//! Who belongs to a session, from `/proc`.
//!
//! The process group is not enough: `timeout`, and every shell with job control, puts its children into groups of
//! their own. Only a process that calls `setsid` leaves the session too.

use std::collections::HashSet;

use rustix::process::Pid;

/// The process groups in which processes of a session run; nothing if `/proc` cannot be read. Zombies do not count.
pub(super) fn groups(session: Pid) -> Option<HashSet<Pid>> {
    let mut groups = HashSet::new();
    for entry in std::fs::read_dir("/proc").ok()?.filter_map(Result::ok) {
        if !entry.file_name().as_encoded_bytes().first().is_some_and(u8::is_ascii_digit) {
            continue;
        }
        // A process may end while we look; its name may be any bytes.
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { continue };
        if let Some((group, of)) = living(&String::from_utf8_lossy(&stat))
            && of == session
        {
            groups.insert(group);
        }
    }
    Some(groups)
}

/// Group and session in a line of `/proc/PID/stat`, unless the process is dead.
fn living(stat: &str) -> Option<(Pid, Pid)> {
    let (_, fields) = stat.rsplit_once(')')?; // the name before it may have spaces and parentheses
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let mut number = || fields.next()?.parse().ok();
    let (_parent, group, session): (i32, i32, i32) = (number()?, number()?, number()?);
    if matches!(state, "Z" | "X" | "x") {
        return None;
    }
    Some((Pid::from_raw(group)?, Pid::from_raw(session)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_numbers() {
        let stat = "12 (a) Z 1 (b) S 3 44 55 0 -1 ";
        assert_eq!(living(stat), Pid::from_raw(44).zip(Pid::from_raw(55)));
    }

    #[test]
    fn the_dead_do_not_count() {
        assert_eq!(living("12 (sh) Z 3 44 55 0"), None);
        assert_eq!(living("garbage"), None);
    }
}
