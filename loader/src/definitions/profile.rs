//! Whose form definitions are in, and how strictly.

use std::fmt;
use std::str::FromStr;

/// Whose form definitions, calls and results are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// Chat Completions of OpenAI, and of the servers that speak it (llama.cpp, Groq, Fireworks).
    OpenAi,
    /// The Responses API of OpenAI.
    Responses,
    /// The Messages API of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
    /// The Model Context Protocol: the `tools` of a `tools/list` answer.
    Mcp,
}

impl Provider {
    /// All of them.
    pub const ALL: &'static [Provider] =
        &[Provider::OpenAi, Provider::Responses, Provider::Anthropic, Provider::Gemini, Provider::Mcp];

    /// The name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provider::OpenAi => "openai",
            Provider::Responses => "responses",
            Provider::Anthropic => "anthropic",
            Provider::Gemini => "gemini",
            Provider::Mcp => "mcp",
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The text names no provider that definitions can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownProvider;

impl fmt::Display for UnknownProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = Provider::ALL.iter().map(|provider| format!("`{provider}`")).collect();
        write!(f, "not a provider, which is one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownProvider {}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(text: &str) -> Result<Self, UnknownProvider> {
        Provider::ALL.iter().copied().find(|provider| provider.as_str() == text).ok_or(UnknownProvider)
    }
}

/// How definitions are wanted: a provider's form, and what is asked for beside it.
///
/// ```
/// use toolrack::{Profile, Provider};
///
/// let usual = Profile::from(Provider::OpenAi);
/// let careful = usual.strict();
/// assert_ne!(usual, careful);
/// assert_eq!(careful.provider(), Provider::OpenAi);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    provider: Provider,
    pub(super) strictness: Strictness,
    pub(super) gemini: GeminiSchema,
    pub(super) quirks: Quirks,
}

/// Whether a provider is asked to hold its model to the schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Strictness {
    #[default]
    Loose,
    Strict,
}

/// Which of its two keys Gemini is given a schema under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum GeminiSchema {
    #[default]
    JsonSchema,
    Subset,
}

/// What some servers do not take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Quirks {
    pub(super) no_pattern_or_format: bool,
    pub(super) no_slash_in_enum: bool,
}

impl From<Provider> for Profile {
    fn from(provider: Provider) -> Self {
        Profile {
            provider,
            strictness: Strictness::default(),
            gemini: GeminiSchema::default(),
            quirks: Quirks::default(),
        }
    }
}

impl Profile {
    /// Whose form it is.
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// Asks OpenAI (Chat Completions and Responses) to hold the model to the schema: every property is required,
    /// one that may be left out takes `null`, and no others are allowed. A tool whose arguments cannot be said so
    /// is shown as usual, which [`Definitions::rewritten`](crate::Definitions::rewritten) tells. The other
    /// providers have no such mode.
    #[must_use]
    pub const fn strict(mut self) -> Self {
        self.strictness = Strictness::Strict;
        self
    }

    /// Gives Gemini its older `parameters`, a subset of OpenAPI's schemas, instead of `parametersJsonSchema`. The
    /// other providers have no such choice.
    #[must_use]
    pub const fn gemini_subset(mut self) -> Self {
        self.gemini = GeminiSchema::Subset;
        self
    }

    /// For servers whose grammars know no `pattern` and no `format`: both are told in words. Nothing changes for
    /// [`Provider::Mcp`].
    #[must_use]
    pub const fn without_pattern_and_format(mut self) -> Self {
        self.quirks.no_pattern_or_format = true;
        self
    }

    /// For servers that refuse an `enum` of values with a `/`: such a list is told in words. Nothing changes for
    /// [`Provider::Mcp`].
    #[must_use]
    pub const fn without_slashes_in_enums(mut self) -> Self {
        self.quirks.no_slash_in_enum = true;
        self
    }
}
