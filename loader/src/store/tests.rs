use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::process::Command;
use std::thread;

use super::*;
use crate::config::Trust;
use crate::testing::{as_nobody, on_tmpfs, with_small_files};

struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Bench { folder: tempfile::tempdir().expect("a folder") }
    }

    fn store(&self) -> Store {
        self.store_in_boot("first").expect("a store")
    }

    fn store_in_boot(&self, boot: &str) -> Result<Store, Diagnosis> {
        open(&self.folder.path().join("store"), boot)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> (File, PathBuf) {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("a file");
        (File::open(&path).expect("the file"), path)
    }
}

fn open(path: &Path, boot: &str) -> Result<Store, Diagnosis> {
    Store::open(path, BootId::new(boot), &Admit::new(&Trust::default()).expect("a policy"))
}

fn temps(store: &Store) -> usize {
    fs::read_dir(store.temps()).expect("the folder").count()
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).expect("a file").ino()
}

#[test]
fn a_copy_has_the_bytes_their_hash_and_a_readable_name() {
    let bench = Bench::new();
    let store = bench.store();
    for len in [1, 3, copy_chunk() - 1, copy_chunk(), 3 * copy_chunk() + 7] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 31 % 251) as u8).collect();
        let (file, path) = bench.file("libx.so", &bytes);
        let stored = store.put(&file, &path).expect("a copy");
        assert_eq!(
            (stored.digest, stored.len, stored.novelty),
            (Digest::of(&bytes), len as u64, Novelty::New)
        );
        assert_eq!(fs::read(&stored.path).expect("the copy"), bytes);
        assert!(stored.path.is_absolute() && stored.path.ends_with(format!("{}/libx.so", stored.digest)));
        assert_eq!(fs::metadata(&stored.path).expect("the copy").permissions().mode() & 0o777, 0o500);
        let mut again = Vec::new();
        io::Read::read_to_end(&mut stored.open().expect("the copy"), &mut again).expect("its bytes");
        assert_eq!(again, bytes);
    }
    assert_eq!(fs::metadata(store.path()).expect("the store").permissions().mode() & 0o777, 0o700);
    assert_eq!(temps(&store), 0);
}

fn copy_chunk() -> usize {
    256 << 10
}

#[test]
fn the_same_bytes_are_copied_once_whatever_their_name() {
    let bench = Bench::new();
    let store = bench.store();
    let (file, path) = bench.file("libx.so", b"same bytes");
    let (other, other_path) = bench.file("liby.so", b"same bytes");
    let first = store.put(&file, &path).expect("a copy");
    let second = store.put(&other, &other_path).expect("the copy");
    assert_eq!((first.novelty, second.novelty), (Novelty::New, Novelty::Known));
    assert_eq!((first.path.clone(), inode(&first.path)), (second.path.clone(), inode(&second.path)));
    let (third, third_path) = bench.file("libz.so", b"some bytes");
    let third = store.put(&third, &third_path).expect("other bytes of the same length");
    assert_eq!(third.novelty, Novelty::New);
    assert_ne!(third.path, first.path);
    assert_eq!(store.list().expect("a list").len(), 2);
    assert!(store.size().expect("a size").bytes >= 20);
    assert_eq!(store.find(first.digest, first.len).expect("the copy").path, first.path);
    assert_eq!(store.find(Digest::of(b"others"), 6), None);
}

#[test]
fn a_file_that_was_overwritten_since_it_was_seen_has_changed() {
    let bench = Bench::new();
    let store = bench.store();
    let (file, path) = bench.file("libx.so", b"old bytes");
    let seen = Identity::of(&file.metadata().expect("its metadata"));
    fs::write(&path, b"newer bytes").expect("a write");
    let error = store.put_as(&file, &path, &seen).expect_err("it changed");
    assert_eq!(error.code, Some(Code::T1006), "{error}");
    fs::write(&path, b"x").expect("a write");
    assert_eq!(store.put_as(&file, &path, &seen).expect_err("it shrank").code, Some(Code::T1006));
    assert_eq!((temps(&store), store.list().expect("a list").len()), (0, 0));
}

#[test]
fn a_file_that_changes_between_two_reads_has_changed() {
    let bench = Bench::new();
    let (file, path) = bench.file("libx.so", &vec![7; 3 * copy_chunk()]);
    let seen = Identity::of(&file.metadata().expect("its metadata"));
    let writer = fs::OpenOptions::new().write(true).open(&path).expect("a writer");
    let mut chunks = 0;
    let outcome = copy::pass(&file, &seen, |_| {
        chunks += 1;
        if chunks == 2 {
            writer.set_len(10).expect("a cut");
        }
        Ok(())
    });
    assert!(matches!(outcome, Err(copy::CopyError::Changed)), "{outcome:?}");

    let seen = Identity::of(&file.metadata().expect("its metadata"));
    let outcome = copy::pass(&file, &seen, |_| {
        let replacement = path.with_extension("new");
        fs::write(&replacement, b"another").and_then(|()| fs::rename(&replacement, &path))
    });
    assert!(matches!(outcome, Err(copy::CopyError::Changed)), "{outcome:?}");
}

