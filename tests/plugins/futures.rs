use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use toolrack::{Call, Cancel, ErrorType, ProgressFn, Selection};

use crate::support::logs::logged;
use crate::support::rack::{Rack, error_of};

/// An executor of one thread, written by hand: parks until it is woken, and counts how often that was.
struct Unpark {
    thread: Thread,
    woken: AtomicU32,
}

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.woken.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

fn block_on<F: Future>(future: F) -> (F::Output, u32) {
    let executor = Arc::new(Unpark { thread: std::thread::current(), woken: AtomicU32::new(0) });
    let waker = Waker::from(executor.clone());
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (output, executor.woken.load(Ordering::SeqCst));
        }
        std::thread::park();
    }
}

#[test]
fn fact_10_a_timer_of_the_plugins_own_works_under_a_host_without_a_runtime() {
    let rack = Rack::with(&["asynchronous"]);
    assert_eq!(rack.text("sleeps", r#"{"milliseconds":1}"#), "slept");
    let call = Call::new();
    let (answer, woken) = block_on(rack.registry.call_inline_async("sleeps", r#"{"milliseconds":1}"#, &call));
    assert_eq!(answer.as_str(), "slept");
    assert!(woken >= 1, "the plugin's runtime woke the host's executor");
}

#[test]
fn a_future_wakes_an_executor_written_by_hand() {
    let rack = Rack::with(&["asynchronous", "well_behaved"]);
    let call = Call::new();
    let (answer, woken) = block_on(rack.registry.call_inline_async("woken", r#"{"times":5}"#, &call));
    assert_eq!(answer.as_str(), "5");
    assert!(woken >= 5, "{woken}");
    // A plain tool runs inside the first poll.
    let (answer, woken) = block_on(rack.registry.call_inline_async("echo", r#"{"text":"plain"}"#, &call));
    assert_eq!((answer.as_str(), woken), ("plain", 0));
    let (answer, _) = block_on(rack.registry.call_inline_async("nothing", "{}", &call));
    error_of(&answer, ErrorType::UnknownTool);
}

/// The tool `never` says in the log when its future was dropped.
#[track_caller]
fn assert_dropped(mark: &str) {
    assert_eq!(logged(&format!("nobody waits any more: {mark}")).len(), 1, "{mark}");
}

#[test]
fn a_plain_thread_that_waits_for_a_future_stops_at_the_deadline_and_drops_it() {
    let rack = Rack::with(&["asynchronous"]);
    let call = Call::new().deadline(Instant::now() + Duration::from_millis(20));
    let answer = rack.registry.call_inline("never", r#"{"mark":"late"}"#, &call);
    error_of(&answer, ErrorType::Timeout);
    assert_dropped("late");
}

#[test]
fn a_plain_thread_that_waits_for_a_future_stops_when_the_call_is_cancelled() {
    let rack = Rack::with(&["asynchronous"]);
    let cancel = Cancel::new();
    let progress: Arc<ProgressFn> = {
        let cancel = cancel.clone();
        Arc::new(move |_, _, _| cancel.cancel())
    };
    let call = Call::new().cancel(&cancel).progress(&progress);
    let answer = rack.registry.call_inline("never", r#"{"mark":"cancelled"}"#, &call);
    error_of(&answer, ErrorType::Cancelled);
    assert_dropped("cancelled");
}

#[test]
fn a_future_that_is_dropped_is_dropped_in_the_plugin() {
    let rack = Rack::with(&["asynchronous"]);
    let call = Call::new();
    {
        let mut future = pin!(rack.registry.call_inline_async("never", r#"{"mark":"given up"}"#, &call));
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending());
        assert!(logged("nobody waits any more: given up").is_empty());
    }
    assert_dropped("given up");
}

#[test]
fn a_waker_that_panics_does_not_end_the_process() {
    struct Bomb(AtomicBool);
    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::SeqCst);
            panic!("boom in a waker");
        }
    }
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("boom in the drop of a waker");
            }
        }
    }
    let rack = Rack::with(&["asynchronous"]);
    let call = Call::new();
    let bomb = Arc::new(Bomb(AtomicBool::new(false)));
    let waker = Waker::from(bomb.clone());
    {
        let mut future = pin!(rack.registry.call_inline_async("woken", r#"{"times":3}"#, &call));
        let answer = loop {
            if let Poll::Ready(answer) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                break answer;
            }
            std::thread::yield_now();
        };
        assert_eq!(answer.as_str(), "3");
    }
    assert!(bomb.0.load(Ordering::SeqCst), "it was woken");
    assert!(!logged("panicked while it was woken").is_empty());
    drop(waker);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(bomb))).is_err(), "the last handle is the test's own");
}

#[test]
fn a_future_calls_another_tool_no_more_than_its_caller_may() {
    let rack = Rack::with(&["asynchronous", "well_behaved"]);
    let through = r#"{"name":"echo","text":"through"}"#;
    assert_eq!(rack.text("passes_on", through), "through");
    let (answer, _) = block_on(rack.registry.call_inline_async("passes_on", through, &Call::new()));
    assert_eq!(answer.as_str(), "through");
    let session = rack.registry.session(&Selection::only(["asynchronous"]));
    let (answer, _) = block_on(session.call_inline_async("passes_on", through, &Call::new()));
    error_of(&answer, ErrorType::UnknownTool);
    error_of(&session.call_inline("passes_on", through, &Call::new()), ErrorType::UnknownTool);
}

#[test]
fn a_future_calls_a_future() {
    let rack = Rack::with(&["asynchronous"]);
    // Its argument is a text, so the inner call is refused by the inner tool, and answers so.
    let answer = rack.call("passes_on", r#"{"name":"passes_on","text":"x"}"#);
    error_of(&answer, ErrorType::InvalidArguments);
}

#[test]
fn a_future_may_be_sent_to_another_thread_between_polls() {
    let rack = Rack::with(&["asynchronous"]);
    let registry = rack.registry.clone();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut future = Box::pin(async move {
        registry.call_inline_async("woken", r#"{"times":1}"#, &Call::new()).await.into_string()
    });
    let first = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    let ended = matches!(first, Poll::Ready(_));
    let there = seen.clone();
    std::thread::spawn(move || {
        if !ended {
            let (answer, _) = block_on(future);
            there.lock().unwrap().push(answer);
        }
    })
    .join()
    .unwrap();
    let answer = match first {
        Poll::Ready(answer) => answer,
        Poll::Pending => seen.lock().unwrap().remove(0),
    };
    assert_eq!(answer, "1");
}
