//! Until when a call may take.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::policy::DispatchPolicy;
use crate::arguments;
use crate::call::Call;
use crate::tool::{Timeout, ToolEntry};

/// What is added to a time that an argument names: the tool keeps that time itself, and has to tell what came of it.
const SLACK: Duration = Duration::from_secs(5);

/// The deadline of a call: its own, else the tool's, else its source's, else the default's. A person who was waited
/// for does not count.
pub(super) fn of(
    policy: &DispatchPolicy,
    tool: &ToolEntry,
    call: &Call<'_>,
    value: Option<&Value>,
    text: &str,
    waited: Duration,
) -> Option<Instant> {
    if let Some(deadline) = call.deadline {
        return deadline.checked_add(waited);
    }
    let argument = |name: &str| match value {
        Some(value) => value.get(name).and_then(Value::as_f64),
        None => arguments::object(text, usize::MAX)
            .ok()
            .and_then(|(_, value)| value.get(name).and_then(Value::as_f64)),
    };
    let others = || policy.source_timeouts.get(&tool.source.id).copied().or(policy.timeout);
    let allowed = allowed(tool.description.timeout.as_ref(), argument, others)?;
    Instant::now().checked_add(allowed)
}

/// How long a call may take; nothing means as long as it likes.
fn allowed(
    own: Option<&Timeout>,
    argument: impl Fn(&str) -> Option<f64>,
    others: impl Fn() -> Option<Duration>,
) -> Option<Duration> {
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    match own {
        Some(Timeout::None) => None,
        Some(Timeout::Seconds(own)) => seconds(*own).or_else(others),
        Some(Timeout::Argument(name)) => {
            argument(name).and_then(seconds).map(|own| own.saturating_add(SLACK)).or_else(others)
        }
        None => others(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_own_then_an_arguments_with_slack_then_the_others() {
        let others = || Some(Duration::from_secs(300));
        let named = |name: &str| (name == "timeout").then_some(10.0);
        let by_argument = Timeout::Argument("timeout".to_owned());
        let by_another = Timeout::Argument("patience".to_owned());
        for (own, expected) in [
            (Some(&Timeout::None), None),
            (Some(&Timeout::Seconds(0.5)), Some(Duration::from_millis(500))),
            (Some(&Timeout::Seconds(1e300)), others()),
            (Some(&by_argument), Some(Duration::from_secs(15))),
            (Some(&by_another), others()),
            (None, others()),
        ] {
            assert_eq!(allowed(own, named, others), expected, "{own:?}");
        }
        assert_eq!(allowed(Some(&by_argument), |_| Some(-1.0), others), others());
        assert!(SLACK >= Duration::from_secs(4));
    }
}
