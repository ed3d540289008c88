//! A tool's description and schema, in the parts that providers put together in their own way.

use serde_json::Value;

use super::calls::back::Guide;
use super::profile::{Profile, Strictness};
use super::schema::{self, Nulls, Plain, Schema, Unusable, quirks};
use super::text::{split_at_chars, visible};
use crate::tool::Description;

pub(super) struct Shape {
    pub(super) description: String,
    pub(super) parameters: Schema,
    pub(super) changes: Vec<String>,
    /// How calls get back to what the tool takes, if they have to.
    pub(super) guide: Option<Guide>,
    /// Whether `parameters` are in the strict form.
    pub(super) strictness: Strictness,
}

impl Shape {
    /// In the plain subset, without what the profile's quirks exclude.
    pub(super) fn plain(tool: &Description, profile: &Profile) -> Result<Self, Unusable> {
        Ok(Self::of(tool, plain(tool, profile, Nulls::Collapse)?))
    }

    /// In OpenAI's strict form if the profile asks for it and there is one; else plain.
    pub(super) fn openai(tool: &Description, profile: &Profile) -> Result<Self, Unusable> {
        if profile.strictness == Strictness::Loose {
            return Self::plain(tool, profile);
        }
        let marked = plain(tool, profile, Nulls::Mark)?;
        match schema::strict::strict(&marked.schema) {
            Ok((parameters, lost)) => {
                let guide = Guide::strict(marked.schema);
                let notes = marked.notes.into_iter().chain(lost).collect();
                let strict = Plain { schema: parameters, notes, changes: marked.changes };
                Ok(Shape { guide: Some(guide), strictness: Strictness::Strict, ..Self::of(tool, strict) })
            }
            Err(fault) => {
                let mut shape = Self::plain(tool, profile)?;
                shape.changes.push(format!("not strict: {fault}"));
                Ok(shape)
            }
        }
    }

    pub(super) fn of(tool: &Description, plain: Plain) -> Self {
        let mut description = visible(&tool.description).trim().to_owned();
        if !plain.notes.is_empty() {
            if !description.is_empty() {
                description.push_str("\n\n");
            }
            description.push_str(&plain.notes.join(" "));
        }
        Shape {
            description,
            parameters: plain.schema,
            changes: plain.changes,
            guide: None,
            strictness: Strictness::Loose,
        }
    }

    /// Moves what is beyond `max` characters of the description to the schema's own, which has no limit.
    pub(super) fn limit_description(&mut self, max: usize) {
        let (head, rest) = split_at_chars(&self.description, max);
        if rest.is_empty() {
            return;
        }
        let rest = match self.parameters.get("description").and_then(Value::as_str) {
            Some(own) => format!("{rest}\n\n{own}"),
            None => rest.to_owned(),
        };
        let head = head.to_owned();
        self.parameters.insert("description".to_owned(), rest.into());
        self.description = head;
        self.changes
            .push(format!("the description goes on in the schema's: at most {max} characters are allowed"));
    }
}

/// The plain schema, without what the profile's quirks exclude.
pub(super) fn plain(tool: &Description, profile: &Profile, nulls: Nulls) -> Result<Plain, Unusable> {
    let mut plain = schema::plain(tool.schema.get(), nulls)?;
    quirks::apply(&mut plain, profile.quirks);
    Ok(plain)
}
