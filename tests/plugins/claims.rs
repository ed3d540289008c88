use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolrack::{Batch, Code, Description, ErrorType, Output, Source};

use crate::support::logs::logged;
use crate::support::rack::{Rack, error_of, file_name, loaded, plugin, rejected};
use crate::support::{Home, fixture};

/// A copy of a fixture with its manifest's version changed: other bytes, the same plugin.
fn with_version(name: &str, version: &str, target: &Path) {
    let mut bytes = std::fs::read(fixture(name)).unwrap();
    let (old, new) = (r#""version":"0.1.0""#.as_bytes(), format!(r#""version":"{version}""#));
    assert_eq!(old.len(), new.len());
    let at = bytes.windows(old.len()).position(|part| part == old).expect("the manifest's version");
    bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
    std::fs::write(target, bytes).unwrap();
}

fn echo(rack: &Rack) -> String {
    rack.text("echo", r#"{"text":"x"}"#)
}

#[test]
fn a_conflict_names_both_owners_and_what_is_hidden_shows_when_the_winner_goes() {
    let rack = Rack::new();
    rack.drop_in(&["rival", "well_behaved"]);
    let report = rack.load();
    assert_eq!(loaded(&report), ["rival", "well_behaved"]);
    let [conflict] = &report.rejected[..] else { panic!("{:#?}", report.rejected) };
    assert_eq!(conflict.code, Some(Code::T6005));
    assert!(file_name(&conflict.path).contains("well_behaved"), "{conflict}");
    assert!(conflict.reason.contains("`echo`") && conflict.reason.contains("plugin `rival`"), "{conflict}");
    let told = logged(&format!("well_behaved` (`{}", rack.home.tools().display()));
    let told = told.iter().find(|record| record.message.contains("T6005")).expect("an error in the log");
    assert_eq!(told.level, log::Level::Error);
    assert!(told.message.contains("plugin `rival` (`"), "{}", told.message);

    assert_eq!(echo(&rack), "rival: x");
    assert_eq!(rack.registry.snapshot().hidden().len(), 1);
    rack.registry.withdraw(&plugin("rival"));
    assert_eq!(echo(&rack), "x");
    assert!(rack.registry.snapshot().hidden().is_empty());
    error_of(&rack.call("only_here", "{}"), ErrorType::UnknownTool);
}

#[test]
fn any_order_of_the_same_registrations_gives_the_same_table() {
    let home = Arc::new(Home::new());
    let files: Vec<PathBuf> =
        ["rival", "well_behaved", "overriding"].iter().map(|name| home.drop_in(&fixture(name))).collect();
    let mut tables = Vec::new();
    for order in permutations(4) {
        let rack = Rack::at(home.clone(), "");
        rack.registry.register_plugin_override_policy("overriding", true);
        for step in &order {
            match files.get(*step) {
                Some(file) => drop(rack.load_file(file)),
                None => {
                    let own = Description::new("echo", "host", "Own", r#"{"type":"object"}"#).unwrap();
                    let batch = Batch::new(Source::builtin("app")).tool(own, |_, _| Ok(Output::text("own")));
                    rack.registry.publish(batch).unwrap();
                }
            }
        }
        let snapshot = rack.registry.snapshot();
        let visible = snapshot.tools().iter().map(|tool| format!("{} {}", tool.name(), tool.source));
        let hidden = snapshot.hidden().iter().map(|one| format!("{} by {}", one.entry.source, one.by));
        tables.push((order, visible.chain(hidden).collect::<Vec<_>>(), echo(&rack)));
    }
    assert_eq!(tables.len(), 24);
    for (order, table, answer) in &tables {
        assert_eq!((table, answer), (&tables[0].1, &tables[0].2), "{order:?}");
    }
    assert_eq!(tables[0].2, "override: x");
    assert_eq!(tables[0].1.len(), 5, "{:#?}", tables[0].1);
}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    if length == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(length - 1);
    let insert = |order: &Vec<usize>, at: usize| {
        let mut order = order.clone();
        order.insert(at, length - 1);
        order
    };
    shorter.iter().flat_map(|order| (0..length).map(move |at| insert(order, at))).collect()
}

#[test]
fn an_invalid_tool_is_named_with_the_fault_and_the_plugin_stays_out() {
    for (tool, fault) in [
        (r#"{"name":"fine","schema":[]}"#, "`schema` must be a JSON object"),
        (r#"{"name":"fine","schema":{"properties":7}}"#, "`schema.properties`"),
        (r#"{"name":"no good","schema":{}}"#, "the name must be"),
        (r#"{"schema":{}}"#, "`name` is missing"),
        (r#"{"name":"fine"}"#, "`schema` is missing"),
        (r#"{"name":"mcp__fine","schema":{}}"#, "belong to MCP servers"),
        (r#"{"name":"fine","toolset":"mcp-x","schema":{}}"#, "belong to MCP servers"),
        (r#"{"name":"tool_search","schema":{}}"#, "belongs to the search"),
        ("no JSON", "not a JSON object"),
        ("", "not a JSON object"),
    ] {
        let good = r#"{"name":"good","schema":{}}"#;
        let rack = Rack::configured(&format!("plugins.obedient.config.tools = ['{good}', '{tool}']"));
        rack.drop_in(&["obedient"]);
        let report = rack.load();
        assert_eq!(rejected(&report)[0].1, Code::T6006, "{tool}");
        assert!(report.rejected[0].reason.contains(fault), "{}", report.rejected[0]);
        assert!(rack.names().is_empty());
    }
}

#[test]
fn a_plugin_that_refuses_to_register_is_quoted() {
    let rack = Rack::configured("plugins.obedient.config.refusal = 'there is no disk to spin'");
    rack.drop_in(&["obedient", "answers"]);
    let report = rack.load();
    let [(_, Code::T6004)] = &rejected(&report)[..] else { panic!("{report:#?}") };
    assert_eq!(report.rejected[0].detail.as_deref(), Some("there is no disk to spin"));
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#);
    let missing = error_of(&rack.call("as_it_is_told", "{}"), ErrorType::UnknownTool);
    assert!(missing["error"].as_str().unwrap().contains("T6004"), "{missing}");
}

#[test]
fn of_one_plugin_in_two_files_the_higher_version_stands_inside_a_folder() {
    let rack = Rack::new();
    let tools = rack.home.tools();
    with_version("well_behaved", "0.9.0", &tools.join("a.so"));
    with_version("well_behaved", "1.0.0", &tools.join("b.so"));
    with_version("well_behaved", "0.10.", &tools.join("c.so"));
    let report = rack.load();
    let [winner] = &report.loaded[..] else { panic!("{report:#?}") };
    assert_eq!((file_name(&winner.path).as_str(), winner.version.as_str()), ("b.so", "1.0.0"));
    let expected = [("a.so".to_owned(), Code::T5006), ("c.so".to_owned(), Code::T5006)];
    assert_eq!(rejected(&report), expected);
    assert!(report.rejected[0].reason.contains("b.so"), "{}", report.rejected[0]);
    assert_eq!(echo(&rack), "x");
}

#[test]
fn of_one_plugin_in_two_folders_the_earlier_folder_stands() {
    let rack = Rack::new();
    let first = rack.home.path().join("first");
    std::fs::create_dir(&first).unwrap();
    with_version("well_behaved", "0.1.0", &first.join("z.so"));
    with_version("well_behaved", "2.0.0", &rack.home.tools().join("a.so"));
    let report = rack.load_folders(&[first.clone(), rack.home.tools()]);
    assert_eq!(report.loaded[0].path, first.join("z.so"));
    assert_eq!(rejected(&report), [("a.so".to_owned(), Code::T5006)]);
}

#[test]
fn when_the_file_that_should_stand_for_a_plugin_fails_the_other_is_tried() {
    let rack = Rack::new();
    let tools = rack.home.tools();
    with_version("well_behaved", "0.1.0", &tools.join("sound.so"));
    // Both say that they are `well_behaved`; the higher one can not be opened.
    let mut broken = std::fs::read(fixture("undefined_symbol")).unwrap();
    let (old, new) =
        (r#""name":"undefined_symbol","version":"0.1.0""#, r#""name":"well_behaved","version":"9.0.0"    "#);
    assert_eq!(old.len(), new.len());
    let at = broken.windows(old.len()).position(|part| part == old.as_bytes()).expect("the manifest");
    broken[at..at + old.len()].copy_from_slice(new.as_bytes());
    std::fs::write(tools.join("broken.so"), broken).unwrap();
    let report = rack.load();
    assert_eq!(rejected(&report), [("broken.so".to_owned(), Code::T3003)]);
    assert_eq!(file_name(&report.loaded[0].path), "sound.so");
    assert_eq!(echo(&rack), "x");
}

#[test]
fn the_same_bytes_twice_are_loaded_once_and_that_is_no_warning() {
    let rack = Rack::new();
    rack.home.drop_in_as(&fixture("well_behaved"), "a.so");
    rack.home.drop_in_as(&fixture("well_behaved"), "b.so");
    let report = rack.load();
    assert_eq!(loaded(&report), ["well_behaved"]);
    assert_eq!(file_name(&report.loaded[0].path), "a.so");
    assert_eq!(rejected(&report), [("b.so".to_owned(), Code::T1007)]);
    let told = logged(&rack.home.tools().join("b.so").display().to_string());
    assert!(told.iter().all(|record| record.level >= log::Level::Info), "{told:#?}");
}