#[test]
fn a_copy_is_hashed_again_after_a_boot_and_made_again_if_its_bytes_are_lost() {
    let bench = Bench::new();
    let (file, path) = bench.file("libx.so", b"good bytes");
    let first = bench.store().put(&file, &path).expect("a copy");
    let mark = first.path.with_file_name(entry::VERIFIED);
    assert!(fs::read_to_string(&mark).expect("a mark").starts_with("first\n"));

    let second = bench.store_in_boot("second").expect("a store").put(&file, &path).expect("the copy");
    assert_eq!((second.novelty, inode(&second.path)), (Novelty::Known, inode(&first.path)));
    assert!(fs::read_to_string(&mark).expect("a mark").starts_with("second\n"));

    // What a power failure leaves: the name and the length, but no bytes.
    let metadata = fs::metadata(&first.path).expect("the copy");
    fs::set_permissions(&first.path, PermissionsExt::from_mode(0o700)).expect("write permission");
    fs::write(&first.path, [0; 10]).expect("a write");
    let times = fs::FileTimes::new().set_modified(metadata.modified().expect("a time"));
    File::options()
        .write(true)
        .open(&first.path)
        .and_then(|file| file.set_times(times))
        .expect("the old time");
    for boot in ["second", "third"] {
        let again = bench.store_in_boot(boot).expect("a store").put(&file, &path).expect("a copy");
        assert_eq!(fs::read(&again.path).expect("the copy"), b"good bytes", "in the {boot} boot");
    }
}

#[test]
fn many_threads_and_stores_at_once_make_one_copy() {
    let bench = Bench::new();
    let files: Vec<_> = (0..4).map(|i| bench.file(&format!("lib{i}.so"), &vec![i as u8; 100_000])).collect();
    thread::scope(|scope| {
        for worker in 0..8 {
            let (bench, files) = (&bench, &files);
            scope.spawn(move || {
                let store = bench.store();
                for round in 0..8 {
                    let (file, path) = &files[(worker + round) % files.len()];
                    let stored = store.put(file, path).expect("a copy");
                    let copy = fs::read(&stored.path).expect("the copy");
                    assert_eq!(Digest::of(&copy), stored.digest);
                }
            });
        }
    });
    let store = bench.store();
    assert_eq!((store.list().expect("a list").len(), temps(&store)), (4, 0));
}

#[test]
fn what_a_dead_process_left_is_swept_and_what_a_live_one_writes_is_not() {
    let bench = Bench::new();
    let store = bench.store();
    let dead = store.temps().join("0123");
    fs::write(&dead, b"half a lib").expect("a file");
    let alive = Temp::new(&store.temps()).expect("a temp");
    alive.file().write_at(b"half", 0).expect("a write");
    let again = bench.store();
    assert!(!dead.exists());
    assert_eq!(temps(&again), 1);
    drop(alive);
    assert_eq!(temps(&again), 0);
}

#[test]
fn links_within_the_store_are_not_followed() {
    let bench = Bench::new();
    let store = bench.store();
    let (file, path) = bench.file("libx.so", b"bytes");
    let (_, victim) = bench.file("victim.so", b"bytes");
    let stored = store.put(&file, &path).expect("a copy");
    fs::remove_file(&stored.path).expect("no copy");
    symlink(&victim, &stored.path).expect("a link");
    let again = store.put(&file, &path).expect("a copy");
    assert!(!fs::symlink_metadata(&again.path).expect("the copy").is_symlink());
    assert_eq!(fs::read(&victim).expect("the victim"), b"bytes");

    let elsewhere = bench.folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("a folder");
    symlink(&elsewhere, store.of_length(7)).expect("a link");
    let (file, path) = bench.file("liby.so", b"7 bytes");
    assert_eq!(store.put(&file, &path).expect_err("a link").code, Some(Code::T6014));
    assert_eq!(fs::read_dir(&elsewhere).expect("the folder").count(), 0);
}

#[test]
fn a_store_that_others_may_write_is_refused_with_what_mends_it() {
    let bench = Bench::new();
    let root = bench.store().path().to_owned();
    fs::set_permissions(&root, PermissionsExt::from_mode(0o777)).expect("a mode");
    let error = bench.store_in_boot("first").expect_err("unsafe");
    assert_eq!(error.code, Some(Code::T5001));
    let help = error.help.expect("a help");
    let command = help.split("run: ").nth(1).expect("a command");
    assert!(Command::new("sh").args(["-c", command]).status().expect("a shell").success(), "{command}");
    bench.store_in_boot("first").expect("a store");

    fs::set_permissions(bench.folder.path(), PermissionsExt::from_mode(0o777)).expect("a mode");
    let error = bench.store_in_boot("first").expect_err("the folder above").to_string();
    assert!(
        error.starts_with("T5001") && error.contains("chmod o-w") || error.contains("chmod go-w"),
        "{error}"
    );
}

