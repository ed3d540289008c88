//! Each line of the rules for availability. Nothing sleeps: the clock goes on when it is told to.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Availability, ManualClock};
use crate::{
    Batch, Description, Output, Provider, Registry, RegistrySettings, Selection, Session, Source, ToolEntry,
};

type Answer = Result<(), String>;

/// A table whose time and environment stand still until they are changed.
struct Table {
    registry: Registry,
    clock: ManualClock,
    environment: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Table {
    fn new() -> Self {
        let clock = ManualClock::new();
        let environment: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
        let looked_up = environment.clone();
        let registry = Registry::with(RegistrySettings {
            clock: Arc::new(clock.clone()),
            environment: Arc::new(move |name| looked_up.lock().unwrap().get(name).map(OsString::from)),
            ..RegistrySettings::default()
        });
        Table { registry, clock, environment }
    }

    fn with(tools: impl FnOnce(Batch) -> Batch) -> Self {
        let table = Table::new();
        table.registry.publish(tools(Batch::new(Source::builtin("app")))).unwrap();
        table
    }

    /// A table with one tool, `probed`, and its check.
    fn probed(check: &Script) -> Self {
        let check = check.clone();
        Table::with(|batch| add(batch, described("probed", "{}")).checked_by(move || check.answer()))
    }

    fn seconds(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    fn just_before(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds) - Duration::from_nanos(1));
    }

    fn nanosecond(&self) {
        self.clock.advance(Duration::from_nanos(1));
    }

    fn entry(&self, name: &str) -> Arc<ToolEntry> {
        self.registry.snapshot().get(name).unwrap().clone()
    }

    /// Asks, as definitions do.
    fn ask(&self, name: &str) -> Availability {
        self.registry.availability([&self.entry(name)]).verdicts[0].clone()
    }

    fn is_available(&self, name: &str) -> bool {
        self.ask(name).is_available()
    }

    fn why(&self, name: &str) -> String {
        self.ask(name).reason().expect("it should be unavailable").to_owned()
    }

    fn session(&self) -> Session {
        self.registry.session(&Selection::all())
    }

    fn set(&self, name: &str, value: &str) {
        self.environment.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }
}

/// What a check answers, until it is told otherwise; and how often it was asked.
#[derive(Clone)]
struct Script(Arc<(Mutex<Answer>, AtomicUsize)>);

impl Script {
    fn yes() -> Self {
        Script(Arc::new((Mutex::new(Ok(())), AtomicUsize::new(0))))
    }

    fn no() -> Self {
        let script = Script::yes();
        script.says_no();
        script
    }

    fn answer(&self) -> Answer {
        self.0.1.fetch_add(1, Ordering::SeqCst);
        self.0.0.lock().unwrap().clone()
    }

    fn says_no(&self) {
        *self.0.0.lock().unwrap() = Err("the daemon is down".to_owned());
    }

    fn says_yes(&self) {
        *self.0.0.lock().unwrap() = Ok(());
    }

