//! What an exit code says.

mod program;

use program::{Last, last_program};

/// Explains an exit code of `command`, or says nothing: 0 needs no words, and of most codes only the program knows.
pub(crate) fn meaning(command: &str, code: i32) -> Option<String> {
    if code == 0 {
        return None;
    }
    if let Some(last) = last_program(command)
        && let Some(text) = of_program(&last.name, code)
    {
        return Some(hedged(&last, text));
    }
    match code {
        126 => Some("found, but it could not be executed: not executable, or a directory".to_owned()),
        127 => Some("command not found".to_owned()),
        129..=192 => signal(code - 128),
        _ => None,
    }
}

/// Only when nothing before the last program could have ended the command is the code surely its own.
fn hedged(last: &Last, text: &str) -> String {
    match last.sure {
        true => format!("`{}`: {text}", last.name),
        false => format!("if it is `{}` that ended so: {text}", last.name),
    }
}

/// Codes that are no failure although they are not 0, and failures that programs tell by number alone.
fn of_program(name: &str, code: i32) -> Option<&'static str> {
    Some(match (name, code) {
        ("grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "ugrep", 1) => {
            "no line matched, which is no error"
        }
        ("grep" | "egrep" | "fgrep" | "zgrep" | "rg", 2) => {
            "an error, as a file that cannot be read or a bad pattern"
        }
        ("diff" | "colordiff" | "cmp" | "sdiff" | "diff3", 1) => "the inputs differ, which is no error",
        ("diff" | "cmp", 2) => "an error: the inputs could not be compared",
        ("test" | "[" | "[[", 1) => "the condition is false, which is no error",
        ("pgrep" | "pkill" | "pidof", 1) => "no process matched",
        ("which" | "command" | "type", 1) => "not found",
        ("find", 1) => "some of the files could not be examined; the rest of the output is good",
        ("ls", 1) => "some of the files could not be listed; the rest of the output is good",
        ("timeout" | "gtimeout", 124) => "the time it was given was over",
        ("xargs", 123) => "some of the commands it ran failed",
        ("ssh" | "scp" | "sftp", 255) => "the connection failed",
        ("make" | "gmake", 2) => "a target failed",
        ("pytest", 1) => "some tests failed",
        ("pytest", 2) => "interrupted, or tests could not be collected",
        ("pytest", 4) => "wrong usage",
        ("pytest", 5) => "no tests were found",
        ("cargo", 101) => "the build, or what it ran, failed",
        ("curl", 3) => "malformed address",
        ("curl", 6) => "the host's name could not be resolved",
        ("curl", 7) => "the connection failed",
        ("curl", 22) => "the server answered with an error status",
        ("curl", 28) => "its own timeout was over",
        ("curl", 35 | 51 | 60) => "the secure connection failed",
        ("wget", 4) => "a network failure",
        ("wget", 8) => "the server answered with an error",
        _ => return None,
    })
}

#[cfg(unix)]
fn signal(number: i32) -> Option<String> {
    use rustix::process::Signal;
    let known = [
        (Signal::HUP, "SIGHUP", "hung up"),
        (Signal::INT, "SIGINT", "interrupted"),
        (Signal::QUIT, "SIGQUIT", "asked to quit"),
        (Signal::ILL, "SIGILL", "an illegal instruction"),
        (Signal::TRAP, "SIGTRAP", "a breakpoint or trap"),
        (Signal::ABORT, "SIGABRT", "it aborted itself, as on a failed assertion"),
        (Signal::BUS, "SIGBUS", "a bad memory access"),
        (Signal::FPE, "SIGFPE", "an arithmetic error, as a division by zero"),
        (Signal::KILL, "SIGKILL", "killed; by the system if memory ran out"),
        (Signal::SEGV, "SIGSEGV", "a bad memory access"),
        (Signal::PIPE, "SIGPIPE", "its reader had gone, as with `| head`"),
        (Signal::ALARM, "SIGALRM", "its alarm rang"),
        (Signal::TERM, "SIGTERM", "asked to end"),
        (Signal::XCPU, "SIGXCPU", "its limit of processor time was reached"),
        (Signal::XFSZ, "SIGXFSZ", "its limit of file size was reached"),
        (Signal::SYS, "SIGSYS", "a system call that is not allowed"),
    ];
    Some(match known.iter().find(|(signal, ..)| signal.as_raw() == number) {
        Some((_, name, why)) => format!("ended by signal {number} ({name}): {why}"),
        None => format!("ended by signal {number}, if the program did not choose the code itself"),
    })
}

#[cfg(not(unix))]
fn signal(_number: i32) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::meaning;

    #[track_caller]
    fn means(command: &str, code: i32, expected: &str) {
        let meaning = meaning(command, code).unwrap_or_default();
        assert!(meaning.contains(expected), "{command} {code}: {meaning:?}");
    }

    #[test]
    fn codes_that_are_no_failure_are_called_so() {
        means("grep -r needle src", 1, "`grep`: no line matched");
        means("cat x | LC_ALL=C /usr/bin/grep 'a && b'", 1, "`grep`: no line matched");
        means("diff a b", 1, "`diff`: the inputs differ");
        means("sudo -n timeout 5 make", 124, "`timeout`: the time it was given was over");
        means("[ -f x ]", 1, "the condition is false");
    }

    #[test]
    fn what_may_have_ended_elsewhere_is_hedged() {
        means("cd src && grep x y", 1, "if it is `grep` that ended so: no line matched");
        means("set -e; make; grep x y", 1, "if it is `grep`");
    }

    #[test]
    fn the_shells_own_codes_and_signals_are_explained() {
        means("nosuch", 127, "command not found");
        means("./notes.txt", 126, "could not be executed");
        #[cfg(unix)]
        {
            means("./crash", 139, "signal 11 (SIGSEGV)");
            means("./eats-memory", 137, "memory ran out");
            means("./x", 128 + 50, "ended by signal 50");
        }
    }

    #[test]
    fn of_other_codes_nothing_is_claimed() {
        assert_eq!(meaning("grep x y", 0), None);
        assert_eq!(meaning("./own", 1), None);
        assert_eq!(meaning("grep x y; exit 1", 1), None);
        assert_eq!(meaning("echo 'grep", 1), None);
    }
}
