use std::fs;

use super::*;

fn read(text: &str) -> Result<Config, Diagnosis> {
    Config::from_toml(text, Path::new("/etc/toolrack/toolrack.toml"))
}

#[track_caller]
fn fault(text: &str) -> String {
    read(text).expect_err("a fault").to_string()
}

#[test]
fn a_whole_file_is_read_and_paths_are_relative_to_it() {
    let config = read(
        r#"
        tools = ["tools", "/opt/tools", "../shared"]
        [load]
        max_file_mb = 64
        [trust]
        strict_modes = false
        owners = ["deploy", 1001]
        allow = ["*.so"]
        deny = ["bad/*"]
        [store]
        path = "store"
        [plugins.file]
        config = { root = "/srv", depth = 3, ratio = 0.5, on = true, list = [1, "a"], day = 2024-05-01, sub = {} }
        [plugins."a b"]
        enabled = false
        "#,
    )
    .expect("a configuration");
    let tools = config.tools.expect("tools");
    assert_eq!(tools, ["/etc/toolrack/tools", "/opt/tools", "/etc/toolrack/../shared"].map(PathBuf::from));
    assert_eq!(config.load.max_file_bytes(), 64 << 20);
    assert!(!config.trust.strict_modes);
    assert_eq!(config.trust.owners, [Owner::Name("deploy".into()), Owner::Id(1001)]);
    assert_eq!((config.trust.allow, config.trust.deny), (vec!["*.so".into()], vec!["bad/*".into()]));
    assert_eq!(config.store.path.as_deref(), Some(Path::new("/etc/toolrack/store")));
    assert_eq!(
        serde_json::to_string(&config.plugins["file"].config).expect("JSON"),
        r#"{"day":"2024-05-01","depth":3,"list":[1,"a"],"on":true,"ratio":0.5,"root":"/srv","sub":{}}"#
    );
    assert!(config.plugins["file"].enabled && !config.plugins["a b"].enabled);
}

