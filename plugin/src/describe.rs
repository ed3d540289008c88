//! A tool's description at run time: one JSON text.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::meta::{Hint, ResultSize, Timeout};
use crate::{Tool, ToolMeta};

/// The description of `T` in a plugin of that name.
///
/// # Errors
/// In words, if an example is no JSON object.
pub(crate) fn describe<T: Tool>(plugin: &str) -> Result<String, String> {
    let meta = T::META;
    let examples = meta.examples.iter().map(|text| example(text)).collect::<Result<_, _>>()?;
    let description = Description::new(&meta, plugin, T::schema(), T::output_schema(), examples);
    serde_json::to_string(&description).map_err(|error| error.to_string())
}

fn example(text: &str) -> Result<Value, String> {
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(format!("the example `{text}` is not a JSON object")),
        Err(error) => Err(format!("the example `{text}` is not JSON: {error}")),
    }
}

#[derive(Serialize)]
struct Description<'a> {
    name: &'a str,
    toolset: &'a str,
    description: &'a str,
    schema: Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    emoji: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    requires_env: &'a [&'a str],
    #[serde(skip_serializing_if = "is_false")]
    is_async: bool,
    #[serde(skip_serializing_if = "is_false")]
    check: bool,
    #[serde(skip_serializing_if = "str::is_empty")]
    check_id: &'a str,
    #[serde(skip_serializing_if = "is_false")]
    dynamic: bool,
    #[serde(rename = "override", skip_serializing_if = "is_false")]
    overriding: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_only: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idempotent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    open_world: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallel_safe: Option<bool>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parallel_key: &'a [&'a str],
    #[serde(skip_serializing_if = "Option::is_none")]
    max_concurrent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<Timeout>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_result_size_chars: Option<ResultSize>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    hints: &'a [Hint],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<Value>,
}

impl<'a> Description<'a> {
    fn new(
        meta: &'a ToolMeta,
        plugin: &'a str,
        schema: Value,
        output_schema: Option<Value>,
        examples: Vec<Value>,
    ) -> Self {
        Description {
            name: meta.name,
            toolset: if meta.toolset.is_empty() { plugin } else { meta.toolset },
            description: meta.description,
            schema,
            title: meta.title,
            emoji: meta.emoji,
            output_schema,
            requires_env: meta.requires_env,
            is_async: meta.is_async,
            check: meta.check,
            check_id: meta.check_id,
            dynamic: meta.dynamic,
            overriding: meta.overriding,
            read_only: meta.read_only,
            destructive: meta.destructive,
            idempotent: meta.idempotent,
            open_world: meta.open_world,
            parallel_safe: meta.parallel_safe,
            parallel_key: meta.parallel_key,
            max_concurrent: meta.max_concurrent,
            timeout: meta.timeout,
            max_result_size_chars: meta.max_result_size_chars,
            hints: meta.hints,
            examples,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Seconds, `"none"`, or `{"arg": NAME}`.
impl Serialize for Timeout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Argument<'a> {
            arg: &'a str,
        }
        match *self {
            Timeout::None => serializer.serialize_str("none"),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is whole and not negative"
            )]
            Timeout::Seconds(seconds) if seconds >= 0.0 && seconds.fract() == 0.0 => {
                serializer.serialize_u64(seconds as u64)
            }
            Timeout::Seconds(seconds) => serializer.serialize_f64(seconds),
            Timeout::Argument(arg) => Argument { arg }.serialize(serializer),
        }
    }
}

/// A number, or `"unlimited"`.
impl Serialize for ResultSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            ResultSize::Chars(chars) => serializer.serialize_u64(chars),
            ResultSize::Unlimited => serializer.serialize_str("unlimited"),
        }
    }
}

/// `{"tools": [NAME], "text": TEXT}`.
impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            tools: &'a [&'a str],
            text: &'a str,
        }
        Fields { tools: self.tools, text: self.text }.serialize(serializer)
    }
}
