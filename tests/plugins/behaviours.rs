use toolrack::{
    Answer, Batch, Call, Claimed, Code, Description, ErrorType, Failure, Output, Selection, Source,
};

use crate::support::fixture;
use crate::support::logs::logged;
use crate::support::rack::{Rack, error_of, plugin, rejected};

fn described(name: &str, toolset: &str) -> Description {
    Description::new(name, toolset, "Of the host", r#"{"type":"object"}"#).unwrap()
}

/// A batch of the host with one tool that answers `answer`.
fn builtin(name: &str, answer: &'static str) -> Batch {
    Batch::new(Source::builtin("app")).tool(described(name, "fixtures"), move |_, _| Ok(Output::text(answer)))
}

#[test]
fn r1_what_a_tool_returns_is_the_answer_to_the_letter() {
    let rack = Rack::with(&["answers"]);
    rack.registry
        .publish(
            Batch::new(Source::builtin("app"))
                .tool(described("okay_too", "host"), |_, _| Ok(Output::json(r#"{"ok":true}"#))),
        )
        .unwrap();
    assert_eq!(rack.text("okay", "{}"), r#"{"ok":true}"#);
    assert_eq!(rack.text("okay_too", "{}"), r#"{"ok":true}"#);
    assert_eq!(
        rack.text("picture", "{}"),
        r#"[{"type":"text","text":"a dot"},{"type":"image","data":"ZG90","mimeType":"image/png"}]"#
    );
}

#[test]
fn r2_an_unknown_tool_is_answered_with_near_names_of_the_session_and_the_plugin_that_failed() {
    let rack = Rack::new();
    rack.drop_in(&["well_behaved", "answers", "undefined_symbol"]);
    rack.load();
    let message = |answer: &Answer| error_of(answer, ErrorType::UnknownTool)["error"].to_string();

    let known = message(&rack.call("ecko", "{}"));
    assert!(known.contains("Unknown tool `ecko`") && known.contains("did you mean `echo`?"), "{known}");

    let session = rack.registry.session(&Selection::only(["answers"]));
    let without = message(&session.call_inline("ecko", "{}", &Call::new()));
    assert!(without.contains("Unknown tool `ecko`") && !without.contains("echo"), "{without}");
    error_of(&session.call_inline("echo", r#"{"text":"x"}"#, &Call::new()), ErrorType::UnknownTool);

    let failed = message(&rack.call("calls_what_is_gone", "{}"));
    assert!(failed.contains("T3003") && failed.contains("undefined_symbol"), "{failed}");
}

#[test]
fn r3_a_failure_is_an_answer_that_names_its_kind_and_its_text() {
    let rack = Rack::with(&["answers"]);
    rack.registry
        .publish(Batch::new(Source::builtin("app")).tool(described("fails_too", "host"), |_, _| {
            Err(Failure::new(ErrorType::Failed, "Broken: in two").with("retry", false))
        }))
        .unwrap();
    for answer in [rack.call("fails", r#"{"kind":"Broken","text":"in two"}"#), rack.call("fails_too", "{}")] {
        let object = error_of(&answer, ErrorType::Failed);
        assert_eq!(object["error"], "Broken: in two");
        assert_eq!(object["retry"], false);
    }
    let object = error_of(&rack.call("fails", r#"{"kind":"Broken","text":7}"#), ErrorType::InvalidArguments);
    assert!(object["error"].as_str().unwrap().contains("/text: expected a string, got 7"), "{object}");
}

#[test]
fn r5_of_an_error_of_100_000_characters_2048_reach_the_model_and_8192_the_log() {
    let rack = Rack::with(&["answers"]);
    let answer = rack.call("fails", r#"{"kind":"Long","text":"r5-é🛠 ","times":20000}"#);
    let object = error_of(&answer, ErrorType::Failed);
    let shown = object["error"].as_str().unwrap();
    assert!(shown.chars().count() <= 2048, "{}", shown.chars().count());
    assert!(shown.starts_with("Long: r5-é🛠 ") && shown.ends_with("r5-é🛠 "), "{shown}");
    assert!(shown.contains("characters left out"));
    let records = logged("Long: r5-é🛠 ");
    let [record] = &records[..] else { panic!("{} records", records.len()) };
    let kept = record.message.chars().count();
    assert!((8_000..8_192 + 200).contains(&kept), "{kept}");
}

#[test]
fn r7_listings_are_sorted() {
    let rack = Rack::with(&["well_behaved", "answers", "slow"]);
    assert_eq!(rack.names(), ["echo", "fails", "okay", "picture", "works"]);
}

#[test]
fn r8_a_tool_that_is_deregistered_is_gone_and_one_that_is_not_there_is_no_error() {
    let rack = Rack::with(&["answers"]);
    rack.registry.publish(builtin("own", "own")).unwrap();
    let app = Source::builtin("app").id;
    rack.registry.deregister(&app, "own").unwrap();
    rack.registry.deregister(&app, "own").unwrap();
    rack.registry.deregister(&plugin("answers"), "okay").unwrap();
    error_of(&rack.call("own", "{}"), ErrorType::UnknownTool);
    error_of(&rack.call("okay", "{}"), ErrorType::UnknownTool);
    assert_eq!(rack.names(), ["fails", "picture"]);
}

#[test]
fn r13_what_the_same_source_registers_again_is_replaced_in_place() {
    let rack = Rack::with(&["well_behaved"]);
    let before = rack.registry.snapshot();
    assert_eq!(rack.load().loaded.len(), 1);
    let after = rack.registry.snapshot();
    assert_eq!(rack.names(), ["echo"]);
    assert!(after.generation() > before.generation());
    assert!(after.hidden().is_empty());
    assert_eq!(rack.text("echo", r#"{"text":"again"}"#), "again");
}

#[test]
fn r13_a_name_twice_in_one_batch_is_invalid() {
    let text = r#"{"name":"twin","schema":{"type":"object"}}"#;
    let rack = Rack::configured(&format!("plugins.obedient.config.tools = ['{text}', '{text}']"));
    rack.drop_in(&["obedient"]);
    let report = rack.load();
    assert_eq!(rejected(&report)[0].1, Code::T6006);
    assert!(report.rejected[0].reason.contains("`twin`") && report.rejected[0].reason.contains("twice"));
    assert!(rack.names().is_empty());

    let twice = builtin("twin", "1").tool(described("twin", "fixtures"), |_, _| Ok(Output::text("2")));
    assert_eq!(rack.registry.publish(twice).unwrap_err().code, Some(Code::T6006));
}

#[test]
fn r14_an_override_survives_the_builtin_registering_again_and_gives_way_when_its_plugin_goes() {
    let rack = Rack::new();
    let echo = |rack: &Rack| rack.text("echo", r#"{"text":"x"}"#);
    rack.registry.publish(builtin("echo", "the host's")).unwrap();
    rack.registry.register_plugin_override_policy("overriding", true);
    rack.drop_in(&["overriding"]);
    rack.load();
    assert_eq!(echo(&rack), "override: x");
    rack.registry.publish(builtin("echo", "the host's, again")).unwrap();
    assert_eq!(echo(&rack), "override: x");
    rack.registry.withdraw(&plugin("overriding"));
    assert_eq!(echo(&rack), "the host's, again");
}

#[test]
fn r14_an_override_that_is_not_allowed_claims_nothing_and_one_that_is_revoked_uncovers_the_builtin() {
    let rack = Rack::new();
    rack.registry.publish(builtin("echo", "the host's")).unwrap();
    rack.drop_in(&["overriding"]);
    let report = rack.load();
    assert_eq!(rejected(&report)[0].1, Code::T6012);
    assert!(
        report.rejected[0].help.as_deref().unwrap().contains("plugins.overriding.allow_tool_override"),
        "{}",
        report.rejected[0]
    );
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "the host's");
    assert!(rack.registry.snapshot().hidden().is_empty());

    rack.registry.register_plugin_override_policy("overriding", true);
    assert!(rack.load().rejected.is_empty());
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "override: x");
    rack.registry.register_plugin_override_policy("overriding", false);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "the host's");
}

#[test]
fn r15_a_plugin_under_a_builtins_name_is_a_conflict_in_either_order() {
    for builtin_first in [true, false] {
        let rack = Rack::new();
        rack.drop_in(&["rival"]);
        if builtin_first {
            rack.registry.publish(builtin("echo", "the host's")).unwrap();
            let report = rack.load();
            let [(file, Code::T6005)] = &rejected(&report)[..] else { panic!("{report:#?}") };
            assert!(file.contains("rival"));
            assert!(report.rejected[0].reason.contains("the host `app`"), "{}", report.rejected[0]);
        } else {
            assert!(rack.load().rejected.is_empty());
            let published = rack.registry.publish(builtin("echo", "the host's")).unwrap();
            let Claimed::Visible { hides: Some(hidden) } = &published.outcomes[0].1 else {
                panic!("{published:?}")
            };
            assert_eq!(hidden.id, plugin("rival"));
        }
        assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "the host's");
        let snapshot = rack.registry.snapshot();
        let [hidden] = snapshot.hidden() else { panic!("{:?}", snapshot.hidden()) };
        assert_eq!((&hidden.entry.source.id, &hidden.by.id), (&plugin("rival"), &Source::builtin("app").id));
    }
}

#[test]
fn r16_nobody_removes_what_is_not_theirs() {
    let rack = Rack::with(&["well_behaved", "answers"]);
    let owner = rack.registry.deregister(&plugin("answers"), "echo").unwrap_err();
    assert_eq!(owner.id, plugin("well_behaved"));
    assert_eq!(rack.text("echo", r#"{"text":"still"}"#), "still");
}

#[test]
fn r17_of_twelve_tools_none_is_published_if_the_ninth_is_invalid() {
    let rack = Rack::new();
    rack.drop_in(&["bad_schema", "well_behaved"]);
    let report = rack.load();
    let [(file, Code::T6006)] = &rejected(&report)[..] else { panic!("{report:#?}") };
    assert!(file.contains("bad_schema"));
    assert!(report.rejected[0].reason.contains("`Tool9`"), "{}", report.rejected[0]);
    assert_eq!(rack.names(), ["echo"]);

    let mut batch = Batch::new(Source::builtin("app"));
    for number in 1..=12 {
        let name = if number == 9 { "mcp__nine".to_owned() } else { format!("tool_{number}") };
        batch = batch.tool(described(&name, "host"), |_, _| Ok(Output::text("")));
    }
    let refused = rack.registry.publish(batch).unwrap_err();
    assert!(refused.reason.contains("`mcp__nine`"), "{refused}");
    assert_eq!(rack.names(), ["echo"]);
}

#[test]
fn r20_two_tables_in_one_process_have_nothing_in_common_but_the_librarys_own_statics() {
    let one = Rack::new();
    let other = one.beside();
    one.drop_in(&["stateful"]);
    one.load();
    assert!(other.names().is_empty());
    other.load();
    for (rack, everywhere) in [(&one, "1"), (&other, "2")] {
        assert_eq!(rack.text("count", "{}"), "1");
        assert_eq!(rack.text("count_here", "{}"), "1");
        assert_eq!(rack.text("count_everywhere", "{}"), everywhere);
    }
    one.registry.withdraw(&plugin("stateful"));
    assert!(one.names().is_empty());
    assert_eq!(other.text("count", "{}"), "2");
    assert!(toolrack::registry().snapshot().tools().is_empty(), "nobody touched the process-wide table");
}

#[test]
fn arguments_that_are_no_object_never_reach_the_plugin() {
    let rack = Rack::with(&["well_behaved"]);
    for args in ["[1]", "7", "\"text\"", "{\"text\":", "nonsense", "{\"text\":\"a\"} b"] {
        error_of(&rack.call("echo", args), ErrorType::InvalidArguments);
    }
    let near = error_of(&rack.call("echo", r#"{"txet":"a"}"#), ErrorType::InvalidArguments);
    assert!(near["error"].as_str().unwrap().contains("`text`"), "{near}");
}

#[test]
fn a_library_that_prints_does_not_print_into_the_answer() {
    let home = crate::support::Home::new();
    home.drop_in(&fixture("prints"));
    let output = home.toolrack().args(["call", "chatter"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "answered\n");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("printed to stdout by a plugin"), "{errors}");
    assert!(errors.contains("printed to stderr by a plugin"), "{errors}");
}
