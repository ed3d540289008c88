use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use toolrack::Code;

use crate::support::logs::{at_debug_level, logged};
use crate::support::nested::{Nested, source};
use crate::support::rack::{Rack, file_name, loaded, rejected};
use crate::support::{Home, fixture};

/// The last method of the trait `Tool`.
const LAST: &str = "    fn schema_overrides(&self) -> RResult<RString, RString>;\n";
/// What is appended to it, in two versions of the contract that know nothing of each other.
const SUFFIX_A: &str =
    "\n    /// Thought of later.\n    fn suffix_a(&self) -> RString {\n        RString::new()\n    }\n";
const SUFFIX_B: &str =
    "\n    /// Thought of later.\n    fn suffix_b(&self, how: u32) -> u32 {\n        how\n    }\n";

static WITH_SUFFIX_A: LazyLock<PathBuf> =
    LazyLock::new(|| built_against("suffix_a", "src/tool.rs", &[(LAST, &[LAST, SUFFIX_A].concat())]));
static WITH_SUFFIX_B: LazyLock<PathBuf> =
    LazyLock::new(|| built_against("suffix_b", "src/tool.rs", &[(LAST, &[LAST, SUFFIX_B].concat())]));
static WITH_METHODS_SWAPPED: LazyLock<PathBuf> = LazyLock::new(|| {
    let swap = [
        ("fn check(&self) -> RResult", "fn swapped(&self) -> RResult"),
        ("fn schema_overrides(&self) -> RResult", "fn check(&self) -> RResult"),
        ("fn swapped(&self) -> RResult", "fn schema_overrides(&self) -> RResult"),
    ];
    built_against("swapped", "src/tool.rs", &swap)
});
static WITH_ANOTHER_TYPE: LazyLock<PathBuf> = LazyLock::new(|| {
    built_against("other_type", "src/context.rs", &[("fn depth(&self) -> u32;", "fn depth(&self) -> u64;")])
});

