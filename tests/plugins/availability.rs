use std::sync::Arc;
use std::time::Duration;

use toolrack::{
    Batch, Description, ManualClock, Output, Provider, Registry, RegistrySettings, Selection, Source,
};

use crate::support::logs::{at_debug_level, logged};
use crate::support::rack::Rack;

fn rack_with_flag() -> (Rack, std::path::PathBuf) {
    let home = std::sync::Arc::new(crate::support::Home::new());
    let flag = home.path().join("flag");
    let rack = Rack::at(home, &format!("plugins.checked.config.flag = '{}'", flag.display()));
    rack.drop_in(&["checked", "well_behaved"]);
    assert!(rack.load().rejected.is_empty());
    (rack, flag)
}

fn absent(rack: &Rack) -> Vec<String> {
    let session = rack.registry.session(&Selection::all());
    session.absent().iter().map(|absent| format!("{}: {}", absent.tool, absent.why)).collect()
}

#[test]
fn a_plugins_checks_decide_what_a_model_is_shown_and_a_check_that_panics_is_a_no() {
    let (rack, flag) = rack_with_flag();
    let shown = || {
        let json = rack.registry.session(&Selection::all()).definitions(Provider::Mcp).json.clone();
        let tools: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown(), ["echo"]);
    let absent_now = absent(&rack);
    assert_eq!(
        absent_now[..3],
        [
            "needs_flag: unavailable: the flag is not up".to_owned(),
            "needs_flag_too: unavailable: the flag is not up".to_owned(),
            "needs_key: unavailable: none of the environment variables `TOOLRACK_FIXTURE_KEY`, \
             `TOOLRACK_FIXTURE_TOKEN` is set"
                .to_owned(),
        ]
    );
    assert!(
        absent_now[3].starts_with("never: unavailable: ") && absent_now[3].contains("panicked"),
        "{absent_now:?}"
    );

    std::fs::write(flag, "").unwrap();
    assert_eq!(shown(), ["echo"], "the answer holds for 30 s");
    rack.registry.invalidate_availability();
    assert_eq!(shown(), ["echo", "needs_flag", "needs_flag_too"]);
}

#[test]
fn a_plugin_that_is_removed_is_no_longer_asked() {
    let (rack, _) = rack_with_flag();
    let session = rack.registry.session(&Selection::only(["checked"]));
    rack.registry.withdraw(&crate::support::rack::plugin("checked"));
    assert!(absent(&rack).is_empty());
    assert!(session.gone("needs_flag").is_some());
}

#[test]
fn a_failure_is_logged_once_a_change() {
    let _level = at_debug_level();
    let clock = ManualClock::new();
    let registry =
        Registry::with(RegistrySettings { clock: Arc::new(clock.clone()), ..RegistrySettings::default() });
    let tool = Description::new("moody", "demo", "A tool", "{}").unwrap();
    let batch = Batch::new(Source::builtin("app"))
        .tool(tool, |_, _| Ok(Output::text("")))
        .checked_by(|| Err("moody-4711".to_owned()));
    registry.publish(batch).unwrap();
    for _ in 0..3 {
        assert_eq!(registry.toolset_available("demo"), Some(false));
        clock.advance(Duration::from_secs(30));
    }
    let told: Vec<_> =
        logged("moody-4711").into_iter().filter(|record| record.level == log::Level::Warn).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].message, "check `moody`: unavailable: moody-4711");
}

#[test]
fn r10_an_alias_that_is_pointed_elsewhere_is_logged_with_both() {
    let _level = at_debug_level();
    let registry = Registry::new();
    registry.register_toolset_alias("r10_alias", "r10_one").unwrap();
    assert!(logged("r10_alias").is_empty());
    registry.register_toolset_alias("r10_alias", "r10_two").unwrap();
    let told = logged("r10_alias");
    assert_eq!(told.len(), 1);
    assert!(told[0].message.contains("`r10_one`") && told[0].message.contains("`r10_two`"));
}
