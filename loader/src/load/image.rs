//! An opened library. All of the loader's `unsafe` is here.
//!
//! What makes it sound is checked before: the bytes were probed in the store, where nobody else writes, so that
//! the symbol is data of this very file, the stamp and abi_stable's header lie inside it, and their versions are
//! this host's. What can *not* be checked is that the author did not lie: opening a library runs its
//! constructors with this process's rights.
#![expect(unsafe_code, reason = "opening a library and reading its header")]

use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, LazyLock};

use libloading::Library;
use parking_lot::Mutex;
use toolrack_abi::abi_stable::library::AbiHeaderRef;
use toolrack_abi::{MAGIC, PluginModule_Ref, SYMBOL, Stamp};

use super::{layout, system_error};
use crate::Code;
use crate::diagnosis::Diagnosis;
use crate::services::current_level;

/// A library that is mapped, checked and stays: a Rust library can not be unloaded soundly, so none ever is.
#[derive(Clone, Copy)]
pub(crate) struct Image {
    module: PluginModule_Ref,
    /// The log level that the library was last told. All its registrations share the library's one level.
    told_level: &'static AtomicU8,
}

/// Whether layouts still have to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutCheck {
    /// Compare them.
    Compare,
    /// The same bytes were compared by the same build of the host.
    Known,
}

/// No level is that high.
const NEVER_TOLD: u8 = u8::MAX;

/// One lock a path, so that a library is opened once however many ask, and two libraries side by side.
type Slot = Arc<Mutex<Option<Image>>>;
static IMAGES: LazyLock<Mutex<HashMap<PathBuf, Slot>>> = LazyLock::new(Mutex::default);

impl Image {
    /// Opens the library at `stored`, or finds it open. `shown` is the file that diagnoses name.
    ///
    /// `stored` must be absolute, must have been probed, and its bytes must never change: see the module.
    pub(crate) fn open(stored: &Path, shown: &Path, check: LayoutCheck) -> Result<Image, Diagnosis> {
        let slot = IMAGES.lock().entry(stored.to_owned()).or_default().clone();
        let mut slot = slot.lock();
        if let Some(image) = *slot {
            return Ok(image);
        }
        let image = load(stored, shown, check)?;
        *slot = Some(image);
        Ok(image)
    }

    /// The functions of the plugin.
    pub(crate) fn module(self) -> PluginModule_Ref {
        self.module
    }

    /// Tells the library of the host's log level, if that has changed since it was last told.
    pub(crate) fn follow_log_level(self) {
        let level = current_level();
        if self.told_level.load(Ordering::Relaxed) != level.0 {
            self.told_level.store(level.0, Ordering::Relaxed);
            self.module.set_log_level()(level);
        }
    }
}

fn load(stored: &Path, shown: &Path, check: LayoutCheck) -> Result<Image, Diagnosis> {
    // The library stays mapped for ever, also if it is refused: whatever it hands out may live as long as the process,
    // and what it did when it was opened can not be undone.
    let library = ManuallyDrop::new(open(stored).map_err(|e| system_error::diagnose(shown, &e))?);
    let symbol = {
        // SAFETY: the symbol is only taken as an address here.
        let symbol = unsafe { library.get::<*const u8>(SYMBOL) };
        *symbol.map_err(|e| {
            no_header(shown, "the system loader does not find it").caused_by(system_error::text(&e))
        })?
    };
    if symbol.is_null() || !lies_in(symbol, stored) {
        return Err(no_header(shown, "the system loader finds it in another library"));
    }
    // SAFETY: the probe saw that a stamp lies at the symbol of these bytes, inside the mapped file; it has no
    // invalid values, and `read_unaligned` asks nothing of the address.
    let stamp = unsafe { symbol.cast::<Stamp>().read_unaligned() };
    if stamp.magic != MAGIC {
        return Err(no_header(shown, "what is mapped is not what the file says"));
    }
    // SAFETY: the probe saw that abi_stable's header, with its magic, lies at this offset of the symbol.
    let root = unsafe { symbol.add(stamp.root_offset as usize) };
    if !root.cast::<AbiHeaderRef>().is_aligned() {
        return Err(no_header(shown, "abi_stable's header is not aligned"));
    }
    // SAFETY: `AbiHeaderRef` is a transparent pointer to that header, which is aligned and never goes.
    let header = unsafe { std::mem::transmute::<*const u8, AbiHeaderRef>(root) };
    let header = header.upgrade().map_err(|e| {
        Diagnosis::new(Code::T4005, shown, "abi_stable refuses its own header in the library")
            .caused_by(e)
            .help("build the plugin again with the toolrack-plugin of this host's version")
    })?;
    if check == LayoutCheck::Compare {
        layout::compare(header, shown)?;
    }
    // SAFETY: the layouts were compared, now or for the same bytes and the same build of this host before.
    let module = unsafe { header.unchecked_layout::<PluginModule_Ref>() }.map_err(|e| {
        Diagnosis::new(Code::T6004, shown, "the plugin's root could not be made").caused_by(e)
    })?;
    // As the library itself, it lives for ever.
    let told_level = Box::leak(Box::new(AtomicU8::new(NEVER_TOLD)));
    Ok(Image { module, told_level })
}

fn no_header(shown: &Path, why: &str) -> Diagnosis {
    Diagnosis::new(Code::T4001, shown, format!("`{SYMBOL}` is not this library's own header: {why}")).help(
        "export it with `export_tools!` of the package toolrack-plugin, and nothing else under that name",
    )
}

#[cfg(unix)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // All symbols now, so that a missing one is an error here and not the end of the process at the first call;
    // and nothing of it visible to other libraries.
    // SAFETY: runs the constructors of a library that the operator's policy admitted. That they do nothing wrong
    // is the author's promise; the module says so.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

#[cfg(windows)]
fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::windows::{
        LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, Library,
    };
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
    // SAFETY: as on Unix: runs `DllMain` of a library that policy admitted.
    unsafe { Library::load_with_flags(path, flags) }.map(Into::into)
}

/// Whether `address` lies in the library at `path`: `dlsym` also answers with what a dependency defines.
#[cfg(unix)]
fn lies_in(address: *const u8, path: &Path) -> bool {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    // SAFETY: `Dl_info` is plain pointers, for which null is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `dladdr` only compares the address, and writes to a place of the right type.
    let found = unsafe { libc::dladdr(address.cast(), &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return false;
    }
    // SAFETY: the system loader's own string for a library that is never unloaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Path::new(OsStr::from_bytes(name.to_bytes())) == path
}

/// `GetProcAddress` asks one module; a forwarder out of it is refused by the probe.
#[cfg(windows)]
fn lies_in(_address: *const u8, _path: &Path) -> bool {
    true
}
