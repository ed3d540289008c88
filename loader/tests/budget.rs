use std::path::Path;

use toolrack::open::Limits;
use toolrack::probe::{self, MAX_READ, Target};
use toolrack::scan::scan;

use crate::counting::Counting;

/// Whatever is in the folders of the system: libraries, scripts, other things.
#[test]
fn no_file_of_the_system_takes_more_than_the_budget() {
    let target = Target::host();
    let (mut files, mut bytes, mut reads, mut most) = (0u64, 0, 0, 0);
    for candidate in scan(&["/usr/lib", "/usr/local/lib"], &Limits::default()).candidates {
        let Ok(file) = std::fs::File::open(&candidate.path) else { continue };
        let counting = Counting::new(file);
        probe::peek(&counting, target);
        assert!(counting.read() <= MAX_READ, "{}: {} bytes", candidate.path.display(), counting.read());
        files += 1;
        bytes += counting.read();
        reads += counting.reads();
        most = most.max(counting.read());
    }
    println!("{files} files: {bytes} bytes in {reads} reads, {most} bytes of one file at most");
}

#[test]
fn a_plugin_is_judged_by_few_reads() {
    let header = crate::build::Header::default();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.so");
    crate::build::shared(&header.source("register_tools"), &path, &[]);
    let counting = Counting::new(std::fs::File::open(&path).unwrap());
    let probe = probe::probe(&counting, Target::host());
    assert_eq!(probe.verdict, probe::Verdict::Plugin, "{}", Path::new(&path).display());
    println!("{} bytes in {} reads", counting.read(), counting.reads());
    assert!(counting.reads() <= 24 && counting.read() <= 16 << 10);
}
