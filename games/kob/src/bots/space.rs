//! `space`: the direction from which the most cells can be reached.

use leitai_game::{Bot, BotClock, Rng, Seat};

use crate::board::{Board, Direction};
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// Goes where the most cells can be reached, as if both bodies stood still.
pub struct Space(pub Rng);

impl Bot<Position> for Space {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, _: &dyn BotClock) -> Direction {
        let seat = view.seat();
        let safe = view.position.safe_mask(setup, seat);
        let room = |direction| room_after(setup, view.position, seat, direction);
        let most = Direction::of_mask(safe).map(room).max();
        let best = Direction::of_mask(safe).filter(|direction| Some(room(*direction)) == most);
        Direction::pick(
            best.map(|direction| 1 << direction.number()).sum(),
            &mut self.0,
        )
    }
}

/// Cells connected to the new head through cells that are free now.
fn room_after(setup: &Setup, position: &Position, seat: Seat, direction: Direction) -> u32 {
    let head = direction.step_from(position.head(seat));
    let mut open = !(*position.bodies() | *setup.map().walls());
    open.insert(head);
    Board::from_cells([head]).flood_fill(open).len()
}
