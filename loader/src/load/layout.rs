//! Whether plugin and host mean the same by the types that cross.

use std::path::Path;

use toolrack_abi::PluginModule_Ref;
use toolrack_abi::abi_stable::StableAbi;
use toolrack_abi::abi_stable::abi_stability::abi_checking::{
    AbiInstability, AbiInstabilityError, AbiInstabilityErrors, CheckingGlobals, ExpectedFound,
    check_layout_compatibility_with_globals,
};
use toolrack_abi::abi_stable::library::LibHeader;
use toolrack_abi::abi_stable::type_layout::{TLFieldOrFunction, TypeLayout};

use crate::Code;
use crate::diagnosis::Diagnosis;

/// The package whose types and methods a difference is told by.
const ABI_PACKAGE: &str = "toolrack-abi";

/// Compares layouts, first for a plugin that is as new as the host or newer, then for an older one: each only
/// ever adds, and abi_stable's comparison goes one way.
///
/// The comparison keeps what it has seen in "globals", and one old plugin would make later good ones fail: each
/// pair gets fresh ones.
pub(super) fn compare(header: &LibHeader, shown: &Path) -> Result<(), Diagnosis> {
    let Some(theirs) = header.layout() else {
        return Err(Diagnosis::new(Code::T4007, shown, "the library opted out of the layout check")
            .help("build it with `export_tools!`, which does not opt out"));
    };
    let ours = <PluginModule_Ref as StableAbi>::LAYOUT;
    let Err(newer) = fits(ours, theirs) else { return Ok(()) };
    let Err(_) = fits(theirs, ours) else { return Ok(()) };
    let report = newer.to_string();
    log::debug!("layouts of `{}`:\n{report}", crate::escaped(shown));
    Err(Diagnosis::new(Code::T4007, shown, "its types are laid out otherwise than this host's")
        .caused_by(digest(&newer))
        .help("build the plugin again with the toolrack-plugin of this host's version; `RUST_LOG=debug` shows all"))
}

fn fits(interface: &'static TypeLayout, library: &'static TypeLayout) -> Result<(), AbiInstabilityErrors> {
    check_layout_compatibility_with_globals(interface, library, &CheckingGlobals::new())
}

/// abi_stable's report has tens of kilobytes: this is where the first difference is, and what it is.
fn digest(errors: &AbiInstabilityErrors) -> String {
    let Some(error) = errors.errors.iter().find(|error| !error.errs.is_empty()) else {
        return "abi_stable does not say what differs".to_owned();
    };
    let differences: Vec<String> = error.errs.iter().take(3).map(difference).collect();
    let text = format!("`{}`: {}", place(error), differences.join("; "));
    text.chars().take(400).collect()
}

/// The way from the root to the type that differs, through the contract's own types and their methods.
fn place(error: &AbiInstabilityError) -> String {
    let mut steps: Vec<&str> = Vec::new();
    let mut inside_own = true;
    for step in &error.stack_trace {
        let TLFieldOrFunction::Field(field) = step.expected else { continue };
        // Fields of the tables behind trait objects are methods; the root and what abi_stable adds have other names.
        if inside_own && field.name().starts_with(char::is_alphabetic) && field.name() != "obj" {
            steps.push(field.name());
        }
        let layout = field.layout();
        inside_own = layout.package().as_str() == ABI_PACKAGE;
        if inside_own && layout.name() != "VTable" {
            steps.push(layout.name().trim_end_matches("_TO"));
        }
    }
    steps.join(" > ")
}

/// What differs: of this host first, then of the library.
fn difference(error: &AbiInstability) -> String {
    match error {
        AbiInstability::UnexpectedField(ExpectedFound { expected, found }) => {
            format!("`{}` stands here where the library has `{}`", expected.name(), found.name())
        }
        AbiInstability::Name(ExpectedFound { expected, found }) => {
            format!("the type is `{}` here and `{}` there", expected.name(), found.name())
        }
        AbiInstability::FieldCountMismatch(ExpectedFound { expected, found }) => {
            format!("{expected} fields or methods here, {found} there")
        }
        AbiInstability::PackageVersion(ExpectedFound { expected, found }) => {
            format!("of version {expected} here, {found} there")
        }
        AbiInstability::Size(ExpectedFound { expected, found }) => {
            format!("{expected} bytes here, {found} there")
        }
        // The variant's name says what it is about; what is in it is long.
        other => {
            let text = format!("{other:?}");
            text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        }
    }
}
