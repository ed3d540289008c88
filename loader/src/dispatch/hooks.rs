//! What a host puts around calls.

use std::cell::{Cell, OnceCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::policy::{Around, Hooked};
use super::steps::{Given, given};
use super::watch::{Limit, Watch, Why};
use crate::answer::{ErrorType, FOR_LOG, Failure, Outcome, shorten};
use crate::arguments;
use crate::call::Call;
use crate::tool::ToolEntry;

/// Why a hook failed.
pub type HookError = Box<dyn std::error::Error + Send + Sync>;

/// Something that a host puts around every call of a registry.
///
/// Before a call hooks are asked in the order they were added, [`HookStage::LastWord`] at the end. A hook that
/// fails, panics or takes longer than the policy's `hook_timeout` refuses the call: a guard that is broken must not
/// let through. After it they only look, and what goes wrong in them is logged. Hooks run on the caller's thread;
/// with [`Registry::call`](crate::Registry::call) that is the pool's before the call, and one that never returns
/// refuses, too.
///
/// ```
/// use std::sync::Arc;
/// use toolrack::{Batch, Before, Call, Description, Hook, HookError, Output, PendingCall, Registry, Source};
///
/// struct NoSecrets;
///
/// impl Hook for NoSecrets {
///     fn name(&self) -> &str {
///         "no_secrets"
///     }
///
///     fn before(&self, call: &PendingCall<'_>) -> Result<Before, HookError> {
///         Ok(if call.arguments().contains(".ssh") { Before::Refuse("keys are private".into()) } else { Before::Go })
///     }
/// }
///
/// let registry = Registry::new();
/// let read = Description::new("read", "files", "Reads", "{}")?;
/// registry.publish(Batch::new(Source::builtin("app")).tool(read, |_, _| Ok(Output::text("text"))))?;
/// registry.add_hook(Arc::new(NoSecrets));
///
/// let answer = registry.call_inline("read", r#"{"path":".ssh/id"}"#, &Call::new());
/// assert_eq!(answer.as_str(), r#"{"error":"keys are private","error_type":"refused"}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Hook: Send + Sync + 'static {
    /// What it is called, in the log and to take it out again.
    fn name(&self) -> &str;

    /// When it is asked.
    fn stage(&self) -> HookStage {
        HookStage::Ordinary
    }

    /// Is asked before a call, with arguments that the tool's schema takes.
    ///
    /// # Errors
    /// If it cannot say: the call is refused.
    fn before(&self, call: &PendingCall<'_>) -> Result<Before, HookError> {
        let _ = call;
        Ok(Before::Go)
    }

    /// Is told of every call whose tool was found, made or not.
    fn after(&self, call: &FinishedCall<'_>) {
        let _ = call;
    }

    /// May put another text in the place of a result, or of an error's message. The first hook that does is the
    /// last that is asked.
    fn transform(&self, call: &FinishedCall<'_>) -> Option<String> {
        let _ = call;
        None
    }
}

/// When a hook is asked before a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookStage {
    /// In the order of adding.
    Ordinary,
    /// After all that may change arguments; it may not change them itself. What was approved is what runs.
    LastWord,
}

/// What a hook says before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Before {
    /// No objection.
    Go,
    /// The text of other arguments, which are checked as the model's own were.
    Change(String),
    /// The call is not made; the reason is for the model.
    Refuse(String),
}

/// A call that is not made yet.
pub struct PendingCall<'a> {
    tool: &'a ToolEntry,
    call: &'a Call<'a>,
    arguments: &'a str,
    parsed: OnceCell<Value>,
    waited: Cell<Duration>,
    watch: &'a dyn Watch,
    limit: Limit,
}

impl<'a> PendingCall<'a> {
    /// The tool.
    pub fn tool(&self) -> &ToolEntry {
        self.tool
    }

    /// The circumstances.
    pub fn call(&self) -> &Call<'a> {
        self.call
    }

    /// The text of the arguments: a JSON object.
    pub fn arguments(&self) -> &str {
        self.arguments
    }

    /// The arguments as a value.
    ///
    /// # Errors
    /// If they are no JSON object, which can only be under a policy that does not check them.
    pub fn arguments_value(&self) -> Result<&Value, HookError> {
        if let Some(value) = self.parsed.get() {
            return Ok(value);
        }
        let (_, value) = arguments::object(self.arguments, usize::MAX).map_err(|failure| failure.message)?;
        Ok(self.parsed.get_or_init(|| value))
    }

    /// Asks a person, in whatever way `ask` does: that time counts against no deadline.
    pub fn wait_for_person<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.watch.limit(Limit::deadline(None));
        let began = Instant::now();
        let reply = ask();
        let waited = began.elapsed();
        self.waited.set(self.waited.get().saturating_add(waited));
        let until = self.limit.until.and_then(|until| until.checked_add(self.waited.get()));
        self.watch.limit(Limit { until, why: self.limit.why.clone() });
        reply
    }
}

