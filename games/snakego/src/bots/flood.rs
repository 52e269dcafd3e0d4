//! Distances and reachable cells, many cells at a time.

use leitai_game::board::spread_word;

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

/// How many free cells can be reached from each of these free cells in at most so many moves, without it. All four at once
/// take half the time of one alone: the same word of four boards is one register, and nothing moves between its parts.
pub fn count_rooms(from: [Cell; 4], free: Board, moves: u16) -> [u32; 4] {
    let mut reached: [[u64; 4]; 4] = [[0; 4]; 4];
    for (lane, cell) in from.into_iter().enumerate() {
        reached[usize::from(cell.0 >> 6)][lane] = 1 << (cell.0 & 63);
    }
    for _ in 0..moves {
        let [a, b, c, d] = reached;
        let none = [0; 4];
        reached = [
            spread_words(a, none, b, free.0[0]),
            spread_words(b, a, c, free.0[1]),
            spread_words(c, b, d, free.0[2]),
            spread_words(d, c, none, free.0[3]),
        ];
    }
    let count = |lane: usize| -> u32 {
        let words = reached.iter().map(|word: &[u64; 4]| word[lane]);
        words.map(u64::count_ones).sum()
    };
    std::array::from_fn(|lane| count(lane).saturating_sub(1))
}

/// What a search from some cells towards others finds.
pub enum Found {
    /// Those that are reached first.
    There(Board),
    /// None of them can be reached.
    Never,
    /// None of them was reached in so many moves.
    NotYet,
}

/// Searches from some free cells over free cells, less than so many moves far.
pub fn find_first(from: Board, goals: Board, free: Board, moves: u16) -> Found {
    // Word by word: the compiler makes vectors of boards here, between whose parts it then moves everything.
    let (mut reached, free) = (from.0, free.0);
    for _ in 0..moves {
        let there = Board(reached) & goals;
        if !there.is_empty() {
            return Found::There(there);
        }
        let [a, b, c, d] = reached;
        let more = [
            spread_word(a, 0, b) & free[0],
            spread_word(b, a, c) & free[1],
            spread_word(c, b, d) & free[2],
            spread_word(d, c, 0) & free[3],
        ];
        let fresh = (0..4).fold(0, |fresh, word| fresh | (more[word] ^ reached[word]));
        if fresh == 0 {
            return Found::Never;
        }
        reached = more;
    }
    Found::NotYet
}

/// [`spread_word`] of four boards.
#[inline]
fn spread_words(own: [u64; 4], before: [u64; 4], after: [u64; 4], free: u64) -> [u64; 4] {
    let mut spread = [0; 4];
    for (i, spread) in spread.iter_mut().enumerate() {
        *spread = spread_word(own[i], before[i], after[i]) & free;
    }
    spread
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
