use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::ran::{Ran, codes, each, run};
use crate::support::{Home, fixture, need};

/// The user that tests run as when they must not be root.
const NOBODY: u32 = 65534;

/// A home of a user without rights.
struct Restricted {
    home: Home,
    program: PathBuf,
    root: bool,
}

impl Restricted {
    /// Nothing if this is root and can not be anybody else.
    fn new() -> Option<Self> {
        let root = rustix::process::geteuid().is_root();
        if root && !need("setpriv", "it is part of util-linux") {
            return None;
        }
        let home = Home::new();
        // The program itself may stand where that user can not reach it.
        let program = home.path().join("toolrack");
        run(Command::new("cp").arg(env!("CARGO_BIN_EXE_toolrack")).arg(&program)).ended(0);
        for folder in ["cache", "work"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let restricted = Restricted { home, program, root };
        fs::set_permissions(restricted.home.path(), fs::Permissions::from_mode(0o755)).unwrap();
        if root {
            for folder in ["cache", "data", "work"] {
                let owner = format!("{NOBODY}:{NOBODY}");
                run(Command::new("chown").arg("-R").arg(owner).arg(restricted.home.path().join(folder)))
                    .ended(0);
            }
        }
        Some(restricted)
    }

    fn toolrack<const N: usize>(&self, args: [&str; N]) -> Ran {
        let usual = self.home.toolrack();
        let mut command = match self.root {
            true => {
                let mut command = Command::new("setpriv");
                let id = NOBODY.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]).arg(&self.program);
                command
            }
            false => Command::new(&self.program),
        };
        command.current_dir(self.home.path().join("work"));
        for (name, value) in usual.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        run(command.args(args))
    }

    fn cache(&self) -> PathBuf {
        self.home.path().join("cache")
    }
}

fn read_only(folder: &Path) {
    run(Command::new("chmod").args(["-R", "a-w"]).arg(folder)).ended(0);
}

#[test]
fn where_no_store_can_be_made_each_plugin_says_so_and_the_rest_goes_on() {
    let Some(user) = Restricted::new() else { return };
    user.home.drop_in(&fixture("well_behaved"));
    fs::write(user.home.tools().join("text.so"), "hello").unwrap();
    read_only(&user.cache());
    let ran = user.toolrack(["list", "--json"]).ended(1).says(["XDG_CACHE_HOME"]);
    let document = ran.json();
    assert_eq!(codes(&document["rejected"]), ["T6014", "T2001"]);
    assert!(document["rejected"][0]["path"].as_str().unwrap().contains("well_behaved"), "{document:#}");
    assert_eq!(each(&document["tools"], "state"), ["failed"]);
    let answer = user.toolrack(["call", "echo", "{}"]).ended(2).json();
    assert!(answer["error"].as_str().unwrap().contains("T6014"), "{answer}");
    user.toolrack(["probe", user.home.tools().to_str().unwrap()]).ended(1);
    user.toolrack(["inspect", "well_behaved"]).ended(1);
    user.toolrack(["explain", "T6014"]).ended(0);
    assert_eq!(user.toolrack(["definitions", "--for", "mcp"]).ended(0).stdout, "[]\n");
}

#[test]
fn what_is_stored_already_loads_from_a_read_only_store() {
    let Some(user) = Restricted::new() else { return };
    user.home.drop_in(&fixture("well_behaved"));
    user.toolrack(["list"]).ended(0);
    read_only(&user.cache());
    user.toolrack(["call", "echo", r#"{"text":"stored"}"#]).ended(0).quietly();
    user.home.drop_in(&fixture("cli_constructor"));
    let document = user.toolrack(["list", "--json"]).ended(1).json();
    assert_eq!(codes(&document["rejected"]), ["T6014"]);
    assert_eq!(each(&document["tools"], "state"), ["failed", "ready"]);
    // So that the folder can be removed.
    run(Command::new("chmod").args(["-R", "u+w"]).arg(user.cache())).ended(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_store_is_told_and_what_fits_is_loaded() {
    let home = Home::new();
    home.drop_in(&fixture("well_behaved"));
    let script = r#"mount -t tmpfs -o size=256k tmpfs "$XDG_CACHE_HOME" || exit 77; exec "$0" list --json"#;
    fs::create_dir_all(home.path().join("cache")).unwrap();
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_toolrack")]);
    for (name, value) in home.toolrack().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if !need("unshare", "it is part of util-linux") {
        return;
    }
    let ran = run(&mut command);
    if ran.status != Some(1) || ran.stdout.is_empty() {
        // Only root may mount, and not in every container.
        let told = need("a right to mount a file system", "run the tests as root");
        assert!(!told);
        return;
    }
    assert_eq!(codes(&ran.json()["rejected"]), ["T6014"]);
    ran.says(["is full", "free space there"]);
}
