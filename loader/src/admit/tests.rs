use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;
use std::process::Command;

use super::*;
use crate::config::Owner;
use crate::testing::{as_nobody, on_tmpfs};

fn file(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, "a library").expect("a file");
    mode(&path, 0o644);
    path
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
}

fn ask_with(trust: &Trust, path: &Path) -> Result<(), Diagnosis> {
    let file = File::open(path).expect("the file");
    Admit::new(trust).expect("a policy").by_path(&FolderChecks::new(), &file, path)
}

fn ask(path: &Path) -> Result<(), Diagnosis> {
    ask_with(&Trust::default(), path)
}

/// The file is refused, and what the help says makes it admitted.
#[track_caller]
fn refused_and_mended(path: &Path) -> String {
    let diagnosis = ask(path).expect_err("unsafe");
    assert_eq!(diagnosis.code, Some(Code::T5001), "{diagnosis}");
    let help = diagnosis.help.clone().expect("a help");
    let command = help.split("run: ").nth(1).expect("a command");
    assert!(Command::new("bash").args(["-c", command]).status().expect("a shell").success(), "{command}");
    assert_eq!(ask(path), Ok(()), "after {command}");
    diagnosis.to_string()
}

#[test]
fn a_file_of_ours_in_a_folder_of_ours_is_admitted() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(ask(&file(folder.path(), "x.so")), Ok(()));
}

#[test]
fn what_others_may_write_is_refused_and_the_help_mends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let deep = folder.path().join("it's a folder").join("deep");
    fs::create_dir_all(&deep).expect("folders");
    let path = file(&deep, "x.so");
    mode(&path, 0o666);
    assert!(refused_and_mended(&path).contains("can be written by everyone (mode 0666)"));
    mode(deep.parent().expect("a folder"), 0o777);
    assert!(refused_and_mended(&path).contains("the folder `"));
    mode(&path, 0o646);
    mode(&deep, 0o757);
    assert!(refused_and_mended(&path).contains("and one more place on the way is unsafe"));
    mode(&deep, 0o1777);
    assert_eq!(ask(&path), Ok(()), "a sticky folder");
    let lax = Trust { strict_modes: false, ..Trust::default() };
    mode(&deep, 0o777);
    assert_eq!(ask_with(&lax, &path), Ok(()), "not asked");
}

#[test]
fn a_link_is_as_safe_as_its_own_folder_and_as_where_it_leads() {
    let folder = tempfile::tempdir().expect("a folder");
    let (links, middle, target) = ("links", "middle", "target");
    for name in [links, middle, target] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    file(&folder.path().join(target), "x.so");
    symlink("../target/x.so", folder.path().join("middle/x.so")).expect("a link");
    symlink(folder.path().join("middle/x.so"), folder.path().join("links/x.so")).expect("a link");
    symlink("links", folder.path().join("alias")).expect("a link");
    for path in ["links/x.so", "alias/x.so", "alias/../links/x.so"] {
        let path = folder.path().join(path);
        assert_eq!(ask(&path), Ok(()));
        for unsafe_one in [links, middle, target] {
            mode(&folder.path().join(unsafe_one), 0o777);
            assert!(refused_and_mended(&path).contains(&format!("{unsafe_one}`")), "{unsafe_one}");
        }
    }
}

#[test]
fn a_stranger_is_refused_until_the_operator_trusts_that_owner() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "x.so");
    if chown(&path, Some(12_345), None).is_err() {
        return crate::testing::skipped("a_stranger_is_refused", "root, who may give a file away", "");
    }
    let message = ask(&path).expect_err("a stranger's").to_string();
    assert!(message.contains("belongs to `12345`, who is not trusted"), "{message}");
    assert!(message.contains("if you trust `12345`, add it to `owners` under `[trust]`"), "{message}");
    let trust = Trust { owners: vec![Owner::Id(12_345)], ..Trust::default() };
    assert_eq!(ask_with(&trust, &path), Ok(()));
    refused_and_mended(&path);

    // A stranger's link in a sticky folder may lead elsewhere tomorrow.
    let sticky = folder.path().join("sticky");
    fs::create_dir(&sticky).expect("a folder");
    mode(&sticky, 0o1777);
    let link = sticky.join("x.so");
    symlink(&path, &link).expect("a link");
    assert_eq!(ask(&link), Ok(()));
    std::os::unix::fs::lchown(&link, Some(12_345), None).expect("another owner");
    assert!(refused_and_mended(&link).contains("the link `"));
}

