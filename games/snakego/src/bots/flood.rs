//! Distances and reachable cells, many cells at a time.

use crate::board::{Board, Cell};
use crate::position::Position;

/// Cells without a wall or a body.
pub fn free_cells(position: &Position) -> Board {
    !(position.bodies() | all_walls(position))
}

/// Walls of both colours.
pub fn all_walls(position: &Position) -> Board {
    let [first, second] = leitai_game::Seat::BOTH.map(|seat| position.walls(seat));
    first | second
}

/// Free cells that can be reached from a cell in at most so many moves, without the cell itself.
/// Stops counting at `enough`.
pub fn count_reachable(from: Cell, free: Board, moves: u16, enough: u32) -> u32 {
    let start = Board::from_cells([from]);
    let (mut reached, mut count) = (start, 0);
    for _ in 0..moves {
        let more = reached | (reached.with_neighbours() & free);
        count = (more & !start).len();
        if count >= enough || more == reached {
            break;
        }
        reached = more;
    }
    count.min(enough)
}

/// The free cells that can be reached from a free cell in at most so many moves, and it.
pub fn reachable_cells(from: Cell, free: Board, moves: u16) -> Board {
    let mut reached = Board::from_cells([from]);
    for _ in 0..moves {
        let more = reached.with_neighbours() & free;
        if more == reached {
            break;
        }
        reached = more;
    }
    reached
}

/// Arrival never happens.
pub const NEVER: u8 = u8::MAX;

/// Moves that the nearest of some heads needs to every cell; [`NEVER`] where none comes.
pub fn arrival_times(heads: Board, free: Board) -> [u8; 256] {
    let mut arrival = [NEVER; 256];
    let (mut reached, mut fresh) = (heads, heads);
    let mut moves = 0;
    while !fresh.is_empty() && moves < NEVER {
        fresh
            .cells()
            .for_each(|cell| arrival[usize::from(cell.0)] = moves);
        let more = reached | (reached.with_neighbours() & free);
        fresh = more & !reached;
        reached = more;
        moves += 1;
    }
    arrival
}
