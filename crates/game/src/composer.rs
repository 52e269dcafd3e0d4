//! An action that a person puts together with many keys, for games where one key cannot say it (TankCraft: five
//! orders a round). It is a pure state machine over keys; who shows it decides where, and in which language.

use crate::game::Game;
use crate::picture::{Key, Line, Mark};
use crate::text::Text;

/// A person's action in the making, made anew for every question.
pub trait Composer<G: Game>: Send {
    /// A key was pressed. The view is that of the seat which is asked.
    fn key(&mut self, setup: &G::Setup, view: &G::View<'_>, key: Key) -> Composed<G::Action>;
    /// What has been put together so far.
    fn draft(&self, setup: &G::Setup, view: &G::View<'_>, tell: Tell) -> Draft;
}

/// Chooses the language of a text.
pub type Tell = fn(Text) -> &'static str;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composed<A> {
    /// It means nothing here; whoever shows the game may use it.
    Nothing,
    /// The draft has changed, or could have.
    Changed,
    /// It cannot be done, and why.
    Refused(Text),
    /// The action is complete.
    Say(A),
}

impl<A> Composed<A> {
    /// The same with another kind of action.
    pub fn map<B>(self, of: impl FnOnce(A) -> B) -> Composed<B> {
        match self {
            Composed::Nothing => Composed::Nothing,
            Composed::Changed => Composed::Changed,
            Composed::Refused(why) => Composed::Refused(why),
            Composed::Say(action) => Composed::Say(of(action)),
        }
    }
}

/// An unfinished action as a person sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// For the panel: what was chosen and what the keys do; grey for what cannot be done, with the reason.
    pub lines: Vec<Line>,
    /// Drawn over the board, the later over the earlier.
    pub marks: Vec<Mark>,
}
