//! What the table decides, each line of the rules, and registrations at random against a model.

mod model;

use std::collections::BTreeMap;
use std::path::Path;

use crate::{
    Batch, Call, Claimed, Code, Description, HiddenBy, MaxResultSize, McpCollision, Output, Provider,
    Registry, RegistrySettings, Selection, Source, Toolset,
};

fn described(name: &str, more: &str) -> Description {
    let mut text: serde_json::Value = serde_json::from_str(more).unwrap();
    text["name"] = name.into();
    text["schema"] = serde_json::json!({ "type": "object" });
    Description::from_json(&text.to_string(), "demo").unwrap()
}

/// A batch of tools that answer with their source's name.
fn batch(source: Source, names: &[&str]) -> Batch {
    names.iter().fold(Batch::new(source), |batch, name| with(batch, described(name, "{}")))
}

fn with(batch: Batch, description: Description) -> Batch {
    let source = batch.source.id.name.to_string();
    batch.tool(description, move |_, _| Ok(Output::text(source.clone())))
}

fn overriding(source: Source, name: &str) -> Batch {
    with(Batch::new(source), described(name, r#"{"override":true}"#))
}

fn app() -> Source {
    Source::builtin("app")
}

fn plugin(name: &str) -> Source {
    Source::plugin(name, 0, Path::new(&format!("/tools/{name}.so")))
}

fn outcome(registry: &Registry, batch: Batch) -> Claimed {
    registry.extend(batch).unwrap().outcomes.remove(0).1
}

fn owner(registry: &Registry, name: &str) -> Option<String> {
    registry.lookup(name).map(|entry| entry.source.id.name.to_string())
}

fn with_rule(rule: McpCollision) -> Registry {
    Registry::with(RegistrySettings { mcp_collision: rule, ..RegistrySettings::default() })
}

#[test]
fn r7_every_listing_is_sorted() {
    let registry = Registry::new();
    let mut tools = Batch::new(app());
    for (name, toolset) in [("z_tool", "zebra"), ("a_tool", "ant"), ("m_tool", "mole")] {
        tools = with(tools, described(name, &format!(r#"{{"toolset":"{toolset}"}}"#)));
    }
    registry.publish(tools).unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.names().collect::<Vec<_>>(), ["a_tool", "m_tool", "z_tool"]);
    assert!(snapshot.toolsets().is_sorted());
    let map: Vec<_> = snapshot.tool_toolsets().into_iter().collect();
    assert_eq!(map, [("a_tool", "ant"), ("m_tool", "mole"), ("z_tool", "zebra")]);
    let json = registry.session(&Selection::all()).definitions(Provider::Mcp).json.clone();
    assert!(json.find("a_tool") < json.find("m_tool") && json.find("m_tool") < json.find("z_tool"));
}

#[test]
fn r8_deregistering_what_is_unknown_is_no_error_and_no_change() {
    let registry = Registry::new();
    registry.publish(batch(app(), &["a"])).unwrap();
    registry.deregister(&app().id, "a").unwrap();
    let after = registry.generation();
    registry.deregister(&app().id, "a").unwrap();
    assert_eq!((owner(&registry, "a"), registry.generation()), (None, after));
}

#[test]
fn r11_every_change_bumps_the_generation() {
    let registry = Registry::new();
    let mut last = registry.generation();
    let mut bumped = |what: &str| {
        assert!(registry.generation() > last, "{what}");
        last = registry.generation();
    };
    registry.publish(batch(app(), &["a", "b"])).unwrap();
    bumped("register");
    registry.deregister(&app().id, "a").unwrap();
    bumped("deregister");
    registry.register_toolset_alias("x", "demo").unwrap();
    bumped("alias");
    registry.register_plugin_override_policy("p", true);
    bumped("policy");
    registry.define_toolset("mine", Toolset::new("Mine")).unwrap();
    bumped("a toolset defined");
    registry.withdraw(&app().id);
    bumped("withdraw");
}

#[test]
fn r13_the_same_source_again_is_replaced() {
    let registry = Registry::new();
    assert!(matches!(outcome(&registry, batch(app(), &["a"])), Claimed::Visible { hides: None }));
    assert!(matches!(outcome(&registry, batch(app(), &["a"])), Claimed::Replaced));
    assert_eq!(registry.snapshot().tools().len(), 1);
}

#[test]
fn r13_a_replaced_name_never_leaves_the_table_in_between() {
    let registry = Registry::new();
    registry.publish(batch(app(), &["a", "b"])).unwrap();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..500 {
                registry.publish(batch(app(), &["b", "a"])).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Release);
        });
        while !done.load(std::sync::atomic::Ordering::Acquire) {
            assert!(registry.lookup("a").is_some() && registry.lookup("b").is_some());
        }
    });
}

