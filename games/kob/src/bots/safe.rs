//! `safe`: a random direction that is not sure to kill.

use leitai_game::{Bot, BotClock, Rng};

use crate::board::Direction;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Never goes where it is sure to die while there is another way.
pub struct Safe(pub Rng);

impl Bot<Position> for Safe {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Direction {
        Direction::pick(view.position.safe_mask(setup, view.seat()), &mut self.0)
    }
}
