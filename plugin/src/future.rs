//! Futures that let no panic out, neither when they are polled nor when they are dropped.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use crate::Host;
use crate::guard::{Panicked, guard, guarded_drop};

/// A future of the author's.
pub(crate) struct Guarded<F: Future> {
    host: Host,
    /// Gone when it has ended or panicked: what it held is dropped at once, under guard.
    inner: Option<Pin<Box<F>>>,
    panicked: fn() -> F::Output,
}

impl<F: Future> Guarded<F> {
    pub(crate) fn new(host: &Host, inner: Pin<Box<F>>, panicked: fn() -> F::Output) -> Self {
        Guarded { host: host.clone(), inner: Some(inner), panicked }
    }

    fn end(&mut self) {
        if let Some(inner) = self.inner.take() {
            let host = &self.host;
            guarded_drop(Some(host), InRuntime(Some(inner)));
        }
    }
}

impl<F: Future> Future for Guarded<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else {
            return Poll::Ready((this.panicked)());
        };
        let polled = guard(&this.host, || in_runtime(|| inner.as_mut().poll(context)));
        match polled {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => {
                this.end();
                Poll::Ready(output)
            }
            Err(Panicked) => {
                this.end();
                Poll::Ready((this.panicked)())
            }
        }
    }
}

impl<F: Future> Drop for Guarded<F> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Drops its value where the runtime can be reached: timers and sockets ask for it.
struct InRuntime<T>(Option<T>);

impl<T> Drop for InRuntime<T> {
    fn drop(&mut self) {
        in_runtime(|| drop(self.0.take()));
    }
}

/// Polls a future on this thread until it ends.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    in_runtime(|| {
        let mut future = std::pin::pin!(future);
        loop {
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                Poll::Pending => std::thread::park(),
            }
        }
    })
}

/// Runs `f` inside the plugin's runtime, if it has one.
fn in_runtime<R>(f: impl FnOnce() -> R) -> R {
    #[cfg(feature = "tokio")]
    let _entered = crate::runtime::enter();
    f()
}
