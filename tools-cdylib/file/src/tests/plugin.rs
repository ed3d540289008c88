//! The functions as tools: configuration, context, errors, and the schemas that models see.

use std::time::Duration;

use toolrack_plugin::serde_json::Map;
use toolrack_plugin::{Context, Tool, ToolError, Value, json};

use super::support::*;
use crate::search::{Output, Target};

fn context(world: &World) -> Context<'static> {
    Context::detached().with_config(json!({"root": world.root()})).with_spill_dir(world.spill())
}

fn read(ctx: &Context, path: &str) -> Result<String, ToolError> {
    crate::read_file(ctx, path.into(), 1, 500)
}

fn search(ctx: &Context, pattern: &str) -> Result<String, ToolError> {
    crate::search_files(ctx, pattern.into(), Target::Content, ".".into(), None, 50, 0, Output::Content, 0)
}

#[test]
fn what_is_written_can_be_searched_and_read() {
    let world = World::new();
    let ctx = context(&world);
    crate::write_file(&ctx, "a/b.txt".into(), "needle\n".into()).unwrap();
    assert!(search(&ctx, "needle").unwrap().starts_with("a/b.txt\n1:needle"));
    assert_eq!(read(&ctx, "a/b.txt").unwrap(), "     1|needle\n[lines 1-1 of 1]");
}

#[test]
fn a_task_is_shown_the_same_page_once_and_a_call_without_one_always() {
    let world = World::new().with("a.txt", "x\n");
    let ctx = context(&world).with_session("s").with_task("t");
    assert!(read(&ctx, "a.txt").unwrap().contains("1|x"));
    assert!(read(&ctx, "a.txt").unwrap().starts_with("unchanged"));
    crate::write_file(&ctx, "a.txt".into(), "y\n".into()).unwrap();
    assert!(read(&ctx, "a.txt").unwrap().contains("1|y"));
    crate::forget(&ctx.host(), "s");
    assert!(read(&ctx, "a.txt").unwrap().contains("1|y"));
    let ctx = context(&world);
    for _ in 0..2 {
        assert!(read(&ctx, "a.txt").unwrap().contains("1|y"));
    }
}

#[test]
fn without_a_configured_root_the_working_directory_is_the_root() {
    let ctx = Context::detached();
    // Cargo runs tests in the folder of the package.
    assert!(read(&ctx, "Cargo.toml").unwrap().contains("toolrack_file"));
    assert_eq!(read(&ctx, "../../Cargo.toml").unwrap_err().kind(), "OutsideRoot");
}

#[test]
fn a_faulty_configuration_is_named() {
    let world = World::new();
    let cases = [
        (json!({"rot": "/"}), "rot"),
        (json!({"root": 1}), "root"),
        (json!({"root": "relative"}), "there is no host"),
        (json!({"root": world.root().join("nowhere")}), "nowhere"),
    ];
    for (config, part) in cases {
        let error = read(&Context::detached().with_config(config), "a.txt").unwrap_err();
        assert_eq!(error.error_type(), "unavailable", "{error}");
        assert!(error.message().contains(part), "{part} is not in {error}");
    }
}

#[test]
fn errors_have_a_kind_and_the_hosts_class() {
    let world = World::new().with("a.txt", "x\n");
    let ctx = context(&world);
    let classes = [
        (read(&ctx, "../x"), "OutsideRoot", "refused"),
        (read(&ctx, "b.txt"), "NotFound", "failed"),
        (search(&ctx, "("), "InvalidArgument", "invalid_arguments"),
        (search(&context(&world).with_cancelled(), "x"), "Cancelled", "cancelled"),
        (read(&context(&world).with_remaining(Duration::ZERO), "a.txt"), "OutOfTime", "timeout"),
    ];
    for (result, kind, class) in classes {
        let error = result.unwrap_err();
        assert_eq!((error.kind(), error.error_type()), (kind, class), "{error}");
    }
}

/// The properties of a tool's arguments: name, type, default; and which are required.
fn signature<T: Tool>() -> Value {
    let schema = T::schema();
    assert_eq!(schema["additionalProperties"], false);
    let properties = schema["properties"].as_object().unwrap();
    for (name, property) in properties {
        assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{name} is described");
    }
    let defaults: Map<String, Value> =
        properties.iter().map(|(name, property)| (name.clone(), property["default"].clone())).collect();
    json!({"defaults": defaults, "required": schema["required"]})
}

#[test]
fn names_and_defaults_are_the_interface() {
    assert_eq!(
        signature::<crate::read_file>(),
        json!({"defaults": {"path": null, "offset": 1, "limit": 500}, "required": ["path"]})
    );
    assert_eq!(
        signature::<crate::write_file>(),
        json!({"defaults": {"path": null, "content": null}, "required": ["path", "content"]})
    );
    let search = json!({
        "pattern": null, "target": "content", "path": ".", "file_glob": null, "limit": 50, "offset": 0,
        "output_mode": "content", "context": 0
    });
    assert_eq!(signature::<crate::search_files>(), json!({"defaults": search, "required": ["pattern"]}));
    let schema = crate::search_files::schema();
    assert_eq!(schema["properties"]["target"]["enum"], json!(["content", "files"]));
    assert_eq!(schema["properties"]["output_mode"]["enum"], json!(["content", "files_only", "count"]));
    assert_eq!(crate::read_file::schema()["properties"]["limit"]["maximum"], 2000);
}
