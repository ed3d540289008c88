//! What a tool says of itself: one JSON text, read once.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::name::is_valid_name;

/// JSON that is kept as the text it came as.
pub type JsonText = Box<RawValue>;

/// Every field of a tool's description. A hint that is `None` is unsaid.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Description {
    /// What a model calls it by: see [`is_valid_name`].
    pub name: String,
    /// The group it belongs to.
    pub toolset: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments: an object.
    pub schema: JsonText,
    /// The JSON Schema of its result, if it has one.
    pub output_schema: Option<JsonText>,
    /// A name for people.
    pub title: Option<String>,
    /// A picture for people.
    pub emoji: Option<String>,
    /// Environment variables without which it is unavailable; `A|B` means either.
    pub requires_env: Vec<String>,
    /// Whether it is called as a future.
    pub is_async: bool,
    /// Whether it can be asked if it is available.
    pub check: bool,
    /// The check that it shares with others.
    pub check_id: Option<String>,
    /// Whether its description changes over time.
    pub dynamic: bool,
    /// Whether it leaves everything as it is.
    pub read_only: Option<bool>,
    /// Whether it can destroy something.
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments adds nothing.
    pub idempotent: Option<bool>,
    /// Whether it reaches beyond this machine.
    pub open_world: Option<bool>,
    /// Whether it may run beside other calls.
    pub parallel_safe: bool,
    /// Arguments that name what it touches: calls that differ in them may run side by side.
    pub parallel_key: Vec<String>,
    /// How many calls may run at once.
    pub max_concurrent: Option<u32>,
    /// How long a call may take.
    pub timeout: Option<Timeout>,
    /// How large a result may be.
    pub max_result_size_chars: Option<MaxResultSize>,
    /// Whether it asks to stand before the tool of that name which is already there.
    pub overrides: bool,
    /// The keys that this version does not know, as they came.
    pub extra: BTreeMap<String, JsonText>,
}

/// How long a call may take.
#[derive(Clone, Debug, PartialEq)]
pub enum Timeout {
    /// As long as it likes.
    None,
    /// So many seconds.
    Seconds(f64),
    /// As many seconds as that argument says.
    Argument(String),
}

/// How large a result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxResultSize {
    /// So many Unicode scalar values.
    Chars(u64),
    /// Only the hard caps hold.
    Unlimited,
}

/// Why a description is no tool's: which field, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTool {
    /// The tool's name, if it could be read.
    pub tool: String,
    /// What is wrong, and where.
    pub fault: String,
}

impl fmt::Display for InvalidTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool `{}`: {}", crate::escaped(std::path::Path::new(&self.tool)), self.fault)
    }
}

impl std::error::Error for InvalidTool {}

impl Description {
    /// A description with its required fields.
    ///
    /// # Errors
    /// If the name is none that every model can use, or `schema` is not a JSON object of type `object`.
    pub fn new(name: &str, toolset: &str, description: &str, schema: &str) -> Result<Self, InvalidTool> {
        let text = serde_json::json!({ "name": name, "toolset": toolset, "description": description });
        let mut fields = Fields::parse(&text.to_string())?;
        let schema = RawValue::from_string(schema.to_owned()).map_err(|e| InvalidTool {
            tool: name.to_owned(),
            fault: format!("`schema` is not JSON: {e}"),
        })?;
        fields.0.insert("schema".to_owned(), schema);
        Self::from_fields(fields, toolset)
    }

    /// Reads a description. A tool that names no toolset belongs to `default_toolset`.
    ///
    /// # Errors
    /// If the text is no JSON object, a required field is missing, or one is not what it must be.
    pub fn from_json(text: &str, default_toolset: &str) -> Result<Self, InvalidTool> {
        Self::from_fields(Fields::parse(text)?, default_toolset)
    }

    fn from_fields(mut fields: Fields, default_toolset: &str) -> Result<Self, InvalidTool> {
        let name: String = match fields.take("name") {
            Ok(Some(name)) => name,
            Ok(None) => {
                return Err(InvalidTool { tool: "?".to_owned(), fault: "`name` is missing".to_owned() });
            }
            Err(fault) => return Err(InvalidTool { tool: "?".to_owned(), fault }),
        };
        let described = |fault: String| InvalidTool { tool: name.chars().take(80).collect(), fault };
        if !is_valid_name(&name) {
            return Err(described(
                "the name must be a letter, then at most 63 letters, digits or underscores".to_owned(),
            ));
        }
        Self::read(&name, fields, default_toolset).map_err(described)
    }

