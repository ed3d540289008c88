use object::SectionKind;
use toolrack::Code;
use toolrack::probe::{self, Format, MAX_READ, Peek, Probe, Target, Verdict};

use crate::images::{Export, MACHINES, Machine, exporting, fat, importing, plugin};

const CPU_X86_64: u32 = 0x0100_0007;
const CPU_ARM64: u32 = 0x0100_000c;

fn machine(os: &str, arch: &str) -> &'static Machine {
    MACHINES.iter().find(|machine| machine.is(os, arch)).unwrap()
}

/// What the target makes of an image that is a plugin for another one.
fn expected(image: &Target, target: &Target) -> Option<Code> {
    if (image.pointer_width, image.endian) != (target.pointer_width, target.endian) {
        Some(Code::T2008)
    } else if image.arch != target.arch {
        Some(Code::T2007)
    } else if image.os != target.os {
        Some(Code::T2006)
    } else {
        None
    }
}

fn code(probe: &Probe) -> Option<Code> {
    match &probe.verdict {
        Verdict::Plugin => None,
        verdict => Some(verdict.finding().unwrap_or_else(|| panic!("{verdict:?}")).code),
    }
}

#[test]
fn a_linked_image_is_a_plugin_for_its_own_machine_and_foreign_to_every_other() {
    for image in MACHINES {
        let bytes = plugin(image);
        for host in MACHINES {
            let target = host.target();
            let probe = probe::probe(&bytes, &target);
            assert_eq!(code(&probe), expected(&image.target(), &target), "{image:?} on {host:?}: {probe:?}");
            assert_eq!(probe.arch, Some(image.arch), "{image:?}");
            let peek = probe::peek(&bytes, &target);
            assert_eq!(
                peek == Peek::Symbol,
                probe.verdict == Verdict::Plugin,
                "{image:?} on {host:?}: {peek:?}"
            );
        }
        let probe = probe::probe(&bytes, &image.target());
        assert_eq!(probe.manifest.unwrap().tools[0].name, "echo");
        assert_eq!(probe.stamp.unwrap().rustc, "1.95.0 (a test)");
    }
}

#[test]
fn a_rejection_names_both_machines() {
    let bytes = plugin(machine("linux", "aarch64"));
    let Verdict::Rejected(finding) = probe::probe(&bytes, &Target::new("linux", "x86_64")).verdict else {
        panic!()
    };
    assert_eq!(finding.reason, "built for aarch64, this host is x86_64");
    let bytes = plugin(machine("windows", "x86"));
    let Verdict::Rejected(finding) = probe::probe(&bytes, &Target::new("windows", "x86_64")).verdict else {
        panic!()
    };
    assert_eq!(finding.reason, "built for 32-bit little-endian x86, this host is 64-bit little-endian");
}

#[test]
fn a_sound_foreign_library_without_the_symbol_is_no_rejection() {
    for image in MACHINES {
        let bytes =
            exporting(image, &Export { name: "answer", bytes: &[42; 8], kind: SectionKind::Data }, &[]);
        for host in MACHINES {
            let probe = probe::probe(&bytes, &host.target());
            assert_eq!(probe.verdict, Verdict::Other(None), "{image:?} on {host:?}");
            assert_eq!(probe::peek(&bytes, &host.target()), Peek::Other);
        }
    }
}

#[test]
fn a_near_miss_is_hinted_at_in_every_format() {
    for (os, arch) in [("linux", "s390x"), ("macos", "aarch64"), ("windows", "x86_64"), ("windows", "x86")] {
        let image = machine(os, arch);
        let bytes = exporting(
            image,
            &Export { name: "registerTools", bytes: &[42; 8], kind: SectionKind::Data },
            &[],
        );
        let probe = probe::probe(&bytes, &image.target());
        assert!(
            matches!(&probe.verdict, Verdict::Other(Some(hint)) if hint.code == Code::T4004),
            "{probe:?}"
        );
    }
}

#[test]
fn an_import_is_hinted_at_in_every_format() {
    for (os, arch) in [("linux", "x86_64"), ("macos", "aarch64"), ("macos", "x86_64"), ("windows", "x86_64")]
    {
        let image = machine(os, arch);
        let probe = probe::probe(&importing(image), &image.target());
        assert!(
            matches!(&probe.verdict, Verdict::Other(Some(hint)) if hint.code == Code::T4003),
            "{probe:?}"
        );
    }
}

