//! A host whose contract is newer: loads files one after the other into one table, and calls their tools.

use std::path::PathBuf;

use toolrack::{Call, Config, Directories, Loader, LoaderSettings, Registry};

fn main() {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let home = args.next().expect("a home");
    let settings = LoaderSettings {
        config: Config::default(),
        store: home.join("store"),
        directories: Directories { data: home.join("data"), spill: home.join("spill") },
    };
    let registry = Registry::new();
    let loader = Loader::new(registry.clone(), settings).expect("a loader");
    for file in args {
        let report = loader.load_files(&[file], &mut |_| {});
        for diagnosis in report.rejected {
            let code = diagnosis.code.expect("a code");
            println!("{code} {}", diagnosis.path.file_name().expect("a name").to_string_lossy());
        }
        for tool in report.loaded.iter().flat_map(|plugin| &plugin.tools) {
            let answer = registry.call_inline(tool, r#"{"text":"hi"}"#, &Call::new());
            println!("{tool}: {}", answer.as_str());
        }
    }
}
