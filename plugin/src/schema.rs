//! JSON Schemas of arguments and results: draft 2020-12, with everything inline that can be.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The schema of a tool's arguments: always an object with `properties`.
pub(crate) fn arguments_schema<T: JsonSchema + ?Sized>() -> Value {
    let mut root =
        bare(SchemaSettings::draft2020_12().with(inline).into_generator().into_root_schema_for::<T>());
    root.entry("type").or_insert_with(|| "object".into());
    let combined = ["oneOf", "anyOf", "allOf", "$ref"].iter().any(|key| root.contains_key(*key));
    if !combined {
        root.entry("properties").or_insert_with(|| Map::new().into());
    }
    Value::Object(root)
}

/// The schema of a result, if it is an object's: MCP knows no other.
pub(crate) fn output_schema<T: JsonSchema + ?Sized>() -> Option<Value> {
    let generator = SchemaSettings::draft2020_12().for_serialize().with(inline).into_generator();
    let root = bare(generator.into_root_schema_for::<T>());
    (root.get("type").is_some_and(|kind| kind == "object")).then_some(Value::Object(root))
}

fn inline(settings: &mut SchemaSettings) {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
}

/// Without the name and the docs of the Rust type, which say nothing to a model.
fn bare(schema: Schema) -> Map<String, Value> {
    match schema.to_value() {
        Value::Object(mut root) => {
            root.remove("title");
            root.remove("description");
            root
        }
        _ => Map::new(),
    }
}