    fn asked(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

/// A check that tells when it is entered, and answers when it is let go.
fn blocking() -> (impl Fn() -> Answer + Send + Sync + 'static, Receiver<()>, Sender<Answer>) {
    let (entered, is_entered) = mpsc::channel();
    let (let_go, gate) = mpsc::channel::<Answer>();
    let gate = Mutex::new(gate);
    let check = move || {
        entered.send(()).unwrap();
        gate.lock().unwrap().recv().unwrap_or(Ok(()))
    };
    (check, is_entered, let_go)
}

fn described(name: &str, more: &str) -> Description {
    let mut text: serde_json::Value = serde_json::from_str(more).unwrap();
    text["name"] = name.into();
    text["schema"] = serde_json::json!({ "type": "object" });
    Description::from_json(&text.to_string(), "demo").unwrap()
}

fn add(batch: Batch, description: Description) -> Batch {
    batch.tool(description, |_, _| Ok(Output::text("done")))
}

#[test]
fn an_answer_holds_for_30_seconds_and_no_longer() {
    for check in [Script::yes(), Script::no()] {
        let table = Table::probed(&check);
        let first = table.ask("probed");
        table.just_before(30);
        assert_eq!(table.ask("probed"), first);
        assert_eq!(check.asked(), 1);
        table.nanosecond();
        assert_eq!(table.ask("probed"), first);
        assert_eq!(check.asked(), 2, "at 30 s the answer is no longer good");
    }
}

#[test]
fn tools_that_share_a_check_id_share_the_answer_and_others_do_not() {
    let (shared, own) = (Script::yes(), Script::yes());
    let (one, two, three) = (shared.clone(), shared.clone(), own.clone());
    let table = Table::with(|batch| {
        let batch = add(batch, described("a", r#"{"check_id":"docker"}"#)).checked_by(move || one.answer());
        let batch = add(batch, described("b", r#"{"check_id":"docker"}"#)).checked_by(move || two.answer());
        let batch = add(batch, described("c", "{}")).checked_by(move || three.answer());
        add(batch, described("d", r#"{"check_id":"docker"}"#))
    });
    shared.says_no();
    let shown = |table: &Table| -> Vec<String> {
        let session = table.session();
        session.available_tools().iter().map(|entry| entry.name().to_owned()).collect()
    };
    assert_eq!(shown(&table), ["c"], "`d` has no check of its own, and shares the one");
    assert_eq!((shared.asked(), own.asked()), (1, 1), "a pass runs each check once");
    assert_eq!(shown(&table), ["c"]);
    assert_eq!((shared.asked(), own.asked()), (1, 1));
}

#[test]
fn the_same_check_id_of_another_source_is_another_check() {
    let (ours, theirs) = (Script::yes(), Script::no());
    let (a, b) = (ours.clone(), theirs.clone());
    let table = Table::with(|batch| {
        add(batch, described("a", r#"{"check_id":"docker"}"#)).checked_by(move || a.answer())
    });
    let other = add(Batch::new(Source::mcp("srv", 0)), described("b", r#"{"check_id":"docker"}"#));
    table.registry.publish(other.checked_by(move || b.answer())).unwrap();
    assert!(table.is_available("a") && !table.is_available("b"));
}

#[test]
fn a_tool_that_is_added_later_shares_the_check_that_its_source_has_already() {
    let (first, second) = (Script::yes(), Script::yes());
    let (a, b) = (first.clone(), second.clone());
    let table = Table::with(|batch| {
        add(batch, described("a", r#"{"check_id":"docker"}"#)).checked_by(move || a.answer())
    });
    assert!(table.is_available("a"));
    let more = add(Batch::new(Source::builtin("app")), described("b", r#"{"check_id":"docker"}"#));
    table.registry.extend(more.checked_by(move || b.answer())).unwrap();
    assert!(table.is_available("b"));
    assert_eq!((first.asked(), second.asked()), (1, 0));
}

#[test]
fn a_tool_that_is_replaced_is_asked_anew() {
    let old = Script::no();
    let table = Table::probed(&old);
    assert!(!table.is_available("probed"));
    let new = Script::yes();
    let check = new.clone();
    let batch = add(Batch::new(Source::builtin("app")), described("probed", "{}"));
    table.registry.publish(batch.checked_by(move || check.answer())).unwrap();
    assert!(table.is_available("probed"), "the verdict on the old one says nothing of the new one");
    assert_eq!((old.asked(), new.asked()), (1, 1));
}

#[test]
fn a_failure_within_60_seconds_of_a_success_is_a_flake_and_the_good_answer_stands() {
    let check = Script::yes();
    let table = Table::probed(&check);
    assert!(table.is_available("probed"));
    check.says_no();
    table.seconds(30);
    assert!(table.is_available("probed"));
    assert_eq!(check.asked(), 2);
    table.just_before(30);
    assert!(table.is_available("probed"), "59.99… s after the success");
    table.nanosecond();
    assert_eq!(table.why("probed"), "the daemon is down", "at 60 s the failure is honoured");
}

#[test]
fn while_a_flake_is_looked_into_the_check_is_asked_at_most_every_5_seconds() {
    let check = Script::yes();
    let table = Table::probed(&check);
    assert!(table.is_available("probed"));
    check.says_no();
    table.seconds(30);
    assert!(table.is_available("probed"));
    for asked in 2..6 {
        assert_eq!(check.asked(), asked);
        table.just_before(5);
        assert!(table.is_available("probed"));
        assert_eq!(check.asked(), asked, "not before 5 s are over");
        table.nanosecond();
        assert!(table.is_available("probed"));
    }
    check.says_yes();
    table.seconds(5);
    assert!(table.is_available("probed"));
    let asked = check.asked();
    table.just_before(30);
    assert!(table.is_available("probed"));
    assert_eq!(check.asked(), asked, "a success is good for 30 s again");
}

#[test]
fn a_flake_is_not_kept_as_the_truth() {
    let check = Script::yes();
    let table = Table::probed(&check);
    table.ask("probed");
    check.says_no();
    table.seconds(57);
    assert!(table.is_available("probed"), "a flake");
    check.says_yes();
    table.seconds(4);
    assert!(table.is_available("probed"), "past the grace it is asked again, though 5 s are not over");
    assert_eq!(check.asked(), 3);
    check.says_no();
    table.seconds(60);
    assert!(!table.is_available("probed"));
    assert_eq!(check.asked(), 4);
    table.just_before(30);
    assert!(!table.is_available("probed"));
    assert_eq!(check.asked(), 4, "a failure that is honoured is kept for 30 s");
}

#[test]
fn a_check_that_never_succeeded_has_no_grace() {
    let table = Table::probed(&Script::no());
    assert_eq!(table.why("probed"), "the daemon is down");
}

#[test]
fn a_check_that_panics_or_gives_no_words_is_a_failure() {
    let table = Table::with(|batch| {
        let batch = add(batch, described("panics", "{}")).checked_by(|| panic!("secret"));
        add(batch, described("wordless", "{}")).checked_by(|| Err(String::new()))
    });
    assert_eq!(table.why("panics"), "its check panicked");
    assert_eq!(table.why("wordless"), "its check says no");
}

#[test]
fn the_words_of_a_check_are_bounded() {
    let table = Table::with(|batch| add(batch, described("a", "{}")).checked_by(|| Err("é".repeat(100_000))));
    assert!(table.why("a").chars().count() <= 500);
}

#[test]
fn a_check_that_is_slower_than_5_seconds_is_cut_off_and_never_runs_twice_at_once() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("slow", "{}")).checked_by(check));
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| table.why("slow"));
        entered.recv().unwrap();
        table.seconds(5);
        assert_eq!(asking.join().unwrap(), "its check gave no answer within 5 s");
    });
    table.seconds(30);
    assert_eq!(table.why("slow"), "its check gave no answer within 5 s", "the first one still runs");
    assert!(entered.try_recv().is_err(), "and no second one beside it");
    // Its late answer is nobody's; from then on it can be asked again.
    let_go.send(Ok(())).unwrap();
    while table.entry("slow").gate.check.as_ref().unwrap().state.lock().is_in_flight() {
        std::thread::yield_now();
    }
    assert!(!table.is_available("slow"));
    table.seconds(30);
    let_go.send(Ok(())).unwrap();
    assert!(table.is_available("slow"));
}

#[test]
fn a_check_that_took_longer_than_5_seconds_is_a_failure_though_nobody_waited() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("slow", "{}")).checked_by(check));
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| table.why("slow"));
        entered.recv().unwrap();
        table.seconds(6);
        let_go.send(Ok(())).unwrap();
        let why = asking.join().unwrap();
        assert!(why.starts_with("its check "), "{why}");
    });
}

#[test]
fn one_probe_is_in_flight_however_many_ask() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("a", "{}")).checked_by(check));
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..8).map(|_| scope.spawn(|| table.is_available("a"))).collect();
        entered.recv().unwrap();
        let_go.send(Ok(())).unwrap();
        assert!(asking.into_iter().all(|one| one.join().unwrap()));
    });
    assert!(entered.try_recv().is_err(), "asked once");
}

