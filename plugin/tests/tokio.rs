//! The feature `tokio`: a plugin's futures find a runtime, whoever polls them.
#![cfg(feature = "tokio")]
#![allow(unreachable_pub, clippy::unwrap_used, reason = "a test is no library")]

#[path = "support/host.rs"]
mod host;

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use toolrack_plugin::tokio::{self, net::TcpListener, time};
use toolrack_plugin::{ToolError, export_tools, tool};

/// Sleeps for a moment.
#[tool]
async fn sleeps() -> String {
    time::sleep(Duration::from_millis(1)).await;
    "slept".to_owned()
}

/// Talks to itself, on a task of its own.
#[tool]
async fn talks() -> Result<String, ToolError> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let place = listener.local_addr()?;
    let accepted = tokio::spawn(async move { listener.accept().await.map(|_| ()) });
    tokio::net::TcpStream::connect(place).await?;
    accepted.await??;
    Ok("talked".to_owned())
}

/// Waits too long.
#[tool]
async fn gives_up() -> Result<(), ToolError> {
    time::timeout(Duration::from_millis(1), std::future::pending::<()>()).await?;
    Ok(())
}

/// Never ends, and holds a timer.
#[tool]
async fn holds_a_timer() {
    time::sleep(Duration::from_secs(3600)).await;
}

export_tools![sleeps, talks, gives_up, holds_a_timer];

#[test]
fn a_host_without_a_runtime_polls_a_plugin_with_one() {
    let plugin = host::register(register_tools.root());
    assert_eq!(block_on(plugin.call_async("sleeps", "{}")).body.as_str(), "slept");
    assert_eq!(block_on(plugin.call_async("talks", "{}")).body.as_str(), "talked");
    let late = block_on(plugin.call_async("gives_up", "{}"));
    assert_eq!(late.body.as_str(), "Elapsed: deadline has elapsed");
}

#[test]
fn the_sync_door_works_as_well() {
    assert_eq!(host::register(register_tools.root()).call("sleeps", "{}").body.as_str(), "slept");
}

#[test]
fn a_host_inside_its_own_runtime_is_not_in_the_way() {
    let plugin = host::register(register_tools.root());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert_eq!(runtime.block_on(plugin.call_async("sleeps", "{}")).body.as_str(), "slept");
}

#[test]
fn a_future_that_is_dropped_while_it_waits_is_cancelled() {
    let plugin = host::register(register_tools.root());
    let mut waits = plugin.call_async("holds_a_timer", "{}");
    let polled = std::pin::Pin::new(&mut waits).poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending));
    drop(waits);
    assert!(plugin.memory.logs().is_empty());
}

/// Polls on this thread, which has no runtime.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: std::sync::Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(std::sync::Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}
