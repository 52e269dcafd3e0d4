//! What the sites' sample bot answers (the seed's text, "Bot代码样例"): corpora hold its answers,
//! and the Java bot as it stands can be compared with it.

use leitai_game::{Bot, BotClock, Seat};

use crate::board::Direction;
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Plays [`choose_direction`].
pub struct Sample;

impl Bot<Position> for Sample {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Direction {
        choose_direction(setup, view.position, view.seat())
    }
}

/// The first direction, by number, whose cell is free as things stand: a tail about to leave counts
/// as occupied. Up if there is none.
pub fn choose_direction(setup: &Setup, position: &Position, seat: Seat) -> Direction {
    let full = *position.bodies() | *setup.map().walls();
    let free = |direction: &Direction| !full.has(direction.step_from(position.head(seat)));
    Direction::ALL
        .into_iter()
        .find(free)
        .unwrap_or(Direction::Up)
}
