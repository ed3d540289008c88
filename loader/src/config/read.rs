//! From TOML to [`Config`], collecting every fault with its line.

use std::path::{Path, PathBuf};

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Config, Load, Owner, PluginConfig, StoreConfig, Trust};
use crate::Diagnosis;
use crate::escape::escaped;
use crate::near_names;

/// Reads the text of a file that stands at `file`.
pub(super) fn read(text: &str, file: &Path) -> Result<Config, Diagnosis> {
    let line = |at: usize| text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count() + 1;
    let document = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or_else(String::new, |span| format!("line {}: ", line(span.start)));
        Diagnosis::uncoded(file, format!("{place}{}", error.message()))
            .help("the file is written in TOML: strings stand in quotes, and each table once")
    })?;
    let mut reader = Reader { folder: file.parent().unwrap_or(Path::new("/")), faults: Vec::new() };
    let mut config = reader.config(document.get_ref());
    config.file = Some(file.to_owned());
    config.trust.file = Some(file.to_owned());

    let mut faults = reader.faults;
    faults.sort_by_key(|fault| fault.at);
    let mut faults = faults.into_iter();
    let Some(first) = faults.next() else { return Ok(config) };
    let mut diagnosis = Diagnosis::uncoded(file, format!("line {}: {}", line(first.at), first.message));
    diagnosis.help = first.help;
    let others: Vec<String> = faults
        .map(|fault| {
            let help = fault.help.map_or_else(String::new, |help| format!(" ({help})"));
            format!("line {}: {}{help}", line(fault.at), fault.message)
        })
        .collect();
    Err(if others.is_empty() {
        diagnosis
    } else {
        diagnosis.caused_by(format!("also {}", others.join("\n")))
    })
}

/// The header of a table as it stands in the file.
pub(crate) fn table_name(keys: &[&str]) -> String {
    format!("[{}]", dotted(keys))
}

fn dotted(keys: &[&str]) -> String {
    let bare =
        |key: &str| !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let word =
        |key: &&str| if bare(key) { (*key).to_owned() } else { format!("\"{}\"", escaped(Path::new(key))) };
    keys.iter().map(word).collect::<Vec<_>>().join(".")
}

struct Reader<'a> {
    folder: &'a Path,
    faults: Vec<Fault>,
}

struct Fault {
    /// Bytes from the start of the text.
    at: usize,
    message: String,
    help: Option<String>,
}

/// A value with its place.
type Node<'t> = Spanned<DeValue<'t>>;