#[test]
fn the_checks_of_a_pass_run_side_by_side() {
    // Each of the two waits for the other: one after the other they would never come to an end.
    let barrier = Arc::new(std::sync::Barrier::new(2));
    let (one, two) = (barrier.clone(), barrier);
    let wait = |barrier: Arc<std::sync::Barrier>| {
        move || {
            barrier.wait();
            Ok(())
        }
    };
    let table = Table::with(|batch| {
        let batch = add(batch, described("a", "{}")).checked_by(wait(one));
        add(batch, described("b", "{}")).checked_by(wait(two))
    });
    assert_eq!(table.session().available_tools().len(), 2);
}

#[test]
fn more_checks_than_run_side_by_side_are_all_asked() {
    let checks: Vec<Script> =
        (0..150).map(|at| if at % 3 == 0 { Script::no() } else { Script::yes() }).collect();
    let table = Table::with(|mut batch| {
        for (at, check) in checks.iter().cloned().enumerate() {
            batch = add(batch, described(&format!("t{at}"), "{}")).checked_by(move || check.answer());
        }
        batch
    });
    assert_eq!(table.session().available_tools().len(), 100);
    assert!(checks.iter().all(|check| check.asked() == 1));
}

#[test]
fn r12_while_a_check_blocks_writers_write_and_the_reader_finishes_from_its_snapshot() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("slow", "{}")).checked_by(check));
    std::thread::scope(|scope| {
        let session = table.session();
        let reading = scope.spawn(move || session.definitions(Provider::Mcp));
        entered.recv().unwrap();
        let other = add(Batch::new(Source::mcp("srv", 0)), described("new", "{}"));
        table.registry.publish(other).unwrap();
        table.registry.withdraw(&Source::builtin("app").id);
        assert_eq!(table.registry.snapshot().names().collect::<Vec<_>>(), ["new"]);
        let_go.send(Ok(())).unwrap();
        let shown = reading.join().unwrap();
        assert!(shown.count == 1 && shown.json.contains("slow"), "{}", shown.json);
    });
}

