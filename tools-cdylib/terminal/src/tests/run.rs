//! Real commands in the shell of the machine.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::group::Stdout;
use crate::run::{Ending, Job, Outcome, run};
use crate::shell::{Scratch, Shell};

/// Far longer than anything here takes on a busy machine.
const LONG: Duration = Duration::from_secs(120);
const SHORT: Duration = Duration::from_millis(200);

struct Terminal {
    shell: Shell,
    dir: tempfile::TempDir,
    timeout: Duration,
    drain: Duration,
    grace: Duration,
    stdout: Stdout,
    scratch: Scratch,
}

impl Terminal {
    fn new() -> Self {
        Terminal {
            shell: Shell::find(None).unwrap(),
            dir: tempfile::tempdir().unwrap(),
            timeout: LONG,
            drain: SHORT,
            grace: SHORT,
            stdout: Stdout::Pipe,
            scratch: Scratch::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        dunce::canonicalize(self.dir.path()).unwrap().join(name)
    }

    fn run(&self, command: &str) -> Outcome {
        self.run_until(command, &|| false)
    }

    fn run_until(&self, command: &str, cancelled: &dyn Fn() -> bool) -> Outcome {
        let path = std::env::var_os("PATH").unwrap();
        let job = Job {
            program: self.shell.program(),
            arguments: self.shell.arguments(command, &self.scratch).unwrap(),
            dir: self.dir.path(),
            environment: BTreeMap::from([("PATH".into(), path), ("DIR".into(), self.path("").into())]),
            stdout: self.stdout,
            timeout: self.timeout,
            drain: self.drain,
            grace: self.grace,
            limit: 50_000,
        };
        run(job, cancelled).unwrap()
    }
}

#[track_caller]
fn exited(outcome: &Outcome, code: i32) {
    let Ending::Exited(Some(status)) = outcome.ending else { panic!("{outcome:?}") };
    assert_eq!(status.code(), Some(code), "{outcome:?}");
}

/// Is the process there, and not just waiting to be reaped?
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn words(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn both_streams_come_out_in_the_order_in_which_they_were_written() {
    let outcome = Terminal::new().run("echo one; echo two >&2; echo three");
    assert_eq!(outcome.printed.text, "one\ntwo\nthree\n");
    exited(&outcome, 0);
    assert!(!outcome.left_behind);
}

#[test]
fn exit_codes_and_signals_are_the_commands_own() {
    let terminal = Terminal::new();
    exited(&terminal.run("exit 7"), 7);
    exited(&terminal.run("no-such-program-here"), 127);
    exited(&terminal.run("sh -c 'kill -SEGV $$'; exit $?"), 139);
    let Ending::Exited(Some(status)) = terminal.run("kill -KILL $$").ending else { panic!() };
    assert_eq!(status.signal(), Some(9));
}

#[test]
fn standard_input_is_closed() {
    let outcome = Terminal::new().run("cat; read -r line || echo nothing");
    assert_eq!(outcome.printed.text, "nothing\n");
}

#[test]
fn there_is_no_terminal_to_ask_for_a_password() {
    let outcome = Terminal::new().run("(echo question >/dev/tty) 2>/dev/null || echo none");
    assert_eq!(outcome.printed.text, "none\n");
}

#[test]
fn the_environment_is_what_was_given_and_nothing_else() {
    let outcome =
        Terminal::new().run("env | grep -v -e ^PWD= -e ^SHLVL= -e ^_= -e ^OLDPWD= | cut -d= -f1 | sort");
    assert_eq!(outcome.printed.text, "DIR\nPATH\n");
}

#[test]
fn a_flood_of_output_keeps_its_head_and_its_tail() {
    let outcome = Terminal::new().run("echo first; yes flood | head -c 60000000; echo last");
    let printed = outcome.printed;
    assert!(printed.text.starts_with("first\nflood\n") && printed.text.ends_with("flood\nlast\n"));
    assert!(printed.text.chars().count() <= 50_000);
    assert_eq!(printed.omitted + unmarked_chars(&printed.text), 60_000_000 + 6 + 5);
}

fn unmarked_chars(text: &str) -> u64 {
    let (head, tail) = text.split_once("\n[… ").unwrap();
    let (_, tail) = tail.split_once(" …]\n").unwrap();
    (head.chars().count() + tail.chars().count()) as u64
}

#[test]
fn binary_output_is_text_and_said_to_be_none() {
    let printed = Terminal::new().run("printf 'a\\377b\\033[31mc'").printed;
    assert_eq!((printed.text.as_str(), printed.not_utf8), ("a\u{fffd}bc", true));
}

#[test]
fn where_the_command_ended_is_told_also_after_exit_and_by_every_shell() {
    for shell in [Shell::find(None).unwrap(), Shell::find(Some("/bin/sh")).unwrap()] {
        for (command, code) in [
            ("mkdir -p sub && cd sub", 0),
            ("cd sub; exit 3", 3),
            ("set -eu; cd sub; false", 1),
            ("set -C; cd sub", 0),
            ("cd sub; no-such-program-here 2>/dev/null", 127),
        ] {
            let terminal = Terminal { shell: shell.clone(), ..Terminal::new() };
            std::fs::create_dir(terminal.path("sub")).unwrap();
            let outcome = terminal.run(command);
            exited(&outcome, code);
            assert_eq!(outcome.printed.text, "", "{command}");
            assert_eq!(terminal.scratch.ended_in(), Some(terminal.path("sub")), "{command}");
        }
    }
}

#[test]
fn a_command_with_a_trap_of_its_own_keeps_it() {
    let terminal = Terminal::new();
    let outcome = terminal.run("trap 'echo bye' EXIT; cd /; exit 5");
    exited(&outcome, 5);
    assert_eq!(outcome.printed.text, "bye\n");
    assert_eq!(terminal.scratch.ended_in(), None);
}

#[test]
fn a_traced_command_does_not_show_how_its_end_is_told() {
    let outcome = Terminal::new().run("set -x; echo hi");
    assert_eq!(outcome.printed.text, "+ echo hi\nhi\n");
}

#[test]
fn a_folder_with_any_name_is_told() {
    let terminal = Terminal::new();
    let odd = "it's \"odd\" $x\n`y`";
    std::fs::create_dir(terminal.path(odd)).unwrap();
    terminal.run("cd it*");
    assert_eq!(terminal.scratch.ended_in(), Some(terminal.path(odd)));
}

#[test]
fn a_command_in_a_subshell_ends_where_it_began() {
    let terminal = Terminal::new();
    terminal.run("(cd / && exit 0)");
    assert_eq!(terminal.scratch.ended_in(), Some(dunce::canonicalize(terminal.dir.path()).unwrap()));
}

#[test]
fn a_fault_in_the_command_is_told_with_its_own_line() {
    let outcome = Terminal::new().run("echo one\nif then");
    exited(&outcome, 2);
    assert!(outcome.printed.text.contains("line 2") || outcome.printed.text.contains(": 2:"), "{outcome:?}");
}

#[test]
fn a_command_longer_than_an_argument_may_be_runs() {
    let outcome = Terminal::new().run(&format!("cat <<'END' | wc -c\n{}\nEND", "x".repeat(300_000)));
    assert_eq!(outcome.printed.text.trim(), "300001");
}

#[test]
fn a_whole_tree_of_processes_that_ignore_sigterm_is_gone() {
    let terminal = Terminal::new();
    let pids = terminal.path("pids");
    let begun = || std::fs::read_to_string(&pids).is_ok_and(|pids| pids.lines().count() == 5);
    // A tree of three generations; one in a process group of its own, as `timeout` makes one.
    let outcome = terminal.run_until(
        r#"echo begun
        sh -c 'trap "" TERM; echo $$ >>"$DIR/pids"
            sh -c "trap \"\" TERM; echo \$\$ >>\"$DIR/pids\"; sleep 1000 & echo \$! >>\"$DIR/pids\"; while :; do sleep 1000; done" &
            while :; do sleep 1000; done' &
        timeout 1000 sh -c 'trap "" TERM; echo $$ >>"$DIR/pids"; while :; do sleep 1000; done' >/dev/null 2>&1 &
        echo $$ >>"$DIR/pids"
        trap "" TERM
        while :; do sleep 1000; done"#,
        &begun,
    );
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert_eq!(outcome.printed.text, "begun\n");
    let pids = words(&pids);
    assert!(pids.iter().all(|pid| !runs(pid)), "{pids:?}");
}

#[test]
fn at_the_deadline_processes_may_tidy_up_and_their_last_words_are_heard() {
    let mut terminal = Terminal::new();
    (terminal.timeout, terminal.grace) = (Duration::from_secs(2), LONG);
    let outcome = terminal.run("trap 'echo tidied; exit 0' TERM; echo begun; while :; do sleep 0.01; done");
    assert_eq!(outcome.ending, Ending::TimedOut);
    // The shell may say between them that its `sleep` was terminated.
    assert!(
        outcome.printed.text.starts_with("begun\n") && outcome.printed.text.ends_with("tidied\n"),
        "{outcome:?}"
    );
}

#[test]
fn a_cancelled_call_ends_its_command() {
    let terminal = Terminal::new();
    let marked = terminal.path("pid");
    let outcome =
        terminal.run_until("echo $$ >pid.new; mv pid.new pid; exec sleep 1000", &|| marked.exists());
    assert_eq!(outcome.ending, Ending::Cancelled);
    assert!(!runs(&words(&marked)[0]));
}

#[test]
fn a_process_left_in_the_background_does_not_hold_the_call_and_is_ended() {
    for command in
        ["sleep 1000 & echo $! >pid; echo done", "sleep 1000 >/dev/null 2>&1 & echo $! >pid; echo done"]
    {
        let terminal = Terminal::new();
        let outcome = terminal.run(command);
        exited(&outcome, 0);
        assert_eq!(outcome.printed.text, "done\n");
        assert!(outcome.left_behind);
        assert!(!runs(&words(&terminal.path("pid"))[0]));
    }
}

#[test]
fn what_a_background_process_prints_just_after_the_shell_is_heard() {
    let mut terminal = Terminal::new();
    terminal.drain = LONG;
    let outcome = terminal.run("(sleep 0.1; echo late) & echo early");
    assert_eq!(outcome.printed.text, "early\nlate\n");
    assert!(!outcome.left_behind);
}

#[test]
fn a_process_with_a_session_of_its_own_outlives_the_call_without_holding_it() {
    let terminal = Terminal::new();
    let outcome = terminal.run("setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 1000' & while [ ! -e pid ]; do sleep 0.01; done");
    exited(&outcome, 0);
    let pid = words(&terminal.path("pid")).remove(0);
    assert!(runs(&pid));
    std::process::Command::new("kill").args(["-KILL", &pid]).status().unwrap();
}

#[test]
fn a_command_that_closes_its_output_is_still_waited_for() {
    let terminal = Terminal::new();
    let outcome = terminal.run("exec >&- 2>&-; sleep 0.1; touch finished; exit 4");
    exited(&outcome, 4);
    assert!(terminal.path("finished").exists());
}

#[test]
fn nothing_of_a_call_stays_behind_in_the_host() {
    let terminal = Terminal::new();
    terminal.run("echo warm");
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let asked = Cell::new(0);
    let before = descriptors();
    for _ in 0..20 {
        terminal.run_until("echo x", &|| {
            asked.set(asked.get() + 1);
            false
        });
    }
    // Other tests open some too; twenty runs that leak would leave sixty and more.
    let until = Instant::now() + LONG;
    while descriptors() > before + 40 && Instant::now() < until {
        std::thread::yield_now();
    }
    assert!(descriptors() <= before + 40);
}

#[test]
fn a_terminal_is_seen_as_one_and_its_colours_are_gone() {
    let mut terminal = Terminal::new();
    terminal.stdout = Stdout::Terminal;
    let outcome = terminal.run(
        "test -t 1 && test -t 2 && echo tty; stty size <&1; printf '\\033[1mbold\\033[0m\\n'; cat; exit 3",
    );
    assert_eq!(outcome.printed.text, "tty\n40 120\nbold\n");
    exited(&outcome, 3);
}

#[test]
fn a_terminal_whose_command_hangs_is_ended_at_the_deadline() {
    let mut terminal = Terminal::new();
    terminal.stdout = Stdout::Terminal;
    terminal.timeout = Duration::from_secs(2);
    let outcome =
        terminal.run("echo $$ >pid; echo begun; trap '' TERM HUP; read -r answer </dev/tty; sleep 1000");
    assert_eq!((outcome.ending, outcome.printed.text.as_str()), (Ending::TimedOut, "begun\n"));
    assert!(!runs(&words(&terminal.path("pid"))[0]));
}
