//! What is known of a tool and a plugin when they are compiled.

/// What a [`Tool`](crate::Tool) says of itself, as a constant. Whatever is not said is left to the host.
///
/// ```
/// use toolrack_plugin::{Timeout, ToolMeta};
///
/// const META: ToolMeta = ToolMeta::new("count", "Counts up.")
///     .toolset("demo")
///     .read_only(false)
///     .timeout(Timeout::Seconds(2.0));
/// assert_eq!(META.name, "count");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolMeta {
    /// What a model calls it by: a letter, then at most 63 letters, digits or underscores.
    pub name: &'static str,
    /// What it does, for the model. Not empty.
    pub description: &'static str,
    /// The group it belongs to; empty: the one named like the plugin.
    pub toolset: &'static str,
    /// A name for people.
    pub title: &'static str,
    /// A picture for people.
    pub emoji: &'static str,
    /// The name of a check that it shares with other tools.
    pub check_id: &'static str,
    /// Environment variables without which it is unavailable; `A|B` means either.
    pub requires_env: &'static [&'static str],
    /// Whether it is called through [`Tool::call_async`](crate::Tool::call_async).
    pub is_async: bool,
    /// Whether [`Tool::check`](crate::Tool::check) has something to say.
    pub check: bool,
    /// Whether [`Tool::overrides`](crate::Tool::overrides) has something to say.
    pub dynamic: bool,
    /// Whether it asks to stand before the tool of that name which is already there.
    pub overriding: bool,
    /// Whether it leaves everything as it is.
    pub read_only: Option<bool>,
    /// Whether it can destroy something.
    pub destructive: Option<bool>,
    /// Whether a second call with the same arguments adds nothing.
    pub idempotent: Option<bool>,
    /// Whether it reaches beyond this machine.
    pub open_world: Option<bool>,
    /// Whether it may run beside other calls.
    pub parallel_safe: Option<bool>,
    /// Arguments that name what it touches: calls that differ in them may run side by side.
    pub parallel_key: &'static [&'static str],
    /// How many calls may run at once.
    pub max_concurrent: Option<u32>,
    /// How long a call may take.
    pub timeout: Option<Timeout>,
    /// How large a result may be.
    pub max_result_size_chars: Option<ResultSize>,
    /// Text that is shown only where the tools it names are present.
    pub hints: &'static [Hint],
    /// Calls to learn from, each the text of a JSON object.
    pub examples: &'static [&'static str],
    /// The description as it stands in JSON, if a macro has escaped it: the compiler's interpreter is slow.
    pub(crate) escaped_description: &'static str,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timeout {
    /// As long as it likes.
    None,
    /// So many seconds, above 0.
    Seconds(f64),
    /// As many seconds as the argument of that name says.
    Argument(&'static str),
}

/// How large a result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultSize {
    /// So many Unicode scalar values.
    Chars(u64),
    /// Only the host's hard caps hold.
    Unlimited,
}

/// Text that is shown to a model only where all the named tools are present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The tools.
    pub tools: &'static [&'static str],
    /// The text.
    pub text: &'static str,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty) $set:expr;)*) => { $(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $value: $type) -> Self {
            self.$name = $set;
            self
        }
    )* };
}

impl ToolMeta {
    /// A tool with the two things that every tool has.
    pub const fn new(name: &'static str, description: &'static str) -> Self {
        ToolMeta {
            name,
            description,
            toolset: "",
            title: "",
            emoji: "",
            check_id: "",
            requires_env: &[],
            is_async: false,
            check: false,
            dynamic: false,
            overriding: false,
            read_only: None,
            destructive: None,
            idempotent: None,
            open_world: None,
            parallel_safe: None,
            parallel_key: &[],
            max_concurrent: None,
            timeout: None,
            max_result_size_chars: None,
            hints: &[],
            examples: &[],
            escaped_description: "",
        }
    }

    /// The same description once more, escaped. For the macros.
    #[doc(hidden)]
    #[must_use]
    pub const fn escaped(mut self, description: &'static str) -> Self {
        self.escaped_description = description;
        self
    }