impl Reader<'_> {
    fn config(&mut self, table: &DeTable<'_>) -> Config {
        let mut config = Config::default();
        self.each(
            table,
            &[],
            &["tools", "plugins", "trust", "load", "store"],
            |this, key, value| match key {
                "tools" => config.tools = this.strings(&["tools"], value, Reader::path),
                "plugins" => {
                    for (name, value) in this.table(&["plugins"], value).into_iter().flatten() {
                        let name = name.get_ref().as_ref();
                        config.plugins.insert(name.to_owned(), this.plugin(name, value));
                    }
                }
                "trust" => config.trust = this.trust(value),
                "load" => config.load = this.load(value),
                _ => config.store = this.store(value),
            },
        );
        config
    }

    fn plugin(&mut self, name: &str, value: &Node<'_>) -> PluginConfig {
        let at = ["plugins", name];
        let mut plugin = PluginConfig::default();
        let Some(table) = self.table(&at, value) else { return plugin };
        self.each(table, &at, &["enabled", "config"], |this, key, value| match key {
            "enabled" => plugin.enabled = this.yes_or_no(&["plugins", name, key], value).unwrap_or(true),
            _ => {
                let at = ["plugins", name, key];
                if let Some(table) = this.table(&at, value) {
                    plugin.config = this.object(table);
                }
            }
        });
        plugin
    }

    fn trust(&mut self, value: &Node<'_>) -> Trust {
        let mut trust = Trust::default();
        let Some(table) = self.table(&["trust"], value) else { return trust };
        self.each(table, &["trust"], &["strict_modes", "owners", "allow", "deny"], |this, key, value| {
            let at = ["trust", key];
            match key {
                "strict_modes" => trust.strict_modes = this.yes_or_no(&at, value).unwrap_or(true),
                "owners" => trust.owners = this.owners(&at, value),
                "allow" => trust.allow = this.strings(&at, value, Reader::pattern).unwrap_or_default(),
                _ => trust.deny = this.strings(&at, value, Reader::pattern).unwrap_or_default(),
            }
        });
        trust
    }

    fn load(&mut self, value: &Node<'_>) -> Load {
        let mut load = Load::default();
        let Some(table) = self.table(&["load"], value) else { return load };
        self.each(table, &["load"], &["max_file_mb"], |this, key, value| {
            match integer(value.get_ref())
                .and_then(|number| u64::try_from(number).ok())
                .filter(|&number| number > 0)
            {
                Some(number) => load.max_file_mb = number,
                None => this.mistyped(&["load", key], value, "a whole number of MiB, 1 or more"),
            }
        });
        load
    }

    fn store(&mut self, value: &Node<'_>) -> StoreConfig {
        let mut store = StoreConfig::default();
        let Some(table) = self.table(&["store"], value) else { return store };
        self.each(table, &["store"], &["path"], |this, key, value| match value.get_ref() {
            DeValue::String(text) => store.path = this.path(text, value),
            _ => this.mistyped(&["store", key], value, "a string"),
        });
        store
    }

    /// Visits the keys that are known, and faults the others.
    fn each<'t>(
        &mut self,
        table: &'t DeTable<'t>,
        at: &[&str],
        known: &[&str],
        mut visit: impl FnMut(&mut Self, &str, &'t Node<'t>),
    ) {
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                visit(self, name, value);
                continue;
            }
            let place = if at.is_empty() { String::new() } else { format!(" in `{}`", table_name(at)) };
            let help = match near_names(name, known.iter().copied()).first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!(
                    "known here: {}",
                    known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
                ),
            };
            self.fault(key.span().start, format!("unknown key `{}`{place}", dotted(&[name])), Some(help));
        }
    }

    fn table<'t>(&mut self, at: &[&str], value: &'t Node<'t>) -> Option<&'t DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.mistyped(at, value, "a table");
        }
        table
    }

    fn yes_or_no(&mut self, at: &[&str], value: &Node<'_>) -> Option<bool> {
        let answer = value.get_ref().as_bool();
        if answer.is_none() {
            self.mistyped(at, value, "`true` or `false`");
        }
        answer
    }

    fn strings<T>(
        &mut self,
        at: &[&str],
        value: &Node<'_>,
        read: impl Fn(&mut Self, &str, &Node<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Some(items) = value.get_ref().as_array() else {
            self.mistyped(at, value, "an array of strings");
            return None;
        };
        let mut list = Vec::new();
        for item in items.iter() {
            match item.get_ref() {
                DeValue::String(text) => list.extend(read(self, text, item)),
                _ => self.mistyped(at, item, "an array of strings"),
            }
        }
        Some(list)
    }

    fn owners(&mut self, at: &[&str], value: &Node<'_>) -> Vec<Owner> {
        const EXPECTED: &str = "an array of user names or numbers";
        let Some(items) = value.get_ref().as_array() else {
            self.mistyped(at, value, EXPECTED);
            return Vec::new();
        };
        let mut owners = Vec::new();
        for item in items.iter() {
            let number = integer(item.get_ref()).and_then(|number| u32::try_from(number).ok());
            match (item.get_ref(), number) {
                (DeValue::String(name), _) if !name.is_empty() => {
                    owners.push(Owner::Name(name.clone().into_owned()))
                }
                (_, Some(number)) => owners.push(Owner::Id(number)),
                _ => self.mistyped(at, item, EXPECTED),
            }
        }
        owners
    }

    /// A path, relative to the configuration's folder.
    fn path(&mut self, text: &str, value: &Node<'_>) -> Option<PathBuf> {
        if text.is_empty() {
            self.fault(value.span().start, "an empty path".to_owned(), None);
            return None;
        }
        self.no_tilde(text, value).then(|| self.folder.join(text))
    }

    fn pattern(&mut self, text: &str, value: &Node<'_>) -> Option<String> {
        if text.is_empty() {
            self.fault(value.span().start, "an empty pattern matches nothing".to_owned(), None);
            return None;
        }
        self.no_tilde(text, value).then(|| text.to_owned())
    }

    /// `~` would silently be a folder of that name, or a pattern that never matches.
    fn no_tilde(&mut self, text: &str, value: &Node<'_>) -> bool {
        let tilde = text == "~" || text.starts_with("~/");
        if tilde {
            let message = format!("`~` is not expanded in `{}`", escaped(Path::new(text)));
            self.fault(value.span().start, message, Some("write the whole path".to_owned()));
        }
        !tilde
    }

    /// What a plugin is told crosses as JSON.
    fn object(&mut self, table: &DeTable<'_>) -> Map<String, Value> {
        table.iter().map(|(key, value)| (key.get_ref().clone().into_owned(), self.json(value))).collect()
    }

    fn json(&mut self, value: &Node<'_>) -> Value {
        match value.get_ref() {
            DeValue::String(text) => Value::String(text.clone().into_owned()),
            DeValue::Boolean(answer) => Value::Bool(*answer),
            DeValue::Datetime(date) => Value::String(date.to_string()),
            DeValue::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            DeValue::Table(table) => Value::Object(self.object(table)),
            DeValue::Integer(_) => integer(value.get_ref()).map(Value::from).unwrap_or_else(|| {
                self.fault(value.span().start, "the number needs more than 64 bits".to_owned(), None);
                Value::Null
            }),
            DeValue::Float(text) => {
                text.as_str().parse().ok().and_then(Number::from_f64).map(Value::Number).unwrap_or_else(
                    || {
                        let message = format!("`{}` is no number that a plugin can be told", text.as_str());
                        self.fault(
                            value.span().start,
                            message,
                            Some("what is told crosses as JSON, which has no infinity".to_owned()),
                        );
                        Value::Null
                    },
                )
            }
        }
    }

    fn mistyped(&mut self, at: &[&str], value: &Node<'_>, expected: &str) {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("the string \"{}\"", shortened(text)),
            DeValue::Integer(number) => format!("the number {}", shortened(&number.to_string())),
            DeValue::Float(number) => format!("the number {}", shortened(&number.to_string())),
            DeValue::Boolean(answer) => format!("`{answer}`"),
            DeValue::Datetime(_) => "a date".to_owned(),
            DeValue::Array(_) => "an array".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        self.fault(value.span().start, format!("`{}`: expected {expected}, got {found}", dotted(at)), None);
    }

    fn fault(&mut self, at: usize, message: String, help: Option<String>) {
        self.faults.push(Fault { at, message, help });
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A value as a message shows it: on one line, and not all of a long one.
fn shortened(text: &str) -> String {
    let mut start: String = text.chars().take(40).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    escaped(Path::new(&start)).to_string()
}
