//! A call of a tool, against its bare trait call and a bare function of the same library.

use std::hint::black_box;
use std::path::PathBuf;

use tempfile::TempDir;
use toolrack::{Admit, BootId, Call, Loader, Registry, Selection, Store};
use toolrack_abi::abi_stable::sabi_trait::TD_Opaque;
use toolrack_abi::abi_stable::sabi_types::RRef;
use toolrack_abi::abi_stable::std_types::RStr;
use toolrack_abi::{CallContext_TO, ToolBox};

use crate::support::nobody::Nobody;
use crate::support::plugin::{self, TOOL};
use crate::support::{Bench, Target, bare, per_operation};

const BATCH: usize = 500;

const ARGUMENTS: &str = r#"{"text":"A sentence of the usual length, as a model writes it."}"#;

pub(crate) fn bench(bench: &mut Bench) {
    let home = TempDir::new().expect("a temporary folder");
    let registry = Registry::new();
    let library = load(&registry, &home);
    // The copy that the loader opened: the very same code at the same addresses.
    let tool = bare::tool(&library);
    let function = bare::function(&library);
    let session = registry.session(&Selection::only([TOOL]));
    let call = Call::new();
    assert_eq!(registry.call_inline(TOOL, ARGUMENTS, &call).as_str(), answer(&tool));
    assert_eq!(function(RStr::from_str(ARGUMENTS)).as_str(), answer(&tool));

    let inline =
        || per_operation(BATCH, |_| drop(black_box(registry.call_inline(TOOL, black_box(ARGUMENTS), &call))));
    let in_session =
        || per_operation(BATCH, |_| drop(black_box(session.call_inline(TOOL, black_box(ARGUMENTS), &call))));
    let bare_trait = || per_operation(BATCH, |_| drop(black_box(call_bare(&tool, black_box(ARGUMENTS)))));
    let bare_function =
        || per_operation(BATCH, |_| drop(black_box(function(RStr::from_str(black_box(ARGUMENTS))))));

    bench.compare("call_inline : bare trait call", Target::Added(40.0), inline, bare_trait);
    bench.compare("call_inline in a session : bare trait call", Target::Added(40.0), in_session, bare_trait);
    bench.compare("call_inline : bare extern \"C\" function", Target::None, inline, bare_function);
    bench.compare("bare trait call : bare extern \"C\" function", Target::None, bare_trait, bare_function);
}

/// Loads the plugin as any other; gives the path of the copy that was opened.
fn load(registry: &Registry, home: &TempDir) -> PathBuf {
    let settings = plugin::settings(home.path());
    let store = settings.store.clone();
    let admit = Admit::new(&settings.config.trust).expect("the policy is the default one");
    let loader = Loader::new(registry.clone(), settings).expect("a store in a temporary folder");
    let report = loader.load_files(&[plugin::build()], &mut |_| {});
    assert!(report.rejected.is_empty(), "the plugin does not load: {:?}", report.rejected);
    let store = Store::open(&store, BootId::current(), &admit).expect("the store is there");
    store.list().expect("the store can be read").remove(0).path
}

fn call_bare(tool: &ToolBox, arguments: &str) -> toolrack_abi::ToolResult {
    tool.call(CallContext_TO::from_ptr(RRef::new(&Nobody), TD_Opaque), RStr::from_str(arguments))
}

fn answer(tool: &ToolBox) -> String {
    call_bare(tool, ARGUMENTS).body.into_string()
}