    setters! {
        /// Sets [`ToolMeta::toolset`].
        toolset(name: &'static str) name;
        /// Sets [`ToolMeta::title`].
        title(title: &'static str) title;
        /// Sets [`ToolMeta::emoji`].
        emoji(emoji: &'static str) emoji;
        /// Sets [`ToolMeta::check_id`].
        check_id(id: &'static str) id;
        /// Sets [`ToolMeta::requires_env`].
        requires_env(names: &'static [&'static str]) names;
        /// Sets [`ToolMeta::is_async`].
        is_async(yes: bool) yes;
        /// Sets [`ToolMeta::check`].
        check(yes: bool) yes;
        /// Sets [`ToolMeta::dynamic`].
        dynamic(yes: bool) yes;
        /// Sets [`ToolMeta::overriding`].
        overriding(yes: bool) yes;
        /// Sets [`ToolMeta::read_only`].
        read_only(yes: bool) Some(yes);
        /// Sets [`ToolMeta::destructive`].
        destructive(yes: bool) Some(yes);
        /// Sets [`ToolMeta::idempotent`].
        idempotent(yes: bool) Some(yes);
        /// Sets [`ToolMeta::open_world`].
        open_world(yes: bool) Some(yes);
        /// Sets [`ToolMeta::parallel_safe`].
        parallel_safe(yes: bool) Some(yes);
        /// Sets [`ToolMeta::parallel_key`].
        parallel_key(arguments: &'static [&'static str]) arguments;
        /// Sets [`ToolMeta::max_concurrent`].
        max_concurrent(calls: u32) Some(calls);
        /// Sets [`ToolMeta::timeout`].
        timeout(timeout: Timeout) Some(timeout);
        /// Sets [`ToolMeta::max_result_size_chars`].
        max_result_size_chars(size: ResultSize) Some(size);
        /// Sets [`ToolMeta::hints`].
        hints(hints: &'static [Hint]) hints;
        /// Sets [`ToolMeta::examples`].
        examples(examples: &'static [&'static str]) examples;
    }
}

/// What `export_tools!` writes down of the package it stands in.
#[expect(missing_docs, reason = "they are what cargo calls them")]
#[derive(Clone, Copy, Debug)]
pub struct PluginMeta {
    pub name: &'static str,
    pub crate_name: &'static str,
    pub version: &'static str,
    /// Separated by colons, as cargo gives them.
    pub authors: &'static str,
    pub description: &'static str,
    pub license: &'static str,
    pub homepage: &'static str,
    pub repository: &'static str,
    pub tools: &'static [ToolMeta],
}

/// The crate of a `module_path!()`.
#[doc(hidden)]
pub const fn crate_of(module_path: &'static str) -> &'static str {
    let bytes = module_path.as_bytes();
    let mut end = 0;
    while end < bytes.len() && bytes[end] != b':' {
        end += 1;
    }
    module_path.split_at(end).0
}

/// The name of a plugin whose crate has that name: without `toolrack_`.
#[doc(hidden)]
pub const fn plugin_name(crate_name: &'static str) -> &'static str {
    const PREFIX: &[u8] = b"toolrack_";
    let bytes = crate_name.as_bytes();
    let mut at = 0;
    while at < PREFIX.len() {
        if at >= bytes.len() || bytes[at] != PREFIX[at] {
            return crate_name;
        }
        at += 1;
    }
    if bytes.len() == PREFIX.len() { crate_name } else { crate_name.split_at(PREFIX.len()).1 }
}

/// The value of an environment variable of the compiler, or an empty text.
#[doc(hidden)]
pub const fn or_empty(value: Option<&'static str>) -> &'static str {
    match value {
        Some(value) => value,
        None => "",
    }
}

/// The constant of the type that `make` builds, without building one.
#[doc(hidden)]
pub const fn meta_of<T: crate::Tool, F: Fn() -> T>(_make: &F) -> ToolMeta {
    T::META
}
