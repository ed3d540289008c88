use super::ran::{assert_keys, run, toolrack};
use crate::support::{Home, fixture};

#[cfg(unix)]
#[test]
fn a_file_may_be_called_anything() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let long = format!("{}.so", "x".repeat(252));
    let names: [(&[u8], &str, bool); 5] = [
        (b"with space.so", "with space.so", true),
        (b"new\nline.so", "new\\nline.so", true),
        (b"red\x1b[31m.so", "red\\u{1b}[31m.so", true),
        (b"not \xff utf-8.so", "not \\xFF utf-8.so", false),
        (long.as_bytes(), &long, true),
    ];
    for (bytes, shown, is_utf8) in names {
        let home = Home::new();
        let source = home.path().join(OsStr::from_bytes(bytes));
        std::fs::copy(fixture("well_behaved"), &source).unwrap();
        let added = run(home.toolrack().args(["add", "--json"]).arg(&source)).ended(0).quietly().json();
        let keys = |keys: &str| if is_utf8 { keys.to_owned() } else { format!("{keys} path_bytes") };
        assert_keys(&added["added"][0], &keys("path plugin version tools"));

        let listed = toolrack(&home, ["list", "--json"]).ended(0).quietly().json();
        let source = &listed["tools"][0]["source"];
        assert_keys(source, &keys("kind name path"));
        assert!(source["path"].as_str().unwrap().ends_with(&format!("/{shown}")), "{source}");
        if !is_utf8 {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(source["path_bytes"].as_str().unwrap().ends_with(&hex), "{source}");
        }
        let probed = toolrack(&home, ["probe", home.tools().to_str().unwrap(), "--json"]).ended(0).json();
        assert_eq!(probed["files"][0]["path_bytes"].is_string(), !is_utf8);
        assert_eq!(toolrack(&home, ["call", "echo", r#"{"text":"here"}"#]).ended(0).stdout, "here\n");
        // By its path, as the shell hands it over.
        let path = home.tools().join(OsStr::from_bytes(bytes));
        let inspected = run(home.toolrack().args(["inspect", "--json"]).arg(path)).ended(0).json();
        assert_eq!(inspected["plugin"], "well_behaved");
    }
}

#[cfg(unix)]
#[test]
fn a_diagnosis_names_such_a_file_too() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let home = Home::new();
    std::fs::write(home.tools().join(OsStr::from_bytes(b"\xfe\n.so")), "hello").unwrap();
    let document = toolrack(&home, ["list", "--json"]).ended(1).says(["\\xFE\\n.so"]).json();
    assert_keys(&document["rejected"][0], "code path path_bytes reason detail help");
    assert!(
        document["rejected"][0]["path_bytes"].as_str().unwrap().ends_with("2ffe0a2e736f"),
        "{document:#}"
    );
}
