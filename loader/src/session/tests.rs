//! Toolsets, selection and sessions: each line of the rules.

use std::path::Path;

use crate::{
    Absence, Batch, Call, Code, Description, Diagnosis, ErrorType, Output, Provider, Registry, Selection,
    Session, Source, Toolset, ToolsetRefused,
};

fn batch(source: Source, tools: &[(&str, &str)]) -> Batch {
    let mut batch = Batch::new(source);
    for (name, toolset) in tools {
        let description = Description::new(name, toolset, "A tool", r#"{"type":"object"}"#).unwrap();
        batch = batch.tool(description, |_, _| Ok(Output::text("done")));
    }
    batch
}

fn own(registry: &Registry, tools: &[(&str, &str)]) {
    registry.extend(batch(Source::builtin("app"), tools)).unwrap();
}

fn plugin(name: &str) -> Source {
    Source::plugin(name, 0, Path::new(&format!("/tools/{name}.so")))
}

/// A table with what ships, as far as it matters here.
fn table() -> Registry {
    let registry = Registry::new();
    own(
        &registry,
        &[
            ("write_file", "file"),
            ("read_file", "file"),
            ("terminal", "terminal"),
            ("web_search", "web"),
            ("web_extract", "web"),
            ("weather", "sky"),
        ],
    );
    registry
}

fn names(session: &Session) -> Vec<&str> {
    session.tools().map(|entry| entry.name()).collect()
}

fn members(registry: &Registry, toolset: &str) -> Option<Vec<String>> {
    let snapshot = registry.snapshot();
    let tools = snapshot.tools_in(toolset)?;
    Some(tools.iter().map(|entry| entry.name().to_owned()).collect())
}

fn only(registry: &Registry, enabled: &[&str]) -> Session {
    registry.session(&Selection::only(enabled.iter().copied()))
}

fn absence(session: &Session, tool: &str) -> Option<String> {
    let found = session.absent().into_iter().find(|absent| absent.tool == tool)?;
    Some(found.why.to_string())
}

#[test]
fn what_ships_is_defined_from_the_start() {
    let snapshot = Registry::new().snapshot();
    let shipped =
        ["browser", "debugging", "delegation", "file", "safe", "search", "skills", "terminal", "web"];
    assert_eq!(snapshot.toolsets(), shipped);
    for name in shipped {
        let toolset = snapshot.toolset(name).unwrap();
        assert!(!toolset.description.is_empty());
        assert_eq!(toolset.is_closed(), name == "safe");
    }
    assert_eq!(snapshot.toolset("debugging").unwrap().includes, ["web", "file"]);
    assert_eq!(snapshot.toolset("safe").unwrap().includes, ["web"]);
}

#[test]
fn a_resolution_is_sorted_and_without_duplicates() {
    let registry = table();
    let tools = ["read_file", "terminal", "web_extract", "web_search", "write_file"];
    assert_eq!(members(&registry, "debugging").unwrap(), tools);
    assert_eq!(names(&only(&registry, &["web", "debugging", "search", "web_search"])), tools);
}

#[test]
fn a_resolution_ends_on_cycles_and_diamonds() {
    let registry = table();
    registry
        .define_toolset("itself", Toolset::new("").with_includes(["itself"]).with_tools(["terminal"]))
        .unwrap();
    registry.define_toolset("a", Toolset::new("").with_includes(["b", "web"])).unwrap();
    registry.define_toolset("b", Toolset::new("").with_includes(["a", "web", "itself"])).unwrap();
    assert_eq!(members(&registry, "itself").unwrap(), ["terminal"]);
    assert_eq!(members(&registry, "a").unwrap(), ["terminal", "web_extract", "web_search"]);
    assert_eq!(members(&registry, "a"), members(&registry, "b"));
}

#[test]
fn a_chain_of_includes_may_be_as_long_as_it_likes() {
    let mut toolsets = crate::toolsets::Toolsets::default();
    for at in 0..20_000 {
        toolsets
            .define(&format!("chain{at}"), Toolset::new("").with_includes([format!("chain{}", at + 1)]))
            .unwrap();
    }
    toolsets.define("chain20000", Toolset::new("").with_tools(["x"])).unwrap();
    let snapshot = crate::registry::Snapshot::of_toolsets(toolsets);
    assert_eq!(snapshot.tools_in("chain0").unwrap().len(), 0);
}

#[test]
fn all_and_the_star_mean_everything() {
    let registry = table();
    let everything = members(&registry, "all").unwrap();
    assert_eq!(everything.len(), 6);
    assert_eq!(members(&registry, "*").unwrap(), everything);
    assert_eq!(names(&only(&registry, &["*"])), everything);
    registry.define_toolset("most", Toolset::new("").with_includes(["all"])).unwrap();
    assert_eq!(members(&registry, "most").unwrap(), everything);
}

#[test]
fn names_are_those_that_are_defined_those_that_the_registry_owns_and_aliases() {
    let registry = table();
    registry.register_toolset_alias("forecast", "sky").unwrap();
    assert_eq!(members(&registry, "sky").unwrap(), ["weather"]);
    assert_eq!(members(&registry, "forecast").unwrap(), ["weather"]);
    assert_eq!(members(&registry, "browser").unwrap(), [""; 0], "defined, and nobody has registered into it");
    assert_eq!(members(&registry, "weather"), None, "a tool is no toolset");
    assert!(registry.snapshot().toolsets().contains(&"sky"));
    assert_eq!(registry.snapshot().toolset_aliases().collect::<Vec<_>>(), [("forecast", "sky")]);
}

#[test]
fn a_tool_that_is_registered_under_a_defined_toolsets_name_belongs_to_it() {
    let registry = table();
    registry.publish(batch(plugin("more"), &[("web_crawl", "web")])).unwrap();
    assert_eq!(members(&registry, "web").unwrap(), ["web_crawl", "web_extract", "web_search"]);
    assert!(names(&only(&registry, &["debugging"])).contains(&"web_crawl"), "through includes as well");
}

#[test]
fn a_closed_toolset_admits_a_plugins_tool_only_if_it_is_listed() {
    let registry = table();
    let published = registry
        .publish(batch(plugin("sly"), &[("sly", "safe"), ("sly_web", "web"), ("fair", "web")]))
        .unwrap();
    assert_eq!(published.not_admitted, ["sly"]);
    assert_eq!(
        members(&registry, "safe").unwrap(),
        ["web_extract", "web_search"],
        "not by way of `web` either"
    );
    assert_eq!(names(&only(&registry, &["web"])).len(), 4, "`web` is as open as it was");
    // Both at once: what is open stays open, what is closed stays closed.
    assert_eq!(names(&only(&registry, &["safe", "web"])).len(), 4);

    registry.define_toolset("safe", Toolset::default().with_tools(["sly"])).unwrap();
    assert_eq!(members(&registry, "safe").unwrap(), ["sly", "web_extract", "web_search"]);
    assert!(registry.snapshot().toolset("safe").unwrap().is_closed(), "adding to it does not open it");
}

#[test]
fn a_closed_toolset_admits_what_the_host_itself_registers_under_it() {
    let registry = table();
    own(&registry, &[("calculator", "safe")]);
    registry.publish(batch(Source::mcp("srv", 0), &[("remote", "safe")])).unwrap();
    assert_eq!(members(&registry, "safe").unwrap(), ["calculator", "web_extract", "web_search"]);
}

#[test]
fn a_closed_toolset_that_includes_everything_still_shuts_plugins_out() {
    let registry = table();
    registry.publish(batch(plugin("sly"), &[("sly", "sly")])).unwrap();
    registry.define_toolset("own", Toolset::new("").with_includes(["*"]).with_closed(true)).unwrap();
    assert_eq!(members(&registry, "own").unwrap().len(), 6);
}

#[test]
fn enabled_absent_means_all_and_empty_means_none() {
    let registry = table();
    assert_eq!(names(&registry.session(&Selection::all())).len(), 6);
    assert!(names(&only(&registry, &[])).is_empty());
    assert_eq!(only(&registry, &[]).definitions(Provider::OpenAi).json, "[]");
}

#[test]
fn a_name_that_is_no_toolset_but_a_tool_selects_that_tool() {
    let registry = table();
    assert_eq!(names(&only(&registry, &["read_file", "sky"])), ["read_file", "weather"]);
    own(&registry, &[("process", "terminal")]);
    assert_eq!(names(&only(&registry, &["terminal"])), ["process", "terminal"], "the toolset comes first");
}

#[test]
fn an_unknown_name_is_a_warning_with_the_nearest_and_never_an_error() {
    let registry = table();
    let session = registry.session(&Selection::only(["fiel", "web"]).without(["qqqq"]));
    assert_eq!(names(&session), ["web_extract", "web_search"]);
    let [typo, stranger] = session.unknown_names() else { panic!("{:?}", session.unknown_names()) };
    assert_eq!((&*typo.name, &*typo.near[0]), ("fiel", "file"));
    assert_eq!((&*stranger.name, stranger.near.len()), ("qqqq", 0));
    assert!(only(&registry, &["browser"]).unknown_names().is_empty(), "defined, though it is empty");
}

#[test]
fn an_include_that_stands_for_nothing_is_told_as_well() {
    let registry = table();
    registry.define_toolset("mine", Toolset::new("").with_includes(["wbe"])).unwrap();
    let session = only(&registry, &["mine"]);
    assert_eq!(session.unknown_names()[0].near, ["web"]);
}

#[test]
fn disabled_is_subtracted_last_and_by_tool_also_when_a_composite_brought_it() {
    let registry = table();
    let session = registry.session(&Selection::only(["debugging", "web"]).without(["web", "read_file"]));
    assert_eq!(names(&session), ["terminal", "write_file"]);
    assert_eq!(absence(&session, "web_search").unwrap(), "taken away by `web`");
    assert_eq!(absence(&session, "read_file").unwrap(), "taken away by `read_file`");
    let session = registry.session(&Selection::all().without(["debugging"]));
    assert_eq!(names(&session), ["weather"]);
    assert!(names(&registry.session(&Selection::all().without(["*"]))).is_empty());
}

#[test]
fn what_is_registered_but_in_no_selected_toolset_is_told_with_the_reason() {
    let registry = table();
    registry.publish(batch(plugin("sly"), &[("sly", "safe")])).unwrap();
    let session = only(&registry, &["web"]);
    let absent = session.absent();
    let tools: Vec<&str> = absent.iter().map(|absent| &*absent.tool).collect();
    assert_eq!(tools, ["read_file", "sly", "terminal", "weather", "write_file"]);
    assert_eq!(absent[3].why, Absence::Unselected("sky".to_owned()));
    assert_eq!(absence(&session, "weather").unwrap(), "its toolset `sky` is not selected");
    assert_eq!(absent[1].why, Absence::NotAdmitted("safe".to_owned()));
    assert!(registry.session(&Selection::all()).absent().is_empty());
}

#[test]
fn what_a_selected_toolset_lists_and_nobody_registered_is_told_with_the_file_that_failed() {
    let registry = table();
    let session = only(&registry, &["file"]);
    assert_eq!(absence(&session, "patch").unwrap(), "a selected toolset lists it, and nobody registered it");
    let diagnosis = Diagnosis::new(Code::T2007, "/tools/libfile.so", "it is for another machine");
    registry.note_missing(&["patch".to_owned()], &diagnosis);
    let told = absence(&session.renewed(), "patch").unwrap();
    assert!(told.contains("T2007") && told.contains("`/tools/libfile.so`"), "{told}");
    let without = registry.session(&Selection::only(["file"]).without(["file"]));
    assert_eq!(absence(&without, "patch"), None, "it was not wanted");
}

#[test]
fn what_a_session_is_shown_is_what_its_dispatch_accepts() {
    let registry = table();
    for selection in [
        Selection::all(),
        Selection::only(["web", "sky"]),
        Selection::only(["debugging"]).without(["web"]),
        Selection::only(Vec::<String>::new()),
    ] {
        let session = registry.session(&selection);
        let shown: Vec<serde_json::Value> =
            serde_json::from_str(&session.definitions(Provider::Mcp).json).unwrap();
        let shown: Vec<&str> = shown.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for name in registry.snapshot().names() {
            let accepted =
                session.call_inline(name, "{}", &Call::new()).error != Some(ErrorType::UnknownTool);
            assert_eq!(accepted, shown.contains(&name), "{name} with {selection:?}");
        }
    }
}

#[test]
fn a_session_keeps_its_snapshot_and_a_renewed_one_says_what_has_changed() {
    let registry = table();
    let session = only(&registry, &["file", "sky"]);
    registry.withdraw(&Source::builtin("app").id);
    own(&registry, &[("read_file", "file"), ("patch", "file")]);
    let description = Description::new("weather", "sky", "Another description", "{}").unwrap();
    registry
        .extend(Batch::new(Source::builtin("app")).tool(description, |_, _| Ok(Output::text(""))))
        .unwrap();
    own(&registry, &[("elsewhere", "elsewhere")]);
    assert_eq!(names(&session), ["read_file", "weather", "write_file"]);
    let later = session.renewed();
    assert_eq!(names(&later), ["patch", "read_file", "weather"]);
    let diff = session.diff(&later);
    assert_eq!(
        (&diff.added[..], &diff.removed[..]),
        (&["patch".to_owned()][..], &["write_file".to_owned()][..])
    );
    assert_eq!(diff.changed, ["weather"], "registered again as it was is no change");
    let tables = crate::diff(session.snapshot(), later.snapshot());
    assert_eq!(tables.added, ["elsewhere", "patch"]);
    assert!(crate::diff(later.snapshot(), later.snapshot()).is_empty());
}

#[test]
fn a_call_to_a_tool_that_has_gone_gets_a_readable_error() {
    let registry = table();
    let near = |tools: &[(&str, &str)]| registry.publish(batch(plugin("near"), tools)).unwrap();
    near(&[("shared", "x"), ("replaced", "x")]);
    let session = registry.session(&Selection::all());
    let call = |name: &str| session.call_inline(name, "{}", &Call::new());
    near(&[("replaced", "x")]);
    assert_eq!(call("replaced").as_str(), "done", "its own source has replaced it");
    assert_eq!(call("read_file").as_str(), "done");
    let gone = call("shared");
    assert_eq!(gone.error, Some(ErrorType::Unavailable));
    let text =
        "the tool `shared` of plugin `near` (`/tools/near.so`) was removed after this session was shown it";
    assert!(gone.as_str().contains(text), "{}", gone.as_str());
    own(&registry, &[("shared", "x"), ("replaced", "x")]);
    assert!(call("shared").as_str().contains("the name stands for the one of the host `app` now"));
    assert_eq!(call("replaced").as_str(), "done", "it is hidden now, and registered still");
    assert_eq!(session.gone("never_there"), None);
}

#[test]
fn r9_with_the_last_tool_of_a_toolset_its_aliases_go() {
    let registry = table();
    own(&registry, &[("sunset", "sky")]);
    registry.register_toolset_alias("forecast", "sky").unwrap();
    let app = Source::builtin("app").id;
    registry.deregister(&app, "sunset").unwrap();
    assert!(members(&registry, "forecast").is_some());
    registry.deregister(&app, "weather").unwrap();
    assert_eq!(members(&registry, "forecast"), None);
    assert_eq!(registry.snapshot().toolset_aliases().count(), 0);
}

#[test]
fn r9_an_alias_lives_through_a_replacement_of_all_the_tools() {
    let registry = Registry::new();
    let server = || Source::mcp("github", 0);
    registry.publish(batch(server(), &[("mcp__github__search", "mcp-github")])).unwrap();
    registry.register_toolset_alias("github", "mcp-github").unwrap();
    registry.publish(batch(server(), &[("mcp__github__find", "mcp-github")])).unwrap();
    assert_eq!(members(&registry, "github").unwrap(), ["mcp__github__find"]);
    registry.publish(batch(server(), &[])).unwrap();
    assert_eq!(members(&registry, "github"), None);
}

#[test]
fn r10_an_alias_can_be_pointed_elsewhere_and_says_where_it_pointed() {
    let registry = table();
    assert_eq!(registry.register_toolset_alias("net", "web").unwrap(), None);
    assert_eq!(registry.register_toolset_alias("net", "sky").unwrap().as_deref(), Some("web"));
    assert_eq!(members(&registry, "net").unwrap(), ["weather"]);
}

#[test]
fn r10_an_alias_equal_to_a_defined_toolset_is_refused_in_either_order() {
    let registry = table();
    let before = registry.generation();
    let refused = registry.register_toolset_alias("file", "sky").unwrap_err();
    assert_eq!(refused, ToolsetRefused::Defined("file".to_owned()));
    assert_eq!(refused.to_string(), "`file` is a toolset, and can not be an alias of another");
    assert_eq!(registry.generation(), before, "nothing has changed");
    registry.register_toolset_alias("mine", "sky").unwrap();
    registry.define_toolset("mine", Toolset::new("").with_tools(["terminal"])).unwrap();
    assert_eq!(members(&registry, "mine").unwrap(), ["terminal"]);
    assert_eq!(registry.snapshot().toolset_aliases().count(), 0);
}

#[test]
fn names_that_no_selection_could_hold_are_refused() {
    let registry = table();
    let before = registry.generation();
    let define = |name: &str| registry.define_toolset(name, Toolset::new("")).unwrap_err();
    assert_eq!(define("all"), ToolsetRefused::Reserved("all".to_owned()));
    assert_eq!(define("mcp-github"), ToolsetRefused::Reserved("mcp-github".to_owned()));
    for name in ["", "a b", "a,b", "a\nb"] {
        assert_eq!(define(name), ToolsetRefused::Malformed(name.to_owned()));
        assert!(registry.register_toolset_alias(name, "web").is_err());
    }
    assert!(registry.register_toolset_alias("*", "web").is_err());
    registry.register_toolset_alias("a", "b").unwrap();
    registry.register_toolset_alias("b", "c").unwrap();
    assert_eq!(registry.register_toolset_alias("c", "a"), Err(ToolsetRefused::Circular("c".to_owned())));
    assert_eq!(registry.register_toolset_alias("a", "a"), Err(ToolsetRefused::Circular("a".to_owned())));
    assert_eq!(registry.generation(), before + 2);
}
