//! Finding tools by what they do: BM25 over their names, descriptions and arguments.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::session::Session;
use crate::tool::{Description, ToolEntry};

/// How soon more of one word says no more, and how much a long text counts for less: the usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// A word of the name counts for so many in the description.
const NAME_WEIGHT: f64 = 3.0;

/// The words of some tools.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// In which tools a word is, by position, and how often.
    words: HashMap<String, Vec<(usize, f64)>>,
    lengths: Vec<f64>,
    average: f64,
}

impl Index {
    fn of<'a>(tools: impl Iterator<Item = &'a Description>) -> Self {
        let mut index = Index::default();
        for (position, tool) in tools.enumerate() {
            let mut counts: BTreeMap<String, f64> = BTreeMap::new();
            let mut add = |text: &str, weight: f64| {
                for word in words(text) {
                    *counts.entry(word).or_default() += weight;
                }
            };
            add(&tool.name, NAME_WEIGHT);
            add(&tool.toolset, 1.0);
            add(tool.title.as_deref().unwrap_or_default(), 1.0);
            add(&tool.description, 1.0);
            for argument in arguments(tool) {
                add(&argument, 1.0);
            }
            index.lengths.push(counts.values().sum());
            for (word, count) in counts {
                index.words.entry(word).or_default().push((position, count));
            }
        }
        index.average = index.lengths.iter().sum::<f64>() / (index.lengths.len().max(1)) as f64;
        index
    }

    /// The positions of the tools that have a word of the query, the best first.
    fn find(&self, query: &str) -> Vec<usize> {
        let mut query: Vec<String> = words(query).collect();
        query.sort();
        query.dedup();
        let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
        for places in query.iter().filter_map(|word| self.words.get(word)) {
            let (all, with) = (self.lengths.len() as f64, places.len() as f64);
            let rarity = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (position, count) in places {
                let length = self.lengths[*position] / self.average;
                let weight = count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length));
                *scores.entry(*position).or_default() += rarity * weight;
            }
        }
        let mut found: Vec<(usize, f64)> = scores.into_iter().collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|(position, _)| position).collect()
    }
}

impl Session {
    /// The tools of the session that have something to do with `query`, the best first and at most `limit`: for a
    /// host that shows a model a few of many. Words of their names, toolsets, titles, descriptions and arguments
    /// count.
    ///
    /// ```
    /// use toolrack::{Batch, Description, Output, Registry, Selection, Source};
    ///
    /// let registry = Registry::new();
    /// let mut batch = Batch::new(Source::builtin("app"));
    /// for (name, does) in [("read_file", "Reads a text file"), ("ping", "Asks a server if it is there")] {
    ///     batch = batch.tool(Description::new(name, "demo", does, "{}")?, |_, _| Ok(Output::text("done")));
    /// }
    /// registry.publish(batch)?;
    ///
    /// let session = registry.session(&Selection::all());
    /// let found: Vec<&str> = session.find_tools("reading files", 5).iter().map(|tool| tool.name()).collect();
    /// assert_eq!(found, ["read_file"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_tools(&self, query: &str, limit: usize) -> Vec<&Arc<ToolEntry>> {
        let tools: Vec<&Arc<ToolEntry>> = self.tools().collect();
        let index = self.memo().index(|| Index::of(tools.iter().map(|entry| &entry.description)));
        index
            .find(query)
            .into_iter()
            .take(limit)
            .filter_map(|position| tools.get(position).copied())
            .collect()
    }
}

/// The names of a tool's arguments.
fn arguments(tool: &Description) -> Vec<String> {
    #[derive(Deserialize)]
    struct Schema {
        #[serde(default)]
        properties: BTreeMap<String, IgnoredAny>,
    }
    let schema: Result<Schema, _> = serde_json::from_str(tool.schema.get());
    schema.map(|schema| schema.properties.into_keys().collect()).unwrap_or_default()
}

/// The words of a text: lower-case, a name's parts on their own, endings that say only the number or the tense gone.
/// A sign of a script without spaces is a word.
fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in text.chars() {
        let is_sign = c >= '\u{2E80}' && c.is_alphabetic();
        if !c.is_alphanumeric() || is_sign || (after_lower && c.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        if is_sign {
            words.push(String::new());
        }
        after_lower = c.is_lowercase() || c.is_numeric();
    }
    words.into_iter().filter(|word| !word.is_empty()).map(|word| stem(&word).to_owned())
}

fn stem(word: &str) -> &str {
    const SHORTEST: usize = 3;
    for ending in ["ing", "es", "ed", "s", "e"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= SHORTEST) {
            return stem;
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(tools: &[(&str, &str, &str)], query: &str) -> Vec<String> {
        let tools: Vec<Description> = tools
            .iter()
            .map(|(name, does, schema)| Description::new(name, "demo", does, schema).unwrap())
            .collect();
        let index = Index::of(tools.iter());
        index.find(query).into_iter().map(|position| tools[position].name.clone()).collect()
    }

    const TOOLS: &[(&str, &str, &str)] = &[
        ("read_file", "Reads a text file with numbered lines.", r#"{"properties":{"path":{}}}"#),
        (
            "search_files",
            "Finds text in files, or files by name.",
            r#"{"properties":{"pattern":{},"path":{}}}"#,
        ),
        ("web_search", "Asks a search engine.", r#"{"properties":{"query":{}}}"#),
        ("browserClick", "Clicks an element of the page.", r#"{"properties":{"ref":{}}}"#),
        ("wetter", "天気を調べる。", "{}"),
    ];

    #[test]
    fn a_word_of_the_name_counts_for_more_than_one_of_the_description() {
        assert_eq!(found(TOOLS, "web searching"), ["web_search", "search_files"]);
        assert_eq!(found(TOOLS, "read_file")[0], "read_file");
    }

    #[test]
    fn number_tense_and_case_do_not_matter() {
        assert_eq!(found(TOOLS, "READING a file")[0], "read_file");
        assert_eq!(found(TOOLS, "clicked elements"), ["browserClick"]);
        assert_eq!(found(TOOLS, "browser"), ["browserClick"]);
    }

    #[test]
    fn arguments_and_scripts_without_spaces_are_found() {
        assert_eq!(found(TOOLS, "pattern"), ["search_files"]);
        assert_eq!(found(TOOLS, "天気"), ["wetter"]);
    }

    #[test]
    fn what_nobody_has_finds_nothing_and_the_order_is_the_same_each_time() {
        assert!(found(TOOLS, "").is_empty() && found(TOOLS, "quantum ---").is_empty());
        assert!(found(&[], "file").is_empty());
        let twins = [("b_same", "Same.", "{}"), ("a_same", "Same.", "{}")];
        assert_eq!(found(&twins, "same"), ["b_same", "a_same"], "by position");
    }
}