#[test]
fn a_store_that_cannot_be_made_names_its_path_and_the_way_out() {
    let bench = Bench::new();
    let (_, path) = bench.file("in-the-way", b"");
    for path in [path.clone(), path.join("store")] {
        let error = open(&path, "first").expect_err("a file in the way").to_string();
        assert!(
            error.starts_with("T6014") && error.contains("in-the-way") && error.contains("[store]"),
            "{error}"
        );
    }
}

#[test]
fn a_full_store_says_so_and_shows_nothing_half_written() {
    on_tmpfs(
        "store::tests::a_full_store_says_so_and_shows_nothing_half_written",
        "size=1m,mode=700",
        |folder| {
            let store = open(&folder.join("store"), "first").expect("a store");
            let bench = Bench::new();
            let (file, path) = bench.file("big.so", &vec![1; 3 << 20]);
            let error = store.put(&file, &path).expect_err("it is full");
            assert_eq!(error.code, Some(Code::T6014));
            assert!(error.reason.contains("is full") && error.reason.contains("store"), "{error}");
            assert_eq!((temps(&store), store.list().expect("a list").len()), (0, 0));
            let (file, path) = bench.file("small.so", b"small");
            store.put(&file, &path).expect("what fits");
        },
    );
}

#[test]
fn a_read_only_store_serves_what_it_has_and_takes_nothing_new() {
    on_tmpfs(
        "store::tests::a_read_only_store_serves_what_it_has_and_takes_nothing_new",
        "mode=700",
        |folder| {
            let bench = Bench::new();
            let (file, path) = bench.file("x.so", b"known");
            open(&folder.join("store"), "first").expect("a store").put(&file, &path).expect("a copy");
            let remount = Command::new("mount").args(["-o", "remount,ro"]).arg(folder).status();
            assert!(remount.expect("mount").success());
            let store = open(&folder.join("store"), "second").expect("a store");
            assert_eq!(store.put(&file, &path).expect("the copy").novelty, Novelty::Known);
            for bytes in [&b"not known"[..], b"other"] {
                let (file, path) = bench.file("y.so", bytes);
                let error = store.put(&file, &path).expect_err("read-only");
                assert!(
                    error.to_string().starts_with("T6014") && error.reason.contains("read-only"),
                    "{error}"
                );
            }
            let error = open(&folder.join("another"), "first").expect_err("read-only");
            assert_eq!(error.code, Some(Code::T6014));
        },
    );
}

#[test]
fn a_store_mounted_noexec_is_refused() {
    on_tmpfs("store::tests::a_store_mounted_noexec_is_refused", "noexec,mode=700", |folder| {
        let error = open(&folder.join("store"), "first").expect_err("noexec");
        assert_eq!(error.code, Some(Code::T3007));
        assert!(error.to_string().contains("[store]"), "{error}");
    });
}

#[test]
fn a_user_without_rights_keeps_a_store_and_gets_none_where_it_may_not_write() {
    let test = "store::tests::a_user_without_rights_keeps_a_store_and_gets_none_where_it_may_not_write";
    as_nobody(test, |folder| {
        let store = open(&folder.join("deep/er/store"), "first").expect("a store");
        let path = folder.join("x.so");
        fs::write(&path, "bytes").expect("a file");
        let file = File::open(&path).expect("the file");
        store.put(&file, &path).expect("a copy");
        fs::set_permissions(folder.join("deep"), PermissionsExt::from_mode(0o500)).expect("a mode");
        let error = open(&folder.join("deep/store"), "first").expect_err("not writable");
        assert!(
            error.to_string().starts_with("T6014") && error.reason.contains("may not be written"),
            "{error}"
        );
        let error = open(Path::new("/"), "first").expect_err("root's").to_string();
        assert!(error.starts_with("T5001") && error.contains("belongs to `root`"), "{error}");
        fs::set_permissions(folder.join("deep"), PermissionsExt::from_mode(0o700)).expect("a mode");
    });
}

#[test]
fn a_limit_on_the_size_of_files_is_a_refusal_and_not_the_end_of_the_process() {
    let test = "store::tests::a_limit_on_the_size_of_files_is_a_refusal_and_not_the_end_of_the_process";
    with_small_files(test, || {
        let path = std::env::current_exe().expect("a large file");
        let store = Bench::new();
        let error = store.store().put(&File::open(&path).expect("the file"), &path).expect_err("a limit");
        assert!(
            error.to_string().starts_with("T6014") && error.reason.contains("a limit on the size"),
            "{error}"
        );
    });
}
