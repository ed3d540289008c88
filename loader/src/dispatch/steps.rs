//! What is done before a call and after it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::hooks::{self, FinishedCall};
use super::policy::{Around, Handling};
use super::watch::Watch;
use super::{MAX_DEPTH, available, budget, deadline, result};
use crate::answer::{Answer, ErrorType, FOR_LOG, Failure, Outcome, OutputKind, shorten};
use crate::arguments;
use crate::call::Call;
use crate::session::Door;
use crate::tool::ToolEntry;

/// What a tool is given.
pub(super) struct Given<'a> {
    pub(super) text: Cow<'a, str>,
    /// The same, if it was parsed.
    pub(super) value: Option<Value>,
}

impl Given<'_> {
    pub(super) fn into_owned(self) -> Given<'static> {
        Given { text: Cow::Owned(self.text.into_owned()), value: self.value }
    }
}

/// Arguments as the policy wants them.
pub(super) fn given<'a>(around: &Around, tool: &ToolEntry, args: &'a str) -> Result<Given<'a>, Failure> {
    match around.policy.arguments {
        Handling::AsGiven => Ok(Given { text: Cow::Borrowed(arguments::object_text(args)?), value: None }),
        Handling::Checked => {
            let accepted = tool.arguments().accept(args, around.policy.max_argument_bytes)?;
            Ok(Given { text: accepted.text, value: Some(accepted.value) })
        }
    }
}

/// A call that may be made: with these arguments, until then.
pub(super) struct Ready<'a> {
    pub(super) args: Cow<'a, str>,
    pub(super) deadline: Option<Instant>,
}

/// Everything that can be said before the tool is asked: availability, arguments, hooks, deadline. Beside it, if there
/// is a hook to tell, when the call began, were it not for people who were waited for.
pub(super) fn before<'a>(
    door: Door<'_>,
    around: &Around,
    tool: &ToolEntry,
    call: &Call<'_>,
    args: &'a str,
    watch: &dyn Watch,
) -> (Result<Ready<'a>, Failure>, Option<Instant>) {
    let began = around.has_hooks().then(Instant::now);
    let mut waited = Duration::ZERO;
    let ready = (|| {
        may_begin(call, Duration::ZERO)?;
        available::check(door, tool)?;
        let mut given = given(around, tool, args)?;
        if began.is_some() {
            let (asked, time) = hooks::before(around, tool, call, given, watch);
            waited = time;
            given = asked?;
            may_begin(call, waited)?;
        }
        let deadline = deadline::of(&around.policy, tool, call, given.value.as_ref(), &given.text, waited);
        Ok(Ready { args: given.text, deadline })
    })();
    (ready, began.map(|began| began.checked_add(waited).unwrap_or(began)))
}

/// Whether it is worth to begin at all.
#[inline]
pub(super) fn may_begin(call: &Call<'_>, waited: Duration) -> Result<(), Failure> {
    if call.is_cancelled() {
        return Err(Failure::new(ErrorType::Cancelled, "the call was cancelled before it began"));
    }
    if let Some(deadline) = call.deadline
        && deadline.checked_add(waited).is_some_and(|deadline| deadline <= Instant::now())
    {
        return Err(Failure::new(ErrorType::Timeout, "the deadline had passed before the call began"));
    }
    if call.depth > MAX_DEPTH {
        let message = format!("calls of calls go at most {MAX_DEPTH} deep; this one was not made");
        return Err(Failure::new(ErrorType::Refused, message));
    }
    Ok(())
}

/// A call that is over, and all that is known of it.
pub(super) struct Over<'a> {
    pub(super) tool: &'a ToolEntry,
    pub(super) door: Door<'a>,
    pub(super) call: &'a Call<'a>,
    pub(super) args: &'a str,
    pub(super) began: Option<Instant>,
}

/// From what a call came to, to what the model sees.
pub(super) fn after(around: &Around, over: &Over<'_>, outcome: Outcome) -> Answer {
    let checked = around.policy.results == Handling::Checked;
    let mut outcome = if checked { result::read(over.tool, outcome) } else { outcome };
    if let Some(began) = over.began {
        let finished = FinishedCall {
            tool: over.tool,
            call: over.call,
            arguments: over.args,
            outcome: &outcome,
            took: began.elapsed(),
        };
        if let Some(text) = hooks::after(&around.hooks, &finished) {
            replace(&mut outcome, text);
        }
    }
    match outcome {
        Ok(output) if checked => budget::apply(&around.policy.budget, over, output).into(),
        Ok(output) => output.into(),
        Err(failure) => failed(over.tool, failure),
    }
}

/// The answer to a call that failed.
#[cold]
pub(super) fn failed(tool: &ToolEntry, failure: Failure) -> Answer {
    log::warn!(
        "tool `{}` ({}): {}: {}",
        tool.name(),
        tool.source,
        failure.error_type,
        shorten(&failure.message, FOR_LOG)
    );
    failure.into()
}

/// Another text in the place of a result's or a message. What says the same beside it goes: it was replaced, too.
fn replace(outcome: &mut Outcome, text: String) {
    match outcome {
        Ok(output) => {
            output.kind = OutputKind::Text;
            output.body = text.into();
            output.structured = None;
        }
        Err(failure) => failure.message = text,
    }
}
