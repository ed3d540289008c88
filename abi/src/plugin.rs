//! One registration of a plugin.

use abi_stable::sabi_trait;
use abi_stable::std_types::{RBox, RStr, RVec};

use crate::ToolBox;

/// What a plugin answers to `register`.
#[sabi_trait]
pub trait Plugin: Send + Sync + 'static {
    /// The tools of this registration, each once. Called once.
    fn tools(&self) -> RVec<ToolBox>;

    /// The session with this id is over; what the plugin keeps for it can go.
    fn end_session(&self, id: RStr<'_>);

    /// Called once, when the last call has ended and none will come: the registration was replaced or removed,
    /// or the host goes.
    #[sabi(last_prefix_field)]
    fn retire(&self);
}

/// A [`Plugin`] that the host owns.
pub type PluginBox = Plugin_TO<RBox<()>>;
