//! A host in twenty lines: loads a folder into a table and calls a tool.
//!
//! ```text
//! cargo run --example quickstart -- TOOLS_FOLDER echo '{"text":"hi"}'
//! ```

#![expect(clippy::print_stdout, reason = "printing is what it does")]

use toolrack::{Call, Config, Loader, LoaderSettings, process_env, registry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, folder, tool, arguments] = args.as_slice() else {
        return Err("usage: quickstart TOOLS_FOLDER TOOL JSON".into());
    };
    env_logger::init(); // what is skipped is told by the log

    let settings = LoaderSettings::of(Config::find(None, &process_env)?, &process_env)?;
    let report = Loader::new(registry().clone(), settings)?.load_folders(&[folder.into()], &mut |_| {});
    for plugin in &report.loaded {
        println!("{} {}: {}", plugin.name, plugin.version, plugin.tools.join(", "));
    }
    println!("{}", registry().call_inline(tool, arguments, &Call::new()).as_str());
    Ok(())
}
