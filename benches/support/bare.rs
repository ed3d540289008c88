//! A library entered by hand: no store, no probe, no table. What everything else is compared with.
#![expect(unsafe_code, reason = "the baseline is what a host does that opens a library without this one")]

use std::path::Path;

use libloading::Library;
use toolrack_abi::abi_stable::StableAbi;
use toolrack_abi::abi_stable::abi_stability::abi_checking::{
    CheckingGlobals, check_layout_compatibility_with_globals,
};
use toolrack_abi::abi_stable::library::{AbiHeaderRef, LibHeader};
use toolrack_abi::abi_stable::std_types::{RResult, RStr, RString};
use toolrack_abi::{PluginModule_Ref, SYMBOL, Stamp, ToolBox};

use super::nobody;

/// The function that the benches' plugin exports beside its header.
pub(crate) type Function = extern "C" fn(RStr<'_>) -> RString;

/// `dlopen` and `dlsym`, and nothing else. The library stays mapped.
pub(crate) fn open(path: &Path) -> *const u8 {
    let library = map(path);
    // SAFETY: the symbol is only taken as an address here.
    let symbol = unsafe { library.get::<*const u8>(SYMBOL) };
    let address = *symbol.expect("the plugin has the symbol");
    std::mem::forget(library);
    address
}

/// abi_stable's header in a library that [`open`] opened.
pub(crate) fn header(symbol: *const u8) -> &'static LibHeader {
    // SAFETY: the benches open only the plugin beside them, whose symbol is a `ToolsHeader`: a stamp at its start.
    let stamp = unsafe { symbol.cast::<Stamp>().read_unaligned() };
    // SAFETY: and abi_stable's header, aligned, at the offset that the stamp names; the library is never unmapped.
    let header: AbiHeaderRef = unsafe { std::mem::transmute(symbol.add(stamp.root_offset as usize)) };
    header.upgrade().expect("the plugin was built with this abi_stable")
}

/// Compares the types that cross, as the loader does for bytes that it has not seen.
pub(crate) fn check(header: &'static LibHeader) {
    let theirs = header.layout().expect("the plugin has its layouts in it");
    let ours = <PluginModule_Ref as StableAbi>::LAYOUT;
    check_layout_compatibility_with_globals(ours, theirs, &CheckingGlobals::new())
        .expect("the plugin was built with this toolrack-abi");
}

/// The one tool of the plugin at `path`.
pub(crate) fn tool(path: &Path) -> ToolBox {
    let header = header(open(path));
    check(header);
    // SAFETY: the layouts were compared.
    let module = unsafe { header.unchecked_layout::<PluginModule_Ref>() }.expect("the plugin has a root");
    let plugin = match module.register()(nobody::services()) {
        RResult::ROk(plugin) => plugin,
        RResult::RErr(words) => panic!("the plugin does not register: {words}"),
    };
    let mut tools = plugin.tools();
    assert_eq!(tools.len(), 1, "the plugin has one tool");
    // Its registration goes on as long as the tool is called.
    std::mem::forget(plugin);
    tools.pop().expect("there is one")
}

/// The bare function of the plugin at `path`.
pub(crate) fn function(path: &Path) -> Function {
    let library = map(path);
    // SAFETY: the plugin of the benches exports `bare_echo` with this signature, and is never unmapped.
    let function = *unsafe { library.get::<Function>("bare_echo") }.expect("the plugin has it");
    std::mem::forget(library);
    function
}

#[cfg(unix)]
fn map(path: &Path) -> Library {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: runs the constructors of the plugin beside the benches, of which there are none but std's.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.expect("the plugin opens").into()
}

#[cfg(not(unix))]
fn map(path: &Path) -> Library {
    // SAFETY: runs the entry function of the plugin beside the benches, which is std's.
    unsafe { Library::new(path) }.expect("the plugin opens")
}
