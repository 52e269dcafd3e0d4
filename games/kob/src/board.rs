//! Cells, directions and sets of cells. `x` is the row from the top, `y` the column from the left,
//! as on the sites. Row 15 and column 15 are always closed: they lie outside of the board, or are
//! the obstacles along the edge of a board with 16. A step off the board, in wrapping arithmetic,
//! leads there and needs no extra check.

use leitai_game::Rng;
pub use leitai_game::board::{Board, Cell};

/// The most rows, and the most columns.
pub const MAX_SIDE: u8 = 16;

/// A direction, numbered as on the sites: "0 up (-1,0), 1 right (0,+1), 2 down (+1,0), 3 left
/// (0,-1)."
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// One row up.
    Up = 0,
    /// One column to the right.
    Right = 1,
    /// One row down.
    Down = 2,
    /// One column to the left.
    Left = 3,
}

impl Direction {
    /// All directions, by number.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Right,
        Direction::Down,
        Direction::Left,
    ];

    /// The direction of this number, 0 to 3.
    pub const fn from_number(number: u8) -> Option<Direction> {
        match number {
            0..=3 => Some(Direction::ALL[number as usize]),
            _ => None,
        }
    }

    /// The direction of this digit.
    pub const fn from_digit(digit: u8) -> Option<Direction> {
        Direction::from_number(digit.wrapping_sub(b'0'))
    }

    /// The number, 0 to 3.
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The digit, `'0'` to `'3'`.
    pub const fn digit(self) -> char {
        (b'0' + self as u8) as char
    }

    /// The opposite direction.
    #[inline]
    pub const fn back(self) -> Direction {
        Direction::ALL[self as usize ^ 2]
    }

    /// The change of row and column of one step.
    pub const fn delta(self) -> (i8, i8) {
        [(-1, 0), (0, 1), (1, 0), (0, -1)][self as usize]
    }

    /// The next cell in this direction. A step off the board gives a cell in row or column 15.
    #[inline]
    pub const fn step_from(self, cell: Cell) -> Cell {
        const STEP: [u8; 4] = [16u8.wrapping_neg(), 1, 16, 1u8.wrapping_neg()];
        Cell(cell.0.wrapping_add(STEP[self as usize]))
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Direction {
        Direction::ALL[(bits & 3) as usize]
    }

    /// The directions of a bit set: bit n for number n.
    pub fn of_mask(mask: u8) -> impl Iterator<Item = Direction> {
        Direction::ALL
            .into_iter()
            .filter(move |direction| mask >> direction.number() & 1 != 0)
    }

    /// A random direction of the bit set; up if it is empty, because a bot must answer.
    pub(crate) fn pick(mask: u8, rng: &mut Rng) -> Direction {
        let mut left = mask & 0b1111;
        for _ in 0..rng.next_below(left.count_ones() as usize) {
            left &= left - 1;
        }
        Direction::from_number(left.trailing_zeros() as u8).unwrap_or(Direction::Up)
    }
}

/// The set and, in its rows, all cells to its right up to the first that is not in `within`;
/// `within` is on the board and contains the set. The carry of the addition runs along a row and
/// ends in column 15, which is always closed.
#[inline]
#[doc(hidden)] // For tests.
pub fn run_right(set: Board, within: Board) -> Board {
    let run = |set: u64, open: u64| set | (open.wrapping_add(set) ^ open) & open;
    Board(std::array::from_fn(|word| run(set.0[word], within.0[word])))
}
