//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum, ValueHint};

/// Drop a native library into a folder, and every agent on the machine can call its tools.
///
/// Exit status: 0 done; 1 done, with findings (a tool answered with an error, a file was rejected); 2 not
/// understood, or nothing to do.
#[derive(Debug, Parser)]
#[command(name = "toolrack", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Args {
    /// The configuration. Otherwise TOOLRACK_CONFIG, otherwise toolrack/toolrack.toml in your configuration
    /// directory; never the working directory.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,

    /// A tools folder; may be given several times, the first wins. Otherwise TOOLRACK_TOOLS, otherwise the
    /// configuration, otherwise toolrack/tools in your data directory.
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) tools: Vec<PathBuf>,

    /// Print one JSON document instead of text for people.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put plugins into the tools folder: a package is built first, a library is checked first
    Add(Add),
    /// Show the table of tools
    List(List),
    /// Call a tool and print its result
    Call(Call),
    /// Say of each file whether it is a plugin, without running anything of it
    Probe(Probe),
    /// Show one plugin in full
    Inspect(Inspect),
    /// Print the tools' definitions for a model's provider, as JSON
    Definitions(Definitions),
    /// Explain a code such as T2007: cause, example, remedy
    Explain(Explain),
    /// Print a completion script for a shell
    Completions(Completions),
    /// Load one library and tell what it registers. Run by this program itself.
    #[command(hide = true)]
    Child(Child),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Add {
    /// A plugin's package (a folder with a Cargo.toml), or a built library
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,

    /// The cargo profile that packages are built with
    #[arg(long, default_value = "release")]
    pub(crate) profile: String,

    /// How long a library may take to load, in seconds
    #[arg(long, default_value = "30", value_name = "SECONDS", value_parser = seconds, hide = true)]
    pub(crate) patience: Duration,
}

#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only this toolset
    #[arg(long, value_name = "T")]
    pub(crate) toolset: Option<String>,

    /// Also what is hidden by another source's tool of the same name
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Call {
    /// The tool's name
    pub(crate) name: String,

    /// The arguments, a JSON object; - reads them from standard input
    #[arg(default_value = "{}", value_name = "JSON|-", allow_negative_numbers = true)]
    pub(crate) arguments: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Probe {
    /// Files, or folders to walk
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Inspect {
    /// A plugin's name, or the path of its file
    #[arg(value_name = "PLUGIN", value_hint = ValueHint::AnyPath)]
    pub(crate) plugin: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Definitions {
    /// The provider whose shape is wanted
    #[arg(long = "for", value_name = "PROVIDER")]
    pub(crate) provider: Provider,

    /// Only these toolsets or tools
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) toolsets: Option<Vec<String>>,

    /// Without these toolsets or tools
    #[arg(long, value_delimiter = ',', value_name = "C,D")]
    pub(crate) disable: Vec<String>,

    /// Ask the provider to hold its model to the schemas (openai and responses; the others have no such mode)
    #[arg(long)]
    pub(crate) strict: bool,

    /// Also print an estimate of the tokens that they take, on standard error
    #[arg(long)]
    pub(crate) tokens: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Provider {
    /// OpenAI chat completions, and what speaks its shape
    Openai,
    /// OpenAI responses
    Responses,
    /// Anthropic messages
    Anthropic,
    /// Gemini
    Gemini,
    /// The Model Context Protocol
    Mcp,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The code, as a diagnosis prints it
    pub(crate) code: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Child {
    /// The library
    pub(crate) path: PathBuf,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