    fn read(name: &str, mut fields: Fields, default_toolset: &str) -> Result<Self, String> {
        let schema: JsonText = fields.take("schema")?.ok_or("`schema` is missing")?;
        check_schema(&schema)?;
        let toolset = fields.take::<String>("toolset")?.filter(|toolset| !toolset.is_empty());
        Ok(Description {
            name: name.to_owned(),
            toolset: toolset.unwrap_or_else(|| default_toolset.to_owned()),
            description: fields.take("description")?.unwrap_or_default(),
            schema,
            output_schema: fields.take("output_schema")?,
            title: fields.take("title")?,
            emoji: fields.take("emoji")?,
            requires_env: fields.take("requires_env")?.unwrap_or_default(),
            is_async: fields.take("is_async")?.unwrap_or_default(),
            check: fields.take("check")?.unwrap_or_default(),
            check_id: fields.take("check_id")?,
            dynamic: fields.take("dynamic")?.unwrap_or_default(),
            read_only: fields.take("read_only")?,
            destructive: fields.take("destructive")?,
            idempotent: fields.take("idempotent")?,
            open_world: fields.take("open_world")?,
            parallel_safe: fields.take("parallel_safe")?.unwrap_or_default(),
            parallel_key: fields
                .take::<OneOrMore>("parallel_key")?
                .map(OneOrMore::into_vec)
                .unwrap_or_default(),
            max_concurrent: fields.take("max_concurrent")?,
            timeout: fields.take("timeout")?,
            max_result_size_chars: fields.take("max_result_size_chars")?,
            overrides: fields.take("override")?.unwrap_or_default(),
            extra: fields.0,
        })
    }
}

struct Fields(BTreeMap<String, JsonText>);

impl Fields {
    fn parse(text: &str) -> Result<Self, InvalidTool> {
        serde_json::from_str(text).map(Fields).map_err(|e| InvalidTool {
            tool: "?".to_owned(),
            fault: format!("the description is not a JSON object: {e}"),
        })
    }

    /// Takes a field out; `null` is as good as absent.
    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, String> {
        let Some(raw) = self.0.remove(key) else { return Ok(None) };
        serde_json::from_str(raw.get()).map_err(|e| format!("`{key}`: {e}"))
    }
}

fn check_schema(schema: &RawValue) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Root<'a> {
        #[serde(rename = "type", borrow)]
        kind: Option<&'a RawValue>,
        #[serde(borrow)]
        properties: Option<&'a RawValue>,
    }
    let is_object = |raw: &RawValue| raw.get().starts_with('{');
    if !is_object(schema) {
        return Err("`schema` must be a JSON object".to_owned());
    }
    let root: Root<'_> = serde_json::from_str(schema.get()).map_err(|e| format!("`schema`: {e}"))?;
    if root.kind.is_some_and(|kind| kind.get() != "\"object\"") {
        return Err("`schema` must be of type `object`: arguments have names".to_owned());
    }
    if root.properties.is_some_and(|properties| !is_object(properties)) {
        return Err("`schema.properties` must be a JSON object".to_owned());
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn into_vec(self) -> Vec<String> {
        match self {
            OneOrMore::One(one) => vec![one],
            OneOrMore::More(more) => more,
        }
    }
}

impl<'de> Deserialize<'de> for Timeout {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Seconds(f64),
            Word(String),
            Argument { arg: String },
        }
        match Form::deserialize(deserializer)? {
            Form::Seconds(seconds) if seconds > 0.0 => Ok(Timeout::Seconds(seconds)),
            Form::Word(word) if word == "none" => Ok(Timeout::None),
            Form::Argument { arg } => Ok(Timeout::Argument(arg)),
            _ => Err(serde::de::Error::custom("expected seconds above 0, \"none\" or {\"arg\": NAME}")),
        }
    }
}

impl<'de> Deserialize<'de> for MaxResultSize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Chars(u64),
            Word(String),
        }
        match Form::deserialize(deserializer)? {
            Form::Chars(chars) => Ok(MaxResultSize::Chars(chars)),
            Form::Word(word) if word == "unlimited" => Ok(MaxResultSize::Unlimited),
            Form::Word(_) => Err(serde::de::Error::custom("expected a number or \"unlimited\"")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Description::from_json(text, "demo").expect_err("should be refused").to_string()
    }

    #[test]
    fn a_description_keeps_the_keys_it_does_not_know() {
        let text =
            r#"{"name":"a","schema":{"type":"object"},"later":[1, 2],"timeout":{"arg":"t"},"title":null}"#;
        let description = Description::from_json(text, "demo").unwrap();
        assert_eq!(description.toolset, "demo");
        assert_eq!(description.timeout, Some(Timeout::Argument("t".to_owned())));
        assert_eq!(description.extra["later"].get(), "[1, 2]");
        assert_eq!(description.title, None);
    }

    #[test]
    fn a_schema_that_is_no_object_is_refused_with_the_spot() {
        assert!(fault(r#"{"name":"a","schema":[]}"#).contains("`schema` must be a JSON object"));
        assert!(fault(r#"{"name":"a","schema":"x"}"#).contains("`schema` must be a JSON object"));
        assert!(fault(r#"{"name":"a","schema":{"type":"array"}}"#).contains("of type `object`"));
        assert!(fault(r#"{"name":"a","schema":{"properties":[]}}"#).contains("`schema.properties`"));
        assert!(fault(r#"{"name":"a"}"#).contains("`schema` is missing"));
    }

    #[test]
    fn a_field_of_the_wrong_type_is_named() {
        assert!(fault(r#"{"name":"a","schema":{},"emoji":7}"#).contains("`emoji`: invalid type"));
        assert!(fault(r#"{"name":"a","schema":{},"timeout":-1}"#).contains("`timeout`: expected seconds"));
        assert!(fault(r#"{"name":"a b","schema":{}}"#).contains("the name must be a letter"));
        assert!(fault("[]").contains("not a JSON object"));
    }
}
