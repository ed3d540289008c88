use std::path::{Path, PathBuf};
use std::process::Command;

use toolrack::Code;

use crate::support::nested::source;
use crate::support::rack::{Rack, loaded, plugin, rejected};
use crate::support::{fixture, need};

#[test]
fn fact_1_three_plugins_are_three() {
    let rack = Rack::with(&["answers", "well_behaved", "stateful"]);
    assert_eq!(
        rack.names(),
        ["count", "count_everywhere", "count_here", "echo", "fails", "okay", "picture", "stay"]
    );
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
    assert_eq!(rack.text("count", "{}"), "1");
    for (tool, owner) in [("okay", "answers"), ("echo", "well_behaved"), ("count", "stateful")] {
        assert_eq!(rack.registry.lookup(tool).unwrap().source.id, plugin(owner));
    }
}

#[test]
fn fact_1_a_bad_file_before_does_not_poison_a_good_one() {
    let rack = Rack::new();
    rack.home.drop_in_as(&fixture("opted_out"), "a.so");
    rack.home.drop_in_as(&fixture("bad_schema"), "b.so");
    rack.home.drop_in_as(&fixture("well_behaved"), "c.so");
    let report = rack.load();
    assert_eq!(rejected(&report), [("a.so".to_owned(), Code::T4007), ("b.so".to_owned(), Code::T6006)]);
    assert_eq!(loaded(&report), ["well_behaved"]);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn fact_2_an_undefined_symbol_is_an_error_at_loading_in_the_systems_own_words() {
    let rack = Rack::new();
    rack.drop_in(&["undefined_symbol", "well_behaved"]);
    let report = rack.load();
    let [diagnosis] = &report.rejected[..] else { panic!("{report:#?}") };
    assert_eq!(diagnosis.code, Some(Code::T3003));
    assert!(diagnosis.reason.contains("`toolrack_fixture_gone`"), "{diagnosis}");
    assert!(
        diagnosis.detail.as_deref().unwrap().contains("undefined symbol: toolrack_fixture_gone"),
        "{diagnosis}"
    );
    assert_eq!(loaded(&report), ["well_behaved"]);
}

/// A copy of `well_behaved` with one field of its stamp changed.
fn with_stamp(target: &Path, offset: usize, value: u16) {
    let mut bytes = std::fs::read(fixture("well_behaved")).unwrap();
    let at = bytes.windows(8).position(|part| part == b"TOOLRACK").expect("a stamp") + offset;
    bytes[at..at + 2].copy_from_slice(&value.to_ne_bytes());
    std::fs::write(target, bytes).unwrap();
}

#[test]
fn fact_5_another_major_of_the_contract_is_refused_and_another_minor_is_not() {
    let rack = Rack::new();
    let tools = rack.home.tools();
    with_stamp(&tools.join("major.so"), 12, 2);
    with_stamp(&tools.join("stable.so"), 18, 12);
    let report = rack.load();
    assert_eq!(
        rejected(&report),
        [("major.so".to_owned(), Code::T4006), ("stable.so".to_owned(), Code::T4005)]
    );
    assert!(report.loaded.is_empty());
    with_stamp(&tools.join("minor.so"), 14, 99);
    let report = rack.load();
    assert_eq!(report.loaded[0].abi, [1, 99]);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
}

#[cfg(target_os = "linux")]
#[test]
fn fact_8_a_library_that_merely_links_a_plugin_is_no_plugin() {
    if !need("gcc", "install gcc") {
        return;
    }
    let rack = Rack::new();
    let good = rack.home.drop_in(&fixture("well_behaved"));
    let wrapper = |name: &str, source: &str| {
        let file = rack.home.path().join("wrapper.c");
        std::fs::write(&file, source).unwrap();
        let status = Command::new("gcc")
            .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
            .arg(rack.home.tools().join(name))
            .args([&file, &good])
            .status();
        assert!(status.unwrap().success());
    };
    wrapper("links.so", "int nothing(void) { return 0; }");
    wrapper("imports.so", "extern char register_tools[]; char *it(void) { return register_tools; }");
    let report = rack.load();
    assert_eq!(loaded(&report), ["well_behaved"]);
    assert_eq!((rejected(&report).len(), report.others), (0, 2));
}

/// A copy of a fixture whose symbol is one a process: the system then answers with the first library's.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn with_unique_symbol(name: &str, target: &Path) {
    let mut bytes = std::fs::read(fixture(name)).unwrap();
    let word = |at: usize, size: usize| {
        bytes[at..at + size].iter().rev().fold(0_usize, |value, byte| value << 8 | usize::from(*byte))
    };
    let (sections, size, count) = (word(40, 8), word(58, 2), word(60, 2));
    let header = |index: usize| sections + index * size;
    let symbols = (0..count).map(header).find(|at| word(at + 4, 4) == 11).expect("dynamic symbols");
    let strings = word(header(word(symbols + 40, 4)) + 24, 8);
    let (start, length) = (word(symbols + 24, 8), word(symbols + 32, 8));
    let entry = (start..start + length)
        .step_by(24)
        .find(|at| bytes[strings + word(*at, 4)..].starts_with(b"register_tools\0"));
    let info = entry.expect("the symbol") + 4;
    bytes[info] = 10 << 4 | bytes[info] & 15;
    std::fs::write(target, bytes).unwrap();
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]
#[test]
fn fact_8_a_symbol_that_the_system_finds_in_another_library_is_refused() {
    let rack = Rack::new();
    with_unique_symbol("answers", &rack.home.tools().join("a.so"));
    with_unique_symbol("well_behaved", &rack.home.tools().join("b.so"));
    let report = rack.load();
    assert_eq!(loaded(&report), ["answers"]);
    assert_eq!(rejected(&report), [("b.so".to_owned(), Code::T4001)]);
    assert!(report.rejected[0].reason.contains("in another library"), "{}", report.rejected[0]);
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#);
}

