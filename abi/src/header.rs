//! The exported static: stamp, abi_stable's header and manifest in one piece.

use abi_stable::library::{__call_root_module_loader, CheckTypeLayout, LibHeader, RootModuleResult};
use abi_stable::prefix_type::WithMetadata;
use abi_stable::std_types::{RResult, RString};

use crate::{LogLevel, PluginBox, PluginModule, PluginModule_Ref, Services, Stamp};

/// The type of the static `register_tools`. `N` is the manifest's length.
///
/// It holds no pointer before `root`, so that a host can read the stamp and the manifest from the file.
#[repr(C)]
pub struct ToolsHeader<const N: usize> {
    stamp: Stamp,
    root: LibHeader,
    manifest: [u8; N],
}

impl<const N: usize> ToolsHeader<N> {
    /// A header whose root module is `P`'s. `manifest` is the JSON text of the manifest; `flags` are
    /// [`Stamp::flags`], taken where the plugin itself is compiled.
    pub const fn new<P: PluginEntry>(manifest: [u8; N], flags: u32) -> Self {
        Self::with_root(root_header::<P>(), manifest, flags)
    }

    /// A header around a root that the caller made. For tests of what a host refuses.
    #[doc(hidden)]
    pub const fn with_root(root: LibHeader, manifest: [u8; N], flags: u32) -> Self {
        let stamp = Stamp::new(
            std::mem::offset_of!(ToolsHeader<N>, root),
            std::mem::offset_of!(ToolsHeader<N>, manifest),
            N,
            flags,
        );
        ToolsHeader { stamp, root, manifest }
    }

    /// What a host reads first.
    pub const fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// abi_stable's header. For tests that enter a plugin linked into them; a host reads it from the library.
    #[doc(hidden)]
    pub const fn root(&self) -> &LibHeader {
        &self.root
    }

    /// The manifest's bytes.
    pub const fn manifest(&self) -> &[u8; N] {
        &self.manifest
    }
}

/// What the expansion of `export_tools!` implements: the two functions behind [`PluginModule`].
///
/// Neither may unwind: they are called through `extern "C"`, where a panic ends the process.
pub trait PluginEntry: 'static {
    /// Describes the plugin's tools for one registration, which talks to the host through `services`.
    ///
    /// # Errors
    /// The plugin's own words for why it can not register.
    fn register(services: Services) -> RResult<PluginBox, RString>;

    /// Sets the level from which on the library's log records reach the host.
    fn set_log_level(level: LogLevel);
}

struct Statics<P>(std::marker::PhantomData<P>);

impl<P: PluginEntry> Statics<P> {
    const MODULE: WithMetadata<PluginModule> =
        WithMetadata::new(PluginModule { register: register::<P>, set_log_level: set_log_level::<P> });
    abi_stable::staticref! { const MODULE_REF: WithMetadata<PluginModule> = Self::MODULE; }
}

extern "C" fn register<P: PluginEntry>(services: Services) -> RResult<PluginBox, RString> {
    P::register(services)
}

extern "C" fn set_log_level<P: PluginEntry>(level: LogLevel) {
    P::set_log_level(level);
}

fn module<P: PluginEntry>() -> PluginModule_Ref {
    PluginModule_Ref(Statics::<P>::MODULE_REF.as_prefix())
}

extern "C" fn construct<P: PluginEntry>() -> RootModuleResult {
    __call_root_module_loader(module::<P>)
}

/// abi_stable's header for the plugin `P`, with the layouts of this package in it.
pub const fn root_header<P: PluginEntry>() -> LibHeader {
    // SAFETY: `construct` returns the erased form of exactly the `PluginModule_Ref` that is named here.
    unsafe { LibHeader::from_constructor::<PluginModule_Ref>(construct::<P>, CheckTypeLayout::Yes) }
}
