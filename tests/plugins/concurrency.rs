use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use toolrack::{Batch, Call, Description, ErrorType, Output, Selection, Source};

use crate::support::fixture;
use crate::support::rack::{Rack, plugin};

/// A caller that fails ends the test for all.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn no_call_is_lost_and_no_table_is_torn_while_plugins_come_and_go() {
    const CALLERS: usize = 8;
    const CHANGES: usize = 24;
    let rack = Rack::with(&["well_behaved"]);
    // It stands before `well_behaved`: the name `echo` changes hands each time.
    let rival = rack.home.drop_in(&fixture("rival"));
    let over = AtomicBool::new(false);
    let (calls, by_rival) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (rack, over, calls, by_rival) = (&rack, &over, &calls, &by_rival);
            scope.spawn(move || {
                let _over = Over(over);
                let text = format!("caller {caller}");
                let args = format!(r#"{{"text":"{text}"}}"#);
                while !over.load(Ordering::SeqCst) {
                    let answer = rack.call("echo", &args);
                    match answer.as_str() {
                        own if own == text => {}
                        rivals if rivals == format!("rival: {text}") => {
                            by_rival.fetch_add(1, Ordering::SeqCst);
                        }
                        other => panic!("{other}"),
                    }
                    let answer = rack.call("only_here", "{}");
                    match answer.error {
                        None => assert_eq!(answer.as_str(), "rival"),
                        Some(ErrorType::UnknownTool | ErrorType::Unavailable) => {}
                        Some(_) => panic!("{}", answer.as_str()),
                    }
                    // One table is one moment: `only_here` is there if and only if `echo` is the rival's. When the
                    // rival went since, the session is told so.
                    let session = rack.registry.session(&Selection::all());
                    let echo = session.call_inline("echo", &args, &Call::new());
                    let is_rivals = session.get("only_here").is_some();
                    match echo.error {
                        None => assert_eq!(is_rivals, echo.as_str().starts_with("rival")),
                        Some(ErrorType::Unavailable) => assert!(is_rivals, "{}", echo.as_str()),
                        Some(_) => panic!("{}", echo.as_str()),
                    }
                    let names: Vec<&str> = session.snapshot().names().collect();
                    assert!(names.is_sorted());
                    calls.fetch_add(3, Ordering::SeqCst);
                }
            });
        }
        for change in 0..CHANGES {
            let before = calls.load(Ordering::SeqCst);
            assert_eq!(rack.load_file(&rival).loaded.len(), 1);
            let own = Description::new("own", "host", "Own", r#"{"type":"object"}"#).unwrap();
            let batch = Batch::new(Source::builtin("app"))
                .tool(own, move |_, _| Ok(Output::text(change.to_string())));
            rack.registry.publish(batch).unwrap();
            assert_eq!(rack.text("own", "{}"), change.to_string());
            while calls.load(Ordering::SeqCst) < before + CALLERS && !over.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            rack.registry.withdraw(&plugin("rival"));
        }
        over.store(true, Ordering::SeqCst);
    });
    assert!(by_rival.load(Ordering::SeqCst) > 0);
    assert_eq!(rack.text("echo", r#"{"text":"x"}"#), "x");
    assert_eq!(rack.names(), ["echo", "own"]);
}