#[test]
fn what_is_no_data_of_the_file_is_no_header_in_any_format() {
    for (os, arch) in [("linux", "x86"), ("macos", "aarch64"), ("macos", "x86_64"), ("windows", "x86_64")] {
        let image = machine(os, arch);
        for (kind, word) in [
            (SectionKind::Text, "a function"),
            (SectionKind::UninitializedData, "data without bytes in the file"),
        ] {
            let bytes = exporting(image, &Export { name: "register_tools", bytes: &[0x90; 256], kind }, &[]);
            let probe = probe::probe(&bytes, &image.target());
            assert!(
                matches!(&probe.verdict, Verdict::Rejected(finding)
                    if finding.code == Code::T4001 && finding.reason.contains(word)),
                "{os} {arch}: {:?}",
                probe.verdict
            );
        }
    }
}

#[test]
fn each_style_of_hash_table_is_read() {
    let image = machine("linux", "aarch64");
    let header = crate::build::Header::default().bytes();
    for style in ["--hash-style=sysv", "--hash-style=gnu", "--hash-style=both"] {
        let export = Export { name: "register_tools", bytes: &header, kind: SectionKind::Data };
        let bytes = exporting(image, &export, &[style]);
        assert_eq!(probe::probe(&bytes, &image.target()).verdict, Verdict::Plugin, "{style}");
    }
}

#[test]
fn a_cut_image_is_incomplete_in_every_format() {
    for (os, arch) in [("linux", "riscv64"), ("macos", "aarch64"), ("windows", "x86_64")] {
        let image = machine(os, arch);
        let bytes = plugin(image);
        let manifest = bytes.windows(4).position(|window| window == b"echo").unwrap();
        for len in [manifest, manifest / 2, bytes.len() - 1] {
            let probe = probe::probe(&bytes[..len].to_vec(), &image.target());
            // The section headers stand last in ELF, and nobody loads them.
            let whole = os == "linux" && len == bytes.len() - 1;
            assert_eq!(code(&probe), (!whole).then_some(Code::T1008), "{os} cut at {len} of {}", bytes.len());
        }
    }
}

#[test]
fn each_slice_of_a_fat_file_is_a_plugin_for_its_machine() {
    let (arm, intel) = (plugin(machine("macos", "aarch64")), plugin(machine("macos", "x86_64")));
    for wide in [false, true] {
        let bytes = fat(&[(CPU_X86_64, 3, &intel), (CPU_ARM64, 0, &arm)], wide);
        for arch in ["aarch64", "x86_64"] {
            let probe = probe::probe(&bytes, &Target::new("macos", arch));
            assert_eq!(probe.verdict, Verdict::Plugin);
            assert_eq!((probe.format, probe.arch), (Some(Format::Macho), Some(arch)));
            assert_eq!(code(&probe::probe(&bytes, &Target::new("linux", arch))), Some(Code::T2006));
        }
        let Verdict::Rejected(finding) = probe::probe(&bytes, &Target::new("macos", "powerpc64le")).verdict
        else {
            panic!("a plugin for nobody")
        };
        assert_eq!(finding.code, Code::T2007);
        assert_eq!(finding.reason, "built for x86_64 and aarch64, this host is powerpc64le");
        let cut = bytes[..bytes.len() - 1].to_vec();
        assert_eq!(code(&probe::probe(&cut, &Target::new("macos", "x86_64"))), Some(Code::T1008));
    }
}

#[test]
fn a_slice_with_signed_pointers_is_not_for_a_plain_process() {
    let arm = plugin(machine("macos", "aarch64"));
    let mut signed = arm.clone();
    signed[8] = 2;
    let target = Target::new("macos", "aarch64");
    let Verdict::Rejected(finding) = probe::probe(&signed, &target).verdict else { panic!() };
    assert_eq!((finding.code, &*finding.reason), (Code::T2007, "built for arm64e, this host is aarch64"));
    let bytes = fat(&[(CPU_ARM64, 2, &signed), (CPU_ARM64, 0, &arm)], false);
    assert_eq!(probe::probe(&bytes, &target).verdict, Verdict::Plugin);
}

#[test]
fn a_java_class_is_no_fat_file() {
    let bytes = b"\xCA\xFE\xBA\xBE\0\0\0\x3D\0\x10more of a class".to_vec();
    let Verdict::Rejected(finding) = probe::probe(&bytes, Target::host()).verdict else { panic!() };
    assert_eq!((finding.code, &*finding.reason), (Code::T2001, "a Java class, not a library of the system"));
}

#[test]
fn the_budget_holds_for_foreign_images() {
    for image in MACHINES {
        let counting = crate::counting::Counting::new(plugin(image));
        probe::probe(&counting, &image.target());
        assert!(counting.read() <= MAX_READ, "{image:?}: {} bytes", counting.read());
    }
}
