//! An action that a person builds with several keys, for games where one key is not enough
//! (TankCraft: five orders a round). A builder is a pure state machine over keys; the user
//! interface decides where and in which language it is shown.

use crate::game::Game;
use crate::lang::Lang;
use crate::render::{Key, OverlayCell, PanelLine};
use crate::text::Text;

/// A person's unfinished action; every question gets a new builder.
pub trait ActionBuilder<G: Game>: Send {
    /// Handles a key. The view is that of the asked seat.
    fn handle_key(
        &mut self,
        setup: &G::Setup,
        view: &G::View<'_>,
        key: Key,
    ) -> KeyEffect<G::Action>;
    /// Describes the unfinished action.
    fn show_draft(&self, setup: &G::Setup, view: &G::View<'_>, lang: Lang) -> PartialAction;
}

/// The effect of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyEffect<A> {
    /// The key has no meaning here; the user interface may use it.
    Nothing,
    /// The draft may have changed.
    Changed,
    /// The key is refused for this reason.
    Refused(Text),
    /// The action is complete.
    Say(A),
}

impl<A> KeyEffect<A> {
    /// Converts the action, if there is one.
    pub fn map_action<B>(self, of: impl FnOnce(A) -> B) -> KeyEffect<B> {
        match self {
            KeyEffect::Nothing => KeyEffect::Nothing,
            KeyEffect::Changed => KeyEffect::Changed,
            KeyEffect::Refused(why) => KeyEffect::Refused(why),
            KeyEffect::Say(action) => KeyEffect::Say(of(action)),
        }
    }
}

/// An unfinished action for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialAction {
    /// Lines for the panel: the choices so far and the meaning of the keys; impossible choices are
    /// grey, with the reason.
    pub lines: Vec<PanelLine>,
    /// Cells drawn over the board; later ones cover earlier ones.
    pub marks: Vec<OverlayCell>,
}