#[test]
fn r15_a_conflict_is_told_with_the_winner_and_the_other_order_gives_the_same_table() {
    let mut tables = Vec::new();
    for builtin_first in [true, false] {
        let registry = Registry::new();
        if builtin_first {
            registry.extend(batch(app(), &["read_file"])).unwrap();
        }
        let claimed = outcome(&registry, batch(plugin("rival"), &["read_file"]));
        match &claimed {
            Claimed::Conflict { winner } if builtin_first => assert_eq!(winner.id, app().id),
            Claimed::Visible { hides: None } if !builtin_first => {
                let claimed = outcome(&registry, batch(app(), &["read_file"]));
                assert_eq!(claimed.hides().unwrap().id, plugin("rival").id);
            }
            other => panic!("{other:?}"),
        }
        let snapshot = registry.snapshot();
        let [hidden] = snapshot.hidden() else { panic!("{:?}", snapshot.hidden()) };
        assert_eq!(hidden.why, HiddenBy::Conflict);
        tables.push((owner(&registry, "read_file"), hidden.entry.source.id.clone(), hidden.by.id.clone()));
    }
    assert_eq!(tables[0], tables[1]);
}

#[test]
fn an_override_is_told_as_one_and_what_it_hides_is_no_conflict() {
    let registry = Registry::new();
    registry.extend(batch(app(), &["read_file"])).unwrap();
    assert!(matches!(outcome(&registry, overriding(plugin("p"), "read_file")), Claimed::PermissionDenied));
    registry.register_plugin_override_policy("p", true);
    let Claimed::Override { hides: Some(hidden) } = outcome(&registry, overriding(plugin("p"), "read_file"))
    else {
        panic!("not an override")
    };
    assert_eq!(hidden.id, app().id);
    let Claimed::Behind { winner } = outcome(&registry, batch(app(), &["read_file"])) else {
        panic!("the operator decided: no conflict")
    };
    assert_eq!(winner.id, plugin("p").id);
    assert_eq!(registry.snapshot().hidden()[0].why, HiddenBy::Override);
    registry.register_plugin_override_policy("p", false);
    assert_eq!(owner(&registry, "read_file").as_deref(), Some("app"));
}

#[test]
fn of_two_overrides_the_earlier_in_folder_order_is_visible_and_the_other_a_conflict() {
    let registry = Registry::new();
    for name in ["ant", "bee"] {
        registry.register_plugin_override_policy(name, true);
    }
    assert!(outcome(&registry, overriding(plugin("bee"), "x")).is_visible());
    let claimed = outcome(&registry, overriding(plugin("ant"), "x"));
    assert_eq!(claimed.hides().unwrap().id, plugin("bee").id);
    assert!(matches!(outcome(&registry, overriding(plugin("bee"), "x")), Claimed::Conflict { .. }));
}

#[test]
fn a_denied_override_leaves_what_the_plugin_had_added_before() {
    let registry = Registry::new();
    registry.extend(batch(plugin("p"), &["x"])).unwrap();
    assert!(matches!(outcome(&registry, overriding(plugin("p"), "x")), Claimed::PermissionDenied));
    assert_eq!(owner(&registry, "x").as_deref(), Some("p"));
    assert!(!registry.lookup("x").unwrap().description.overrides);
}

#[test]
fn r16_nobody_deregisters_what_is_anothers() {
    let registry = Registry::new();
    registry.publish(batch(app(), &["x"])).unwrap();
    registry.register_plugin_override_policy("p", true);
    let before = registry.generation();
    let owner_of = registry.deregister(&plugin("p").id, "x").unwrap_err();
    assert_eq!(
        (owner_of.id.clone(), registry.generation()),
        (app().id, before),
        "not even one that may override"
    );
}

#[test]
fn two_mcp_servers_on_one_name_are_decided_by_configuration_order() {
    for swapped in [false, true] {
        let registry = Registry::new();
        let (one, two) = (Source::mcp("zeta", 0), Source::mcp("alpha", 1));
        let (first, second) = if swapped { (two.clone(), one.clone()) } else { (one, two) };
        registry.publish(batch(first, &["search"])).unwrap();
        let claimed = outcome(&registry, batch(second, &["search"]));
        match claimed {
            Claimed::Visible { hides: Some(hidden) } => assert!(swapped && &*hidden.id.name == "alpha"),
            Claimed::Behind { winner } => assert!(!swapped && &*winner.id.name == "zeta"),
            other => panic!("{other:?}"),
        }
        assert_eq!(owner(&registry, "search").as_deref(), Some("zeta"));
        assert_eq!(registry.snapshot().hidden()[0].why, HiddenBy::Collision);
    }
}

