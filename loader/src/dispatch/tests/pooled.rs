//! The door with a hard deadline.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Wake, Waker};

use super::*;
use crate::call::Cancel;

/// A tool that comes back when it is let go, and not before.
fn stuck(table: Table, name: &str) -> (Table, mpsc::Sender<()>) {
    let (let_go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let table = table.tool(name, &free(), move |_, _| {
        let _ = wait.lock().unwrap().recv();
        Ok(Output::text("at last"))
    });
    (table, let_go)
}

/// Its own source, so that what is stuck in one test is not counted in another.
fn of(source: &str) -> Table {
    let table = Table::new();
    Table { batch: Some(Batch::new(Source::builtin(source))), ..table }
}

fn soon() -> Call<'static> {
    Call::new().deadline(Instant::now() + Duration::from_millis(50))
}

/// Waits for a future on this thread: an executor without a timer.
fn wait_for<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(std::thread::Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
        std::thread::park();
    }
}

#[test]
fn both_doors_give_the_same_answers() {
    let registry = Table::new()
        .tool("fails", &free(), |_, _| tool_error("no", [("page", json!(7))]))
        .tool("panics", &free(), |_, _| panic!("oh"))
        .ready();
    let call = Call::new();
    for (name, args) in [
        ("echo", r#"{"limit":"5"}"#),
        ("Echo", ""),
        ("echo", r#"{"limit":"x"}"#),
        ("echo", "{"),
        ("ecko", "{}"),
        ("fails", "{}"),
        ("panics", "{}"),
    ] {
        let inline = registry.call_inline(name, args, &call);
        assert_eq!(registry.call(name, args, &call).as_str(), inline.as_str());
        assert_eq!(wait_for(registry.call_async(name, args, &call)).as_str(), inline.as_str());
        let session = registry.session(&Selection::all());
        assert_eq!(session.call(name, args, &call).as_str(), inline.as_str());
        assert_eq!(wait_for(session.call_async(name, args, &call)).as_str(), inline.as_str());
    }
}

#[test]
fn the_caller_goes_on_at_the_deadline_and_the_call_by_itself() {
    let (table, let_go) = stuck(of("deadline"), "stuck");
    let registry = table.ready();
    let answer = registry.call("stuck", "{}", &soon());
    assert_eq!(answer.error, Some(ErrorType::Timeout), "{}", answer.as_str());
    let answer = wait_for(registry.call_async("stuck", "{}", &soon()));
    assert_eq!(answer.error, Some(ErrorType::Timeout), "{}", answer.as_str());
    drop(let_go);
    assert_eq!(registry.call("stuck", "{}", &Call::new()).as_str(), "at last");
}

#[test]
fn a_deadline_of_the_tool_is_as_hard() {
    let (let_go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let description = json!({"name": "stuck", "schema": {"type": "object"}, "timeout": 0.05});
    let registry = of("tools_own")
        .described(&description, move |_, _| {
            let _ = wait.lock().unwrap().recv();
            Ok(Output::text(""))
        })
        .ready();
    assert_eq!(registry.call("stuck", "{}", &Call::new()).error, Some(ErrorType::Timeout));
    drop(let_go);
}

#[test]
fn past_four_stuck_calls_of_a_source_no_more_are_made_until_one_comes_back() {
    let (table, let_go) = stuck(of("stuck"), "stuck");
    let registry = table.tool("fine", &free(), |_, _| Ok(Output::text("fine"))).ready();
    // One that did not begin in time is not stuck.
    let mut given_up = 0;
    while registry.call("stuck", "{}", &soon()).error == Some(ErrorType::Timeout) {
        given_up += 1;
    }
    assert!(given_up >= 4);
    let answer = registry.call("fine", "{}", &Call::new());
    assert_eq!(answer.error, Some(ErrorType::Unavailable), "{}", answer.as_str());
    assert!(answer.as_str().contains("4 earlier calls of `stuck` have not come back"));
    assert_eq!(Table::new().ready().call("echo", "{}", &Call::new()).as_str(), "{}");
    drop(let_go);
    while registry.call("fine", "{}", &Call::new()).is_error() {
        std::thread::yield_now();
    }
}

#[test]
fn a_cancelled_call_is_told_and_given_up_when_it_does_not_listen() {
    let (table, let_go) = stuck(of("cancel"), "deaf");
    let registry = table
        .tool("listens", &free(), |call, _| {
            while !call.is_cancelled() {
                std::thread::yield_now();
            }
            Ok(Output::text("so far"))
        })
        .ready();
    for name in ["listens", "deaf"] {
        for is_async in [false, true] {
            let cancel = Cancel::new();
            let call = Call::new().cancel(&cancel);
            let answer = std::thread::scope(|scope| {
                scope.spawn(|| cancel.cancel());
                if is_async {
                    wait_for(registry.call_async(name, "{}", &call))
                } else {
                    registry.call(name, "{}", &call)
                }
            });
            // One that is cancelled before it began is not made at all.
            let expected: &[Option<ErrorType>] = if name == "listens" {
                &[None, Some(ErrorType::Cancelled)]
            } else {
                &[Some(ErrorType::Cancelled)]
            };
            assert!(expected.contains(&answer.error), "{name}: {}", answer.as_str());
        }
    }
    drop(let_go);
}

#[test]
fn a_future_that_is_dropped_cancels_its_call() {
    let (tell, told) = mpsc::channel();
    let registry = of("dropped")
        .tool("listens", &free(), move |call, _| {
            tell.send("began").unwrap();
            while !call.is_cancelled() {
                std::thread::yield_now();
            }
            tell.send("cancelled").unwrap();
            Ok(Output::text(""))
        })
        .ready();
    let call = Call::new();
    {
        let mut future = Box::pin(registry.call_async("listens", "{}", &call));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(&mut cx).is_pending());
        assert_eq!(told.recv().unwrap(), "began");
    }
    assert_eq!(told.recv().unwrap(), "cancelled");
}

#[test]
fn a_hook_that_never_returns_refuses() {
    struct Never(Mutex<mpsc::Receiver<()>>);
    impl Hook for Never {
        fn name(&self) -> &str {
            "never"
        }

        fn before(&self, _: &PendingCall<'_>) -> Result<Before, HookError> {
            let _ = self.0.lock().unwrap().recv();
            Ok(Before::Go)
        }
    }
    let (let_go, wait) = mpsc::channel();
    let registry = Table { batch: Some(Batch::new(Source::builtin("never"))), ..Table::new() }
        .tool("fine", &free(), |_, _| Ok(Output::text("ran")))
        .policy(|policy| policy.hook_timeout = Duration::from_millis(50))
        .hook(Never(Mutex::new(wait)))
        .ready();
    let answer = registry.call("fine", "{}", &Call::new());
    assert_eq!(
        answer.as_str(),
        r#"{"error":"the call was not made: the check `never` took too long","error_type":"refused"}"#
    );
    drop(let_go);
}

#[test]
fn a_person_may_take_longer_than_any_limit() {
    let registry = Table::new()
        .policy(|policy| policy.hook_timeout = Duration::from_secs(1))
        .hook(Approval::new(|_| {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(1_200) {
                std::thread::yield_now();
            }
            Reply::Yes
        }))
        .ready();
    let call = Call::new().deadline(Instant::now() + Duration::from_secs(1));
    assert_eq!(registry.call("echo", "{}", &call).as_str(), "{}");
}

#[test]
fn hundreds_of_callers_share_the_threads() {
    let most = Arc::new(AtomicUsize::new(0));
    let now = Arc::new(AtomicUsize::new(0));
    let (seen, running) = (most.clone(), now.clone());
    let registry = Table::new()
        .tool("busy", &free(), move |_, args| {
            seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::thread::yield_now();
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(Output::json(args))
        })
        .ready();
    std::thread::scope(|scope| {
        for caller in 0..200 {
            let registry = &registry;
            scope.spawn(move || {
                for call in 0..5 {
                    let args = format!(r#"{{"caller":{caller},"call":{call}}}"#);
                    assert_eq!(registry.call("busy", &args, &Call::new()).as_str(), args);
                }
            });
        }
    });
    assert!(most.load(Ordering::SeqCst) <= 64 + 16);
}
