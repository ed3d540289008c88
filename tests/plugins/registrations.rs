use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use toolrack::{
    Batch, Call, Description, ErrorType, Output, ProgressFn, Registry, Selection, Source, SourceId,
};

use crate::support::rack::{Rack, error_of, loaded, plugin};

/// What the hooks of `stateful` wrote, as lines.
fn notes(rack: &Rack) -> Vec<String> {
    let file = rack.home.path().join("data/plugins/stateful/notes");
    std::fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn the_same_bytes_register_again_on_the_image_that_is_mapped() {
    let rack = Rack::with(&["stateful"]);
    assert_eq!(rack.text("count", "{}"), "1");
    assert_eq!(rack.text("count_everywhere", "{}"), "1");
    assert_eq!(loaded(&rack.load()), ["stateful"]);
    assert_eq!(rack.text("count", "{}"), "1", "a registration of its own");
    assert_eq!(rack.text("count_here", "{}"), "1");
    assert_eq!(rack.text("count_everywhere", "{}"), "2", "the image of before");
    assert_eq!(notes(&rack), ["retired"], "the registration before is over");
}

#[test]
fn a_registration_describes_and_does_nothing_else() {
    let rack = Rack::with(&["stateful", "panics_in_constructor", "services"]);
    assert!(!rack.home.path().join("data/plugins").exists(), "no folder was made");
}

#[test]
fn a_plugin_is_retired_once_when_it_is_withdrawn() {
    let rack = Rack::with(&["stateful"]);
    rack.registry.withdraw(&plugin("stateful"));
    rack.registry.withdraw(&plugin("stateful"));
    drop(rack.registry.snapshot());
    assert_eq!(notes(&rack), ["retired"]);
}

#[test]
fn a_plugin_is_retired_once_when_its_table_goes() {
    let rack = Rack::with(&["stateful"]);
    let home = rack.home.clone();
    drop(rack);
    let text = std::fs::read_to_string(home.path().join("data/plugins/stateful/notes")).unwrap();
    assert_eq!(text, "retired\n");
}

#[test]
fn a_plugin_is_retired_when_the_last_call_has_ended() {
    let rack = Rack::with(&["stateful"]);
    std::thread::scope(|scope| {
        let (staying, stays) = channel();
        let staying = std::sync::Mutex::new(staying);
        let progress: Arc<ProgressFn> = Arc::new(move |_, _, _| staying.lock().unwrap().send(()).unwrap());
        let registry = &rack.registry;
        let answer = scope.spawn(move || {
            registry.call_inline("stay", r#"{"until":"go"}"#, &Call::new().progress(&progress))
        });
        stays.recv().unwrap();
        rack.registry.withdraw(&plugin("stateful"));
        error_of(&rack.call("count", "{}"), ErrorType::UnknownTool);
        assert_eq!(notes(&rack), [""; 0], "a call is under way");
        std::fs::write(rack.home.path().join("data/plugins/stateful/go"), "").unwrap();
        assert_eq!(answer.join().unwrap().as_str(), "stayed");
    });
    assert_eq!(notes(&rack), ["retired"]);
}

#[test]
fn a_session_keeps_the_tools_that_it_was_shown() {
    let rack = Rack::with(&["stateful"]);
    let session = rack.registry.session(&Selection::all());
    rack.registry.withdraw(&plugin("stateful"));
    assert_eq!(session.call_inline("count", "{}", &Call::new()).as_str(), "1");
    assert_eq!(notes(&rack), [""; 0]);
    drop(session);
    assert_eq!(notes(&rack), ["retired"]);
}

#[test]
fn the_end_of_a_session_is_told_to_every_plugin() {
    let rack = Rack::with(&["stateful", "well_behaved"]);
    rack.loader.end_session("s-7");
    assert_eq!(notes(&rack), ["end of s-7"]);
}

#[test]
fn one_registration_ends_and_the_other_lives_on() {
    let one = Rack::with(&["services", "well_behaved"]);
    let other = one.beside();
    other.load();
    one.text("keep", r#"{"name":"one"}"#);
    other.text("keep", r#"{"name":"other"}"#);
    one.registry.withdraw(&plugin("services"));
    let ended: Vec<String> = serde_json::from_str(&other.text("ask_kept", r#"{"name":"one"}"#)).unwrap();
    assert_eq!(ended.len(), 6);
    for answer in &ended {
        assert_eq!(answer, "unavailable: the registration of plugin `services` has ended");
    }
    let alive: Vec<String> = serde_json::from_str(&other.text("ask_kept", r#"{"name":"other"}"#)).unwrap();
    assert_eq!(alive[..4], ["{}", "a folder", "a folder", "a folder"]);
}

/// Asks a table for something that only a writer may do when it is dropped, as code behind a tool may.
struct Writes(Registry, SourceId);

impl Drop for Writes {
    fn drop(&mut self) {
        self.0.withdraw(&self.1);
    }
}

#[test]
fn what_a_batch_leaves_over_is_dropped_when_the_table_is_free_again() {
    let (done, ended) = channel();
    // On a thread of its own: a table that waits for itself would wait for ever.
    std::thread::spawn(move || {
        let registry = Registry::new();
        let tool = |batch: Batch, name: &str, overrides: bool| {
            let mut own = Description::new(name, "own", "Own", r#"{"type":"object"}"#).unwrap();
            own.overrides = overrides;
            let writes = Writes(registry.clone(), Source::builtin("nobody").id);
            batch.tool(own, move |_, _| {
                let _kept = &writes;
                Ok(Output::text(""))
            })
        };
        let plugin = || Batch::new(Source::plugin("p", 0, std::path::Path::new("/p.so")));
        assert!(registry.publish(tool(plugin(), "mcp__no", false)).is_err());
        assert!(registry.publish(tool(plugin(), "no_override", true)).is_ok());
        assert!(registry.publish(tool(plugin(), "yes", false)).is_ok());
        assert!(registry.publish(tool(plugin(), "other", false)).is_ok());
        registry.withdraw(&Source::plugin("p", 0, std::path::Path::new("/p.so")).id);
        done.send(()).unwrap();
    });
    ended.recv_timeout(Duration::from_secs(30)).expect("the table waits for itself");
}