#[test]
fn mcp_collision_latest_is_the_references_rule() {
    let registry = with_rule(McpCollision::Latest);
    let (one, two) = (Source::mcp("one", 0), Source::mcp("two", 1));
    registry.publish(batch(one.clone(), &["search"])).unwrap();
    assert_eq!(outcome(&registry, batch(two.clone(), &["search"])).hides().unwrap().id, one.id);
    assert!(
        matches!(outcome(&registry, batch(one.clone(), &["search"])), Claimed::Behind { .. }),
        "a refresh"
    );
    assert_eq!(owner(&registry, "search").as_deref(), Some("two"));
    registry.withdraw(&two.id);
    assert_eq!(owner(&registry, "search").as_deref(), Some("one"));
    registry.publish(batch(plugin("p"), &["search"])).unwrap();
    registry.publish(batch(two, &["search"])).unwrap();
    assert_eq!(owner(&registry, "search").as_deref(), Some("p"), "a plugin is never displaced");
}

#[test]
fn mcp_collision_reject_makes_it_a_conflict_in_any_order() {
    for swapped in [false, true] {
        let registry = with_rule(McpCollision::Reject);
        let (one, two) = (Source::mcp("one", 0), Source::mcp("two", 1));
        let (first, second) = if swapped { (two, one) } else { (one, two) };
        registry.publish(batch(first, &["search"])).unwrap();
        let claimed = outcome(&registry, batch(second, &["search"]));
        assert_eq!(matches!(claimed, Claimed::Conflict { .. }), !swapped);
        assert_eq!(owner(&registry, "search").as_deref(), Some("one"));
        assert_eq!(registry.snapshot().hidden()[0].why, HiddenBy::Conflict);
    }
}

#[test]
fn the_rules_for_mcp_servers_have_the_names_of_the_configuration() {
    for rule in McpCollision::ALL {
        assert_eq!(rule.as_str().parse(), Ok(rule));
    }
    let refused = "newest".parse::<McpCollision>().unwrap_err();
    assert_eq!(refused.to_string(), "expected `first`, `latest` or `reject`");
}

