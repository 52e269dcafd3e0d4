//! `random`: drives and fires at random.

use leitai_game::{Bot, BotClock, Rng, Seat};

use crate::choices;
use crate::orders::Action;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Drives and fires at random.
pub struct Random(Rng);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Rng::new(seed))
    }
}

impl Bot<Position> for Random {
    fn choose_action(&mut self, _: &Setup, view: &View, _: &dyn BotClock) -> Action {
        choices::random_action(view, view.own_seat().unwrap_or(Seat::First), &mut self.0)
    }
}
