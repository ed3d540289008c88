use toolrack::{Provider, Selection};

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