#[test]
fn what_belongs_to_one_source_is_invalid_from_another_and_the_whole_batch_is_refused() {
    let registry = Registry::new();
    let github = || Source::mcp("git-hub", 0);
    let own_toolset = described("mcp__git_hub__search", r#"{"toolset":"mcp-git-hub"}"#);
    registry.publish(with(Batch::new(github()), own_toolset.clone())).unwrap();
    let before = registry.generation();
    let mut renamed = described("a", "{}");
    renamed.name = "a.b".to_owned();
    for (source, description, fault) in [
        (app(), own_toolset.clone(), "begin `mcp-` belong to MCP servers"),
        (plugin("p"), described("a", r#"{"toolset":"mcp-x"}"#), "begin `mcp-` belong to MCP servers"),
        (plugin("p"), described("mcp__git_hub__x", "{}"), "names that begin `mcp__`"),
        (Source::mcp("other", 1), own_toolset, "each its own"),
        (Source::mcp("other", 1), described("mcp__git_hub__x", "{}"), "each its own"),
        (plugin("p"), described("tool_search", "{}"), "search over the table"),
        (github(), described("tool_call", "{}"), "search over the table"),
        (app(), described("a", r#"{"toolset":"all"}"#), "means every toolset"),
        (app(), renamed, "no model can use the name"),
    ] {
        let batch = with(with(Batch::new(source), described("fine", "{}")), description);
        let refused = registry.publish(batch).unwrap_err();
        assert_eq!(refused.code, Some(Code::T6006));
        assert!(refused.reason.contains(fault), "{refused}");
        assert_eq!((registry.generation(), registry.lookup("fine").is_none()), (before, true));
    }
}

#[test]
fn a_long_servers_shortened_names_are_its_own() {
    let long = "server-".repeat(12);
    let name = format!("{}_deadbeef", &format!("mcp__{}", long.replace('-', "_"))[..55]);
    Registry::new().publish(batch(Source::mcp(&long, 0), &[&name])).unwrap();
    assert!(Registry::new().publish(batch(Source::mcp("short", 0), &[&name])).is_err());
}

#[test]
fn a_tool_of_the_host_can_be_dynamic_and_have_a_check() {
    let registry = Registry::new();
    let tools = with(Batch::new(app()), described("a", "{}"))
        .overridden_by(|| Ok(r#"{"description":"of the moment"}"#.to_owned()))
        .checked_by(|| Err("not now".to_owned()));
    registry.publish(tools).unwrap();
    let entry = registry.lookup("a").unwrap();
    assert!(entry.description.dynamic && entry.description.check && entry.has_check());
    assert_eq!(entry.handler.overrides().unwrap(), r#"{"description":"of the moment"}"#);
    assert_eq!(entry.handler.check().unwrap_err(), "not now");
    assert_eq!(registry.call_inline("a", "{}", &Call::new()).as_str(), "app");
}

#[test]
fn r19_an_unset_limit_is_the_default_and_unlimited_is_none() {
    let registry = Registry::new();
    let mut tools = Batch::new(app());
    for (name, limit) in
        [("unset", "null"), ("unlimited", "\"unlimited\""), ("small", "10"), ("huge", "1000000")]
    {
        tools = with(tools, described(name, &format!(r#"{{"max_result_size_chars":{limit}}}"#)));
    }
    registry.publish(tools).unwrap();
    registry.publish(batch(Source::mcp("srv", 0), &["remote"])).unwrap();
    let snapshot = registry.snapshot();
    let size = |name: &str| snapshot.max_result_size(name);
    assert_eq!(size("unset"), Some(MaxResultSize::Chars(100_000)));
    assert_eq!(size("unlimited"), Some(MaxResultSize::Unlimited));
    assert_eq!(size("small"), Some(MaxResultSize::Chars(10)));
    assert_eq!(size("huge"), Some(MaxResultSize::Chars(100_000)), "at most the default");
    assert_eq!(size("remote"), Some(MaxResultSize::Chars(50_000)));
    assert_eq!(size("nobody"), None);
}

#[test]
fn r20_two_registries_have_nothing_in_common() {
    let (one, two) = (Registry::new(), Registry::new());
    one.publish(batch(app(), &["a"])).unwrap();
    one.register_plugin_override_policy("p", true);
    one.define_toolset("mine", Toolset::new("")).unwrap();
    one.register_toolset_alias("x", "demo").unwrap();
    one.invalidate_availability();
    assert!(outcome(&one, overriding(plugin("p"), "a")).is_visible());
    assert_eq!(two.generation(), 0);
    assert!(two.snapshot().tools().is_empty() && two.snapshot().toolset("mine").is_none());
    assert!(matches!(outcome(&two, overriding(plugin("p"), "a")), Claimed::PermissionDenied));
    assert_ne!(one.availability_epoch(), two.availability_epoch());
}

#[test]
fn r21_the_queries() {
    let registry = Registry::new();
    let tools = with(
        Batch::new(app()),
        described("web_search", r#"{"toolset":"web","emoji":"🔎","requires_env":["A|B","C"]}"#),
    );
    let tools = with(tools, described("web_extract", r#"{"toolset":"web","requires_env":["C"]}"#))
        .checked_by(|| Ok(()));
    registry.publish(tools).unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.schema("web_search").unwrap().get(), r#"{"type":"object"}"#);
    assert!(snapshot.schema("nobody").is_none());
    assert_eq!((snapshot.toolset_of("web_search"), snapshot.toolset_of("nobody")), (Some("web"), None));
    assert_eq!(
        (snapshot.emoji("web_search"), snapshot.emoji("web_extract"), snapshot.emoji("nobody")),
        ("🔎", "⚡", "⚡")
    );
    let map: BTreeMap<&str, &str> = [("web_search", "web"), ("web_extract", "web")].into();
    assert_eq!(snapshot.tool_toolsets(), map);
    let requirements = snapshot.requirements();
    assert_eq!(requirements["web"].tools, ["web_extract", "web_search"]);
    assert_eq!(requirements["web"].env, ["A|B", "C"]);
    assert_eq!(requirements["web"].checked, ["web_extract"]);
    assert_eq!(requirements["search"].tools, ["web_search"]);
    assert_eq!(snapshot.names().collect::<Vec<_>>(), ["web_extract", "web_search"]);
    let entries: Vec<&str> = snapshot.tools().iter().map(|entry| entry.toolset()).collect();
    assert_eq!(entries, ["web", "web"]);
}

#[test]
fn a_closure_and_an_async_closure_are_tools_in_a_line() {
    let registry = Registry::new();
    let greeting = "hello".to_owned();
    let batch = Batch::new(app())
        .tool(described("plain", "{}"), |_, args| Ok(Output::json(args)))
        .async_tool(described("later", "{}"), async |call, args| {
            Ok(Output::text(format!("{} {args}", call.as_call().session)))
        })
        .async_tool(described("captures", "{}"), move |_, _| {
            let greeting = greeting.clone();
            async move { Ok(Output::text(greeting)) }
        });
    registry.publish(batch).unwrap();
    let call = |name: &str| registry.call_inline(name, "{}", &Call::new().session("s")).as_str().to_owned();
    assert_eq!((&*call("plain"), &*call("later"), &*call("captures")), ("{}", "s {}", "hello"));
    assert!(registry.lookup("later").unwrap().description.is_async);
}