/// A call that is over.
pub struct FinishedCall<'a> {
    pub(super) tool: &'a ToolEntry,
    pub(super) call: &'a Call<'a>,
    pub(super) arguments: &'a str,
    pub(super) outcome: &'a Outcome,
    pub(super) took: Duration,
}

impl<'a> FinishedCall<'a> {
    /// The tool.
    pub fn tool(&self) -> &ToolEntry {
        self.tool
    }

    /// The circumstances.
    pub fn call(&self) -> &Call<'a> {
        self.call
    }

    /// The text of the arguments that the tool was given, or would have been.
    pub fn arguments(&self) -> &str {
        self.arguments
    }

    /// What it came to, whole: no budget was applied.
    pub fn outcome(&self) -> &Outcome {
        self.outcome
    }

    /// The result's text, or the error's message.
    pub fn text(&self) -> &str {
        match self.outcome {
            Ok(output) => &output.body,
            Err(failure) => &failure.message,
        }
    }

    /// How long it took, with the hooks before it and without waiting for a person.
    pub fn took(&self) -> Duration {
        self.took
    }
}

/// Asks every hook. Gives what the tool is to be given, and how long a person was waited for.
pub(super) fn before<'a>(
    around: &Around,
    tool: &ToolEntry,
    call: &Call<'_>,
    mut now: Given<'a>,
    watch: &dyn Watch,
) -> (Result<Given<'a>, Failure>, Duration) {
    let mut waited = Duration::ZERO;
    for Hooked { name, stage, hook } in &around.hooks {
        let began = Instant::now();
        let limit =
            Limit { until: began.checked_add(around.policy.hook_timeout), why: Why::Hook(name.clone()) };
        watch.limit(limit.clone());
        let pending = PendingCall {
            tool,
            call,
            arguments: &now.text,
            parsed: OnceCell::new(),
            waited: Cell::default(),
            watch,
            limit,
        };
        let verdict = catch_unwind(AssertUnwindSafe(|| hook.before(&pending)));
        let own = began.elapsed().saturating_sub(pending.waited.get());
        waited = waited.saturating_add(pending.waited.get());
        match judged(name, *stage, verdict, own > around.policy.hook_timeout) {
            Ok(None) => {}
            Ok(Some(text)) => match given(around, tool, &text) {
                Ok(checked) => now = checked.into_owned(),
                Err(failure) => {
                    log::error!("hook `{name}` gave arguments that the tool does not take");
                    return (Err(failure), waited);
                }
            },
            Err(failure) => return (Err(failure), waited),
        }
    }
    (Ok(now), waited)
}

/// The text of other arguments, if the hook gave some; or why the call is not made.
fn judged(
    name: &str,
    stage: HookStage,
    verdict: std::thread::Result<Result<Before, HookError>>,
    late: bool,
) -> Result<Option<String>, Failure> {
    let broken = |what: &str| {
        let message = format!("the call was not made: the check `{name}` {what}");
        Failure::new(ErrorType::Refused, message)
    };
    match verdict {
        Err(payload) => {
            std::mem::forget(payload);
            log::error!("hook `{name}` panicked before a call, which is refused");
            Err(broken("broke down"))
        }
        Ok(Err(e)) => {
            log::error!(
                "hook `{name}` failed before a call, which is refused: {}",
                shorten(&e.to_string(), FOR_LOG)
            );
            Err(broken("could not be made"))
        }
        Ok(Ok(Before::Refuse(reason))) => Err(Failure::new(ErrorType::Refused, reason)),
        Ok(Ok(_)) if late => {
            log::error!("hook `{name}` took too long before a call, which is refused");
            Err(broken("took too long"))
        }
        Ok(Ok(Before::Go)) => Ok(None),
        Ok(Ok(Before::Change(_))) if stage == HookStage::LastWord => {
            log::error!("hook `{name}` has the last word and may not change arguments; the call is refused");
            Err(broken("is not allowed to change arguments"))
        }
        Ok(Ok(Before::Change(text))) => Ok(Some(text)),
    }
}

/// Tells every hook, then lets the first that wants to change the text.
pub(super) fn after(hooks: &[Hooked], call: &FinishedCall<'_>) -> Option<String> {
    for hooked in hooks {
        observed(&hooked.name, || hooked.hook.after(call));
    }
    hooks.iter().find_map(|hooked| observed(&hooked.name, || hooked.hook.transform(call)).flatten())
}

fn observed<T>(name: &str, act: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(value) => Some(value),
        Err(payload) => {
            std::mem::forget(payload);
            log::error!("hook `{name}` panicked after a call, which is not changed by it");
            None
        }
    }
}
