use std::process::Command;

use super::ran::{Ran, run, toolrack};
use crate::support::{Home, fixture, need};

/// Runs a line of shell on a terminal of its own, where `toolrack` is the program.
fn on_terminal(home: &Home, line: &str) -> Option<Ran> {
    if !need("script", "it is part of util-linux or bsdutils") {
        return None;
    }
    let usual = home.toolrack();
    let mut command = Command::new("script");
    let line = format!("toolrack() {{ \"$TOOLRACK\" \"$@\"; }}; stty rows 24 cols 80; {line}");
    command.args(["-qec", &format!("sh -c '{line}'"), "/dev/null"]);
    command.current_dir(home.path()).env("TOOLRACK", env!("CARGO_BIN_EXE_toolrack")).env("TERM", "xterm");
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Some(run(&mut command))
}

fn home() -> Home {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    std::fs::write(home.tools().join("text.so"), "hello").unwrap();
    home
}

#[test]
fn the_log_has_colours_on_a_terminal_alone() {
    let home = home();
    let Some(ran) = on_terminal(&home, "toolrack list") else { return };
    assert!(ran.stdout.contains("\x1b[33mwarning\x1b[0m: skipped T2001"), "{ran:#?}");
    let piped = toolrack(&home, ["list"]).ended(1).says(["warning: skipped T2001"]);
    assert!(!piped.stderr.contains('\x1b') && !piped.stdout.contains('\x1b'), "{piped:#?}");
}

#[test]
fn whoever_wants_no_colour_gets_none() {
    let home = home();
    for line in ["NO_COLOR=1 toolrack list", "TERM=dumb toolrack list"] {
        let Some(ran) = on_terminal(&home, line) else { return };
        assert!(ran.stdout.contains("warning: skipped T2001"), "{ran:#?}");
        assert!(!ran.stdout.contains("\x1b["), "{line}: {ran:#?}");
    }
}

#[test]
fn a_table_fits_the_terminal() {
    let home = home();
    let Some(ran) = on_terminal(&home, "stty cols 40; toolrack list 2>/dev/null") else { return };
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 40), "{lines:#?}");
    // A cell that goes on in the next line goes on below itself.
    let column = lines[0].find("SOURCE").unwrap();
    assert!(lines.iter().any(|line| line.starts_with(&" ".repeat(column))), "{lines:#?}");
}

#[test]
fn a_document_is_laid_out_for_eyes_on_a_terminal_and_on_one_line_elsewhere() {
    let home = Home::new();
    let Some(ran) = on_terminal(&home, "toolrack list --json") else { return };
    assert!(ran.stdout.lines().count() > 1, "{ran:#?}");
    assert_eq!(toolrack(&home, ["list", "--json"]).ended(0).stdout.lines().count(), 1);
}

#[test]
fn progress_is_shown_on_a_terminal_and_never_in_a_pipe() {
    let home = Home::new();
    // Enough that it takes longer than nobody would wait.
    let bytes = std::fs::read(fixture("well_behaved")).unwrap();
    for copy in 0..40 {
        let mut bytes = bytes.clone();
        bytes.extend([copy; 16]);
        std::fs::write(home.tools().join(format!("lib{copy}.so")), bytes).unwrap();
    }
    let Some(ran) = on_terminal(&home, "RUST_LOG=off toolrack list | cat") else { return };
    assert!(ran.stdout.contains("loading ["), "{ran:#?}");
    let piped = run(home.toolrack().env("RUST_LOG", "off").arg("list")).ended(1).quietly();
    assert!(!piped.stdout.contains("loading ["), "{piped:#?}");
}