#[test]
fn every_required_variable_must_be_set_and_an_empty_one_is_missing_without_any_grace() {
    let table =
        Table::with(|batch| add(batch, described("search", r#"{"requires_env":["BRAVE|TAVILY","HOME"]}"#)));
    assert_eq!(table.why("search"), "none of the environment variables `BRAVE`, `TAVILY` is set");
    table.set("TAVILY", "key");
    assert_eq!(table.why("search"), "the environment variable `HOME` is not set");
    table.set("HOME", "/root");
    assert!(table.is_available("search"), "a variable that appears is seen at once");
    table.set("HOME", "");
    assert!(!table.is_available("search"));
}

#[test]
fn without_its_environment_a_tools_check_is_not_asked() {
    let check = Script::yes();
    let asked = check.clone();
    let table = Table::with(|batch| {
        add(batch, described("a", r#"{"requires_env":["KEY"]}"#)).checked_by(move || asked.answer())
    });
    assert!(!table.is_available("a"));
    assert_eq!(check.asked(), 0);
    table.set("KEY", "1");
    assert!(table.is_available("a"));
    assert_eq!(check.asked(), 1);
}

#[test]
fn invalidate_drops_every_answer_and_the_grace_with_it() {
    let check = Script::yes();
    let table = Table::probed(&check);
    assert!(table.is_available("probed"));
    check.says_no();
    table.registry.invalidate_availability();
    assert_eq!(table.registry.known_availability(&table.entry("probed")), Availability::Unknown);
    assert_eq!(table.why("probed"), "the daemon is down");
    check.says_yes();
    assert!(!table.is_available("probed"));
    table.registry.invalidate_availability();
    assert!(table.is_available("probed"));
    assert_eq!(check.asked(), 3);
}

#[test]
fn an_answer_that_was_asked_for_before_an_invalidation_does_not_count() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("a", "{}")).checked_by(check));
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| table.ask("a"));
        entered.recv().unwrap();
        table.registry.invalidate_availability();
        let_go.send(Ok(())).unwrap();
        entered.recv().unwrap();
        let_go.send(Err("no".to_owned())).unwrap();
        assert_eq!(asking.join().unwrap().reason(), Some("no"));
    });
}

#[test]
fn the_view_never_runs_a_probe() {
    let check = Script::no();
    let table = Table::probed(&check);
    let view = |table: &Table| table.registry.known_availability(&table.entry("probed"));
    assert_eq!(view(&table), Availability::Unknown);
    assert_eq!(check.asked(), 0);
    table.ask("probed");
    assert_eq!(view(&table).reason(), Some("the daemon is down"));
    assert_eq!(table.session().known_availability("probed"), Some(view(&table)));
    table.seconds(30);
    assert_eq!(view(&table), Availability::Unknown, "its 30 s are over");
    assert_eq!(check.asked(), 1);
}

#[test]
fn every_flip_bumps_the_epoch_and_nothing_else_does() {
    let check = Script::yes();
    let table = Table::probed(&check);
    let epoch = || table.registry.availability_epoch();
    let start = epoch();
    table.ask("probed");
    assert_eq!(epoch(), start);
    check.says_no();
    table.seconds(30);
    table.ask("probed");
    assert_eq!(epoch(), start, "a flake is no flip");
    table.seconds(30);
    table.ask("probed");
    assert_eq!(epoch(), start + 1);
    table.seconds(30);
    table.ask("probed");
    assert_eq!(epoch(), start + 1, "still unavailable");
    check.says_yes();
    table.seconds(30);
    table.ask("probed");
    assert_eq!(epoch(), start + 2);
    table.registry.invalidate_availability();
    assert_eq!(epoch(), start + 3);
}

