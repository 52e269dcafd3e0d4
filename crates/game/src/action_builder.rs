//! An action that a person puts together with many keys, for games where one key cannot say it
//! (TankCraft: five orders a round). It is a pure state machine over keys; who shows it decides
//! where, and in which language.

use crate::game::Game;
use crate::lang::Lang;
use crate::render::{Key, OverlayCell, PanelLine};
use crate::text::Text;

/// A person's action in the making, made anew for every question.
pub trait ActionBuilder<G: Game>: Send {
    /// A key was pressed. The view is that of the seat which is asked.
    fn handle_key(
        &mut self,
        setup: &G::Setup,
        view: &G::View<'_>,
        key: Key,
    ) -> KeyEffect<G::Action>;
    /// What has been put together so far.
    fn show_draft(&self, setup: &G::Setup, view: &G::View<'_>, lang: Lang) -> PartialAction;
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyEffect<A> {
    /// It means nothing here; whoever shows the game may use it.
    Nothing,
    /// The draft has changed, or could have.
    Changed,
    /// It cannot be done, and why.
    Refused(Text),
    /// The action is complete.
    Say(A),
}

impl<A> KeyEffect<A> {
    /// The same with another kind of action.
    pub fn map_action<B>(self, of: impl FnOnce(A) -> B) -> KeyEffect<B> {
        match self {
            KeyEffect::Nothing => KeyEffect::Nothing,
            KeyEffect::Changed => KeyEffect::Changed,
            KeyEffect::Refused(why) => KeyEffect::Refused(why),
            KeyEffect::Say(action) => KeyEffect::Say(of(action)),
        }
    }
}

/// An unfinished action as a person sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartialAction {
    /// For the panel: what was chosen and what the keys do; grey for what cannot be done, with the
    /// reason.
    pub lines: Vec<PanelLine>,
    /// Drawn over the board, the later over the earlier.
    pub marks: Vec<OverlayCell>,
}