#[test]
fn a_user_without_rights_trusts_root_and_itself() {
    as_nobody("admit::tests::a_user_without_rights_trusts_root_and_itself", |folder| {
        let path = file(folder, "x.so");
        assert_eq!(ask(&path), Ok(()));
        assert_eq!(ask(Path::new("/etc/passwd")), Ok(()), "root's");
        mode(&path, 0o646);
        refused_and_mended(&path);
    });
}

#[test]
fn an_owner_whom_nobody_knows_is_an_error_of_the_configuration() {
    let trust = Trust { owners: vec![Owner::Name("no-such-user".into())], ..Trust::default() };
    let message = Admit::new(&trust).expect_err("nobody").to_string();
    assert!(message.contains("`trust.owners` names `no-such-user`"), "{message}");
    let trust = Trust { owners: vec![Owner::Name("root".into())], ..Trust::default() };
    Admit::new(&trust).expect("a policy");
}

#[test]
fn a_file_that_was_replaced_after_it_was_opened_is_not_judged_by_its_successor() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "x.so");
    let opened = File::open(&path).expect("the file");
    fs::rename(file(folder.path(), "y.so"), &path).expect("a rename");
    let admit = Admit::new(&Trust::default()).expect("a policy");
    let code = |diagnosis: Diagnosis| diagnosis.code;
    assert_eq!(admit.by_path(&FolderChecks::new(), &opened, &path).map_err(code), Err(Some(Code::T1006)));
    fs::remove_file(&path).expect("no file");
    assert_eq!(admit.by_path(&FolderChecks::new(), &opened, &path).map_err(code), Err(Some(Code::T1006)));
}

#[test]
fn patterns_rule_after_owner_and_mode() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "x.so");
    let trust = |allow: &[&str], deny: &[&str]| {
        let own = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        Trust { allow: own(allow), deny: own(deny), ..Trust::default() }
    };
    assert_eq!(ask_with(&trust(&["x.*"], &[]), &path), Ok(()));
    let code = |trust: &Trust| ask_with(trust, &path).expect_err("refused").code;
    assert_eq!(code(&trust(&["x.*"], &["*.so"])), Some(Code::T5002));
    assert_eq!(code(&trust(&["y.*"], &[])), Some(Code::T5003));
    mode(&path, 0o666);
    assert_eq!(code(&trust(&[], &["*.so"])), Some(Code::T5001));
}

#[test]
fn a_disabled_plugin_is_told_which_setting_disables_it() {
    let text = "[plugins.file]\nenabled = false\n[plugins.web]\n[plugins.\"a b\"]\nenabled = false";
    let config = Config::from_toml(text, Path::new("/c/toolrack.toml")).expect("a configuration");
    let path = Path::new("/t/x.so");
    for name in ["web", "other"] {
        assert_eq!(plugin_enabled(&config, name, path), Ok(()));
    }
    for (name, section) in [("file", "[plugins.file]"), ("a b", "[plugins.\"a b\"]")] {
        let diagnosis = plugin_enabled(&config, name, path).expect_err("disabled");
        assert_eq!(diagnosis.code, Some(Code::T5002));
        assert!(
            diagnosis.to_string().contains(&format!("`enabled = true` under `{section}`")),
            "{diagnosis}"
        );
    }
}

#[test]
fn a_folder_mounted_noexec_admits_nothing() {
    on_tmpfs("admit::tests::a_folder_mounted_noexec_admits_nothing", "noexec,mode=700", |folder| {
        let diagnosis = ask(&file(folder, "x.so")).expect_err("noexec");
        assert_eq!(diagnosis.code, Some(Code::T3007), "{diagnosis}");
    });
}