/// The manifests of packages that are plugins.
fn plugin_manifests() -> Vec<PathBuf> {
    let folders = std::fs::read_dir(source("tools-cdylib")).unwrap().flatten();
    folders.map(|folder| folder.path().join("Cargo.toml")).filter(|manifest| manifest.is_file()).collect()
}

#[test]
fn fact_8_a_plugin_package_is_a_dynamic_library_and_nothing_else() {
    assert!(!plugin_manifests().is_empty());
    for manifest in plugin_manifests() {
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("crate-type = [\"cdylib\"]"), "{}", manifest.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn fact_9_a_library_is_never_unloaded() {
    let maps = |path: &Path| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.contains(path.to_str().unwrap())).count()
    };
    let rack = Rack::with(&["well_behaved"]);
    let store = std::fs::canonicalize(rack.home.store()).unwrap();
    let home = rack.home.clone();
    let mapped = maps(&store);
    assert!(mapped > 0);
    rack.registry.withdraw(&plugin("well_behaved"));
    assert_eq!(maps(&store), mapped);
    drop(rack);
    assert_eq!(maps(&store), mapped);
    drop(home);
    assert_eq!(maps(&store), mapped, "also when its file is gone");
}

#[cfg(target_os = "linux")]
#[test]
fn fact_9_a_library_that_is_refused_stays_as_well() {
    let rack = Rack::new();
    rack.drop_in(&["opted_out"]);
    assert_eq!(rack.load().rejected.len(), 1);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let store = std::fs::canonicalize(rack.home.store()).unwrap();
    assert!(maps.contains(store.to_str().unwrap()));
}

#[test]
fn fact_11_a_plugin_needs_neither_serde_nor_schemars_beside_the_sdk() {
    let manifest = std::fs::read_to_string(source("tests/fixtures/Cargo.toml")).unwrap();
    for dependency in ["serde", "schemars", "log"] {
        assert!(!manifest.lines().any(|line| line.starts_with(dependency)), "{dependency}");
    }
    let rack = Rack::with(&["answers"]);
    let schema = rack.registry.lookup("fails").unwrap().description.schema.get().to_owned();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["text"]["description"], "What to say.");
    assert_eq!(schema["required"], serde_json::json!(["kind", "text"]));
    let answer = rack.call("fails", r#"{"kind":"K","text":"T","times":2}"#);
    assert!(answer.as_str().contains("K: TT"), "{}", answer.as_str());
}