#[test]
fn an_empty_file_is_the_defaults() {
    let config = read("\u{FEFF}# nothing\n").expect("a configuration");
    assert_eq!(config.tools, None);
    assert_eq!((config.trust.strict_modes, config.load.max_file_mb), (true, 1024));
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_the_nearest_known_one() {
    for (text, expected) in [
        ("tool = []", "line 1: unknown key `tool`\n  help: did you mean `tools`?"),
        ("\n[trust]\n\nalow = []", "line 4: unknown key `alow` in `[trust]`\n  help: did you mean `allow`?"),
        (
            "[plugins.x]\nEnabled = 1",
            "line 2: unknown key `Enabled` in `[plugins.x]`\n  help: did you mean `enabled`?",
        ),
        (
            "[plugins.\"x y\"]\nq = 1",
            "unknown key `q` in `[plugins.\"x y\"]`\n  help: known here: `enabled`, `config`",
        ),
        (
            "[dispatch]\ntimeout_s = 1",
            "line 1: unknown key `dispatch`\n  help: known here: `tools`, `plugins`",
        ),
        ("plugins.file.isolation = \"worker\"", "line 1: unknown key `isolation` in `[plugins.file]`"),
    ] {
        let message = fault(text);
        assert!(
            message.starts_with("`/etc/toolrack/toolrack.toml`: ") && message.contains(expected),
            "{message}"
        );
    }
}

#[test]
fn a_wrong_type_names_the_place_and_what_was_expected() {
    for (text, expected) in [
        ("tools = \"tools\"", "line 1: `tools`: expected an array of strings, got the string \"tools\""),
        ("tools = [\n\"a\",\n7]", "line 3: `tools`: expected an array of strings, got the number 7"),
        ("trust = 1", "line 1: `trust`: expected a table, got the number 1"),
        ("[trust]\nstrict_modes = \"no\"", "line 2: `trust.strict_modes`: expected `true` or `false`"),
        (
            "[trust]\nowners = [-1]",
            "`trust.owners`: expected an array of user names or numbers, got the number -1",
        ),
        (
            "[load]\nmax_file_mb = 0",
            "`load.max_file_mb`: expected a whole number of MiB, 1 or more, got the number 0",
        ),
        ("[load]\nmax_file_mb = 1.5", "got the number 1.5"),
        ("[store]\npath = []", "`store.path`: expected a string, got an array"),
        ("[[plugins.x]]", "`plugins.x`: expected a table, got an array"),
        ("plugins.x.config = 3", "`plugins.x.config`: expected a table"),
        ("plugins.x.config.a = inf", "`inf` is no number that a plugin can be told"),
        ("tools = [\"~/tools\"]", "`~` is not expanded in `~/tools`"),
        ("tools = [\"\"]", "an empty path"),
        ("trust.deny = [\"\"]", "an empty pattern"),
    ] {
        let message = fault(text);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn all_faults_are_told_at_once_in_the_order_of_their_lines() {
    let message = fault("tools = 1\n[trust]\nalow = []\n[load]\nmax_file_mb = false");
    assert_eq!(
        message,
        "`/etc/toolrack/toolrack.toml`: line 1: `tools`: expected an array of strings, got the number 1\n  \
         caused by: also line 3: unknown key `alow` in `[trust]` (did you mean `allow`?)\n    \
         line 5: `load.max_file_mb`: expected a whole number of MiB, 1 or more, got `false`"
    );
}

#[test]
fn a_text_that_is_not_toml_names_the_line() {
    for (text, line) in
        [("a = 1\nb = ", "line 2: "), ("[load]\n[trust]\n[load]", "line 3: "), ("a = \"\n", "line 1: ")]
    {
        let message = fault(text);
        assert!(message.contains(line), "{message}");
    }
    let deep = format!("plugins.x.config.a = {}", "[".repeat(100_000));
    fault(&deep);
}

#[test]
fn a_file_that_cannot_be_read_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("toolrack.toml");
    let error = |path: &Path| Config::load(path).expect_err("no configuration").to_string();
    assert!(error(&path).contains("does not exist"));
    assert!(error(folder.path()).contains("is a folder"));
    fs::write(&path, b"tools = [\n\"\xff\"]").expect("a file");
    assert!(error(&path).contains("line 2: not UTF-8"));
    fs::write(&path, "tools = [\"t\"]").expect("a file");
    assert_eq!(Config::load(&path).expect("a configuration").tools, Some(vec![folder.path().join("t")]));
    #[cfg(unix)]
    assert!(error(Path::new("/dev/zero")).contains("larger than"));
}

#[test]
fn a_named_file_must_be_there_and_the_default_one_need_not() {
    let home = tempfile::tempdir().expect("a folder");
    let env = |extra: Option<&'static str>| {
        let home = home.path().to_owned();
        move |name: &str| match name {
            "XDG_CONFIG_HOME" => Some(home.clone().into_os_string()),
            "TOOLRACK_CONFIG" => extra.map(Into::into),
            _ => None,
        }
    };
    assert_eq!(Config::find(None, &env(Some(""))), Ok(Config::default()));
    assert!(Config::find(Some(Path::new("/no/such/file")), &env(None)).is_err());
    let error = Config::find(None, &env(Some("/no/such/file"))).expect_err("no file").to_string();
    assert!(error.contains("`TOOLRACK_CONFIG`"), "{error}");

    let path = home.path().join("toolrack").join("toolrack.toml");
    fs::create_dir(home.path().join("toolrack")).expect("a folder");
    fs::write(&path, "tools = []").expect("a file");
    let found = Config::find(None, &env(None)).expect("a configuration");
    assert_eq!((found.file, found.tools), (Some(path), Some(vec![])));
}

#[cfg(unix)]
#[test]
fn a_default_file_that_may_not_be_looked_at_is_no_absent_one() {
    use std::os::unix::fs::PermissionsExt;

    let test = "config::tests::a_default_file_that_may_not_be_looked_at_is_no_absent_one";
    crate::testing::as_nobody(test, |home| {
        let folder = home.join("toolrack");
        fs::create_dir(&folder).expect("a folder");
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o000)).expect("a mode");
        let env = |name: &str| (name == "XDG_CONFIG_HOME").then(|| home.as_os_str().to_owned());
        let error = Config::find(None, &env).expect_err("hidden").to_string();
        assert!(error.contains("cannot be read"), "{error}");
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).expect("a mode");
    });
}
