//! `random`: any direction.

use leitai_game::{Bot, BotClock, Rng};

use crate::board::Direction;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Says any direction.
pub struct Random(pub Rng);

impl Bot<Position> for Random {
    fn choose_action(&mut self, _: &Setup, view: &View<'_>, _: &dyn BotClock) -> Direction {
        Direction::pick(view.position.legal_mask(), &mut self.0)
    }
}