#[test]
fn a_variable_that_comes_or_goes_is_a_flip() {
    let table = Table::with(|batch| add(batch, described("a", r#"{"requires_env":["KEY"]}"#)));
    let epoch = || table.registry.availability_epoch();
    table.ask("a");
    let missing = epoch();
    table.ask("a");
    assert_eq!(epoch(), missing);
    table.set("KEY", "1");
    table.ask("a");
    assert_eq!(epoch(), missing + 1);
    table.set("KEY", "");
    table.ask("a");
    assert_eq!(epoch(), missing + 2);
}

#[test]
fn a_pass_is_good_until_the_earliest_of_its_answers_ends_and_not_at_all_in_grace() {
    let (one, two) = (Script::yes(), Script::yes());
    let (a, b) = (one.clone(), two);
    let table = Table::with(|batch| {
        let batch = add(batch, described("a", "{}")).checked_by(move || a.answer());
        let batch = add(batch, described("b", "{}")).checked_by(move || b.answer());
        add(batch, described("plain", "{}"))
    });
    let pass = |names: &[&str]| {
        let entries: Vec<_> = names.iter().map(|name| table.entry(name)).collect();
        table.registry.availability(&entries)
    };
    assert_eq!(pass(&["plain"]).valid_until, None);
    let start = table.registry.now();
    pass(&["a"]);
    table.seconds(10);
    let both = pass(&["a", "b", "plain"]);
    assert_eq!(both.valid_until, Some(start + Duration::from_secs(30)), "`a` was asked first");
    assert_eq!(both.epoch, table.registry.availability_epoch());
    one.says_no();
    table.seconds(20);
    let flaky = pass(&["a", "b"]);
    assert!(flaky.verdicts.iter().all(Availability::is_available));
    assert_eq!(flaky.valid_until, Some(table.registry.now()), "no longer than now");
}

#[test]
fn a_toolset_is_available_when_one_of_its_tools_is() {
    let (yes, no) = (Script::yes(), Script::no());
    let (a, b) = (yes, no.clone());
    let table = Table::with(|batch| {
        let batch = add(batch, described("a", r#"{"toolset":"mixed"}"#)).checked_by(move || a.answer());
        let batch = add(batch, described("b", r#"{"toolset":"mixed"}"#)).checked_by(move || b.answer());
        add(batch, described("c", r#"{"toolset":"off"}"#)).checked_by(move || no.answer())
    });
    assert_eq!(table.registry.toolset_available("mixed"), Some(true));
    assert_eq!(table.registry.toolset_available("off"), Some(false));
    assert_eq!(table.registry.toolset_available("file"), Some(false), "defined, and nobody is in it");
    assert_eq!(table.registry.toolset_available("nowhere"), None);
    let all = table.registry.toolset_availability();
    assert_eq!((all["mixed"], all["off"], all["file"]), (true, false, false));
}

#[test]
fn only_tools_whose_check_passes_are_defined_and_the_others_are_told_with_the_reason() {
    let check = Script::no();
    let table = Table::probed(&check);
    table.registry.extend(add(Batch::new(Source::builtin("app")), described("plain", "{}"))).unwrap();
    let session = table.session();
    let shown = session.definitions(Provider::OpenAi);
    assert!(shown.count == 1 && shown.json.contains("\"plain\""), "{}", shown.json);
    let absent: Vec<String> =
        session.absent().iter().map(|one| format!("{}: {}", one.tool, one.why)).collect();
    assert_eq!(absent, ["probed: unavailable: the daemon is down"]);
    check.says_yes();
    table.seconds(30);
    assert_eq!(session.definitions(Provider::OpenAi).count, 2, "a dependency that appears is seen");
    assert!(session.absent().is_empty());
}

#[test]
fn a_call_is_refused_by_what_is_known_and_never_asks() {
    let check = Script::no();
    let table = Table::probed(&check);
    let call = |table: &Table| table.session().call_inline("probed", "{}", &crate::Call::new());
    assert_eq!(call(&table).as_str(), "done", "nothing is known yet");
    assert_eq!(check.asked(), 0);
    assert!(!table.is_available("probed"));
    let refused = call(&table);
    assert_eq!(refused.error, Some(crate::ErrorType::Unavailable));
    assert!(refused.as_str().contains("the tool `probed` can not be used now: the daemon is down"));
    table.seconds(30);
    assert_eq!(call(&table).as_str(), "done", "its 30 s are over");
    assert_eq!(check.asked(), 1);
}

#[test]
fn a_check_that_hangs_within_the_grace_costs_one_wait_and_no_tool() {
    let (check, entered, let_go) = blocking();
    let table = Table::with(|batch| add(batch, described("a", "{}")).checked_by(check));
    let_go.send(Ok(())).unwrap();
    assert!(table.is_available("a"));
    entered.recv().unwrap();
    table.seconds(30);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| table.is_available("a"));
        entered.recv().unwrap();
        table.seconds(5);
        assert!(asking.join().unwrap(), "35 s after the success");
    });
    table.seconds(24);
    assert!(table.is_available("a"), "nobody waits for it again");
    table.seconds(1);
    assert_eq!(table.why("a"), "its check gave no answer within 5 s");
    drop(let_go);
}