/// A plugin without the SDK, built against a copy of the contract in which one file was changed. Its one tool is
/// called like it.
fn built_against(name: &str, file: &str, changes: &[(&str, &str)]) -> PathBuf {
    let package = format!("raw_{name}");
    let nested = Nested::new(name, &["abi", &package]);
    copy_contract(&nested, file, changes);
    let manifest = format!(r#"{{"name":"{package}","version":"1.0.0","tools":[{{"name":"{name}"}}]}}"#);
    let description =
        format!(r#"{{"name":"{name}","description":"Gives back.","schema":{{"type":"object"}}}}"#);
    let text = format!(
        r##"//! Written by a test.
mod raw;

use toolrack_abi::abi_stable::std_types::{{RResult, RString}};
use toolrack_abi::{{LogLevel, PluginBox, PluginEntry, Services, ToolsHeader}};

struct Variant;

impl PluginEntry for Variant {{
    fn register(_services: Services) -> RResult<PluginBox, RString> {{
        RResult::ROk(raw::registered(vec![r#"{description}"#.to_owned()]))
    }}

    fn set_log_level(_level: LogLevel) {{}}
}}

#[unsafe(no_mangle)]
pub static register_tools: ToolsHeader<{length}> = ToolsHeader::new::<Variant>(*br#"{manifest}"#, 0);
"##,
        length = manifest.len()
    );
    nested.package(&package, "[lib]\ncrate-type = [\"cdylib\"]", "toolrack-abi.workspace = true", &text);
    let by_hand = std::fs::read_to_string(source("tests/fixtures/examples/raw/plugin.rs")).unwrap();
    nested.file(&format!("{package}/raw.rs"), &by_hand);
    nested.library(&package, &[])
}

fn copy_contract(nested: &Nested, file: &str, changes: &[(&str, &str)]) {
    nested.copy("abi", &|path, mut text| {
        if path == file {
            for (old, new) in changes {
                assert!(text.contains(old), "`{old}` is not in {file}");
                text = text.replace(old, new);
            }
        }
        text
    });
}

/// Calls the tools of the files, which were loaded one after the other into one table.
fn answers_in_order(files: &[&Path]) -> Vec<String> {
    let rack = Rack::new();
    let mut answers = Vec::new();
    for file in files {
        let report = rack.load_file(&rack.home.drop_in(file));
        assert!(report.rejected.is_empty(), "{:#?}", report.rejected);
        let [plugin] = &report.loaded[..] else { panic!("{report:#?}") };
        let args = format!(r#"{{"text":"{}"}}"#, plugin.name);
        answers.push(rack.text(&plugin.tools[0], &args));
    }
    answers
}

#[test]
fn fact_4_plugins_older_and_newer_than_the_host_load_in_any_order() {
    let old = fixture("well_behaved");
    let (a, b) = (&**WITH_SUFFIX_A, &**WITH_SUFFIX_B);
    let (of_old, of_a, of_b) = ("well_behaved", r#"{"text":"raw_suffix_a"}"#, r#"{"text":"raw_suffix_b"}"#);
    assert_eq!(answers_in_order(&[&old, a, b]), [of_old, of_a, of_b]);
    assert_eq!(answers_in_order(&[b, a, &old]), [of_b, of_a, of_old]);
    assert_eq!(answers_in_order(&[a, &old, b]), [of_a, of_old, of_b]);
}

#[test]
fn fact_4_a_newer_host_loads_older_plugins_before_and_after_newer_ones() {
    static HOST: LazyLock<PathBuf> = LazyLock::new(|| {
        let nested = Nested::new("newer_host", &["abi", "loader", "toolrack-newer-host"]);
        copy_contract(&nested, "src/tool.rs", &[(LAST, &[LAST, SUFFIX_A].concat())]);
        nested.copy("loader", &|_, text| text);
        nested.package(
            "toolrack-newer-host",
            "[[bin]]\nname = \"toolrack-newer-host\"",
            "toolrack.workspace = true",
            include_str!("layouts/newer_host.rs"),
        );
        nested.program("toolrack-newer-host")
    });
    let old = fixture("well_behaved");
    let (a, b) = (&**WITH_SUFFIX_A, &**WITH_SUFFIX_B);
    let run = |files: &[&Path]| {
        let home = Home::new();
        let files: Vec<PathBuf> = files.iter().map(|file| home.drop_in(file)).collect();
        let output = Command::new(&*HOST).arg(home.path()).args(files).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (of_old, of_a) = ("echo: hi", r#"suffix_a: {"text":"hi"}"#);
    assert_eq!(run(&[&old, a]), [of_old, of_a]);
    assert_eq!(run(&[a, &old]), [of_a, of_old]);
    // One line of history: what adds something else in the same place is refused, and disturbs no other.
    let refused = format!("T4007 {}", file_name(b));
    assert_eq!(run(&[b, &old, a]), [&refused, of_old, of_a]);
}

/// Loads a library that must be refused beside one that must not; the diagnosis.
fn refused_beside_a_good_one(library: &Path) -> toolrack::Diagnosis {
    let rack = Rack::new();
    rack.home.drop_in_as(library, "a.so");
    rack.home.drop_in_as(&fixture("well_behaved"), "b.so");
    let report = rack.load();
    assert_eq!(rejected(&report), [("a.so".to_owned(), Code::T4007)]);
    assert_eq!(loaded(&report), ["well_behaved"]);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
    report.rejected[0].clone()
}

#[test]
fn fact_6_another_layout_is_a_short_warning_that_names_type_and_field_and_the_rest_is_for_debugging() {
    let _debug = at_debug_level();
    for (library, kind, field) in
        [(&WITH_METHODS_SWAPPED, "Tool", "check"), (&WITH_ANOTHER_TYPE, "CallContext", "depth")]
    {
        let diagnosis = refused_beside_a_good_one(library);
        let short = diagnosis.to_string();
        assert!(short.len() < 1024, "{} bytes: {short}", short.len());
        assert!(short.contains(kind) && short.contains(field), "{short}");
        assert!(diagnosis.help.as_deref().unwrap().contains("build the plugin again"), "{short}");
        let told = logged(&diagnosis.path.display().to_string());
        let at = |level: log::Level| told.iter().filter(|record| record.level == level).collect::<Vec<_>>();
        let [warning] = &at(log::Level::Warn)[..] else { panic!("{} warnings", at(log::Level::Warn).len()) };
        assert!(warning.message.len() < 1024);
        let full = at(log::Level::Debug).iter().map(|record| record.message.len()).max().unwrap();
        assert!(full > 4 * short.len(), "{full}");
    }
}

#[test]
fn fact_6_a_library_that_opted_out_of_the_check_is_refused() {
    let diagnosis = refused_beside_a_good_one(&fixture("opted_out"));
    assert!(diagnosis.reason.contains("opted out"), "{diagnosis}");
}
