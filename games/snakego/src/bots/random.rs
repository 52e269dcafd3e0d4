//! Any legal action.

use leitai_game::{Bot, BotClock, Game, Rng};

use crate::action::Action;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Plays a uniformly random legal action.
pub struct Random(Rng);

impl Random {
    /// All chance comes from this seed.
    pub fn new(seed: u64) -> Random {
        Random(Rng::new(seed))
    }
}

impl Bot<Position> for Random {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Action {
        let position = view.position;
        position
            .sample_action(setup, position.seat(), &mut self.0)
            .expect("a bot is only asked in its turn, when a move is always legal")
    }
}
