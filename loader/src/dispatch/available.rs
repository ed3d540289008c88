//! Whether a tool that was found can be called now.

use crate::answer::{ErrorType, Failure};
use crate::session::Door;
use crate::tool::ToolEntry;

/// Refuses a tool that has left the table since the session was shown it, and one that is known to be unavailable.
/// No check is asked: it might take as long as the call.
pub(super) fn check(door: Door<'_>, tool: &ToolEntry) -> Result<(), Failure> {
    if let Some(gone) = door.session().and_then(|session| session.gone(tool.name())) {
        return Err(Failure::new(ErrorType::Unavailable, gone));
    }
    if tool.description.requires_env.is_empty() && !tool.has_check() {
        return Ok(());
    }
    match door.registry().known_availability(tool).reason() {
        None => Ok(()),
        Some(why) => {
            let message = format!("the tool `{}` can not be used now: {why}", tool.name());
            Err(Failure::new(ErrorType::Unavailable, message))
        }
    }
}
