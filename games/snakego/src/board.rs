//! Cells and sets of cells. x is the column from the left, y the row from the bottom, both 0 to 15.
//! Ascending bits of a [`Board`] are the order of the canonical state text: by x, then y.

pub use leitai_game::board::{Board, Cell, SIDE};
use serde::{Deserialize, Serialize};

use crate::action::Direction;

/// A direction for every cell, two bits each; zero ([`Direction::Right`]) for cells without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Links([u64; 8]);

impl Links {
    pub(crate) const NONE: Links = Links([0; 8]);

    /// The direction of the cell.
    #[inline]
    pub(crate) const fn get(&self, cell: Cell) -> Direction {
        let (word, shift) = Links::bit_index(cell);
        Direction::from_bits((self.0[word] >> shift) as u8)
    }

    /// Sets the direction of a cell that has none.
    #[inline]
    pub(crate) const fn set_direction(&mut self, cell: Cell, direction: Direction) {
        let (word, shift) = Links::bit_index(cell);
        self.0[word] |= (direction as u64) << shift;
    }

    /// Removes the direction of a cell, and returns it.
    #[inline]
    pub(crate) const fn take_direction(&mut self, cell: Cell) -> Direction {
        let (word, shift) = Links::bit_index(cell);
        let bits = self.0[word] >> shift & 3;
        self.0[word] ^= bits << shift;
        Direction::from_bits(bits as u8)
    }

    /// The low bit and the high bit of every cell's direction.
    #[inline]
    pub(crate) fn by_bit(&self) -> [Board; 2] {
        let low = join_halves(self.0.map(even_bits));
        let high = join_halves(self.0.map(|word| even_bits(word >> 1)));
        [low, high]
    }

    const fn bit_index(cell: Cell) -> (usize, u8) {
        (cell.0 as usize / 32, (cell.0 & 31) * 2)
    }
}

/// Moves bits 0, 2, 4, … next to each other.
const fn even_bits(word: u64) -> u64 {
    let bits = word & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0xffff_ffff
}

/// A board from words of 32 cells.
fn join_halves(halves: [u64; 8]) -> Board {
    Board(std::array::from_fn(|word| {
        halves[2 * word] | halves[2 * word + 1] << 32
    }))
}

/// Whether the cell is in one of the two sets.
#[inline]
pub(crate) const fn either_has([a, b]: &[Board; 2], cell: Cell) -> bool {
    let word = (cell.0 >> 6) as usize;
    (a.0[word] | b.0[word]) >> (cell.0 & 63) & 1 != 0
}

/// The cells that a closed loop separates from the border of the map: every cell that is not in the
/// loop and not 4-connected to a border cell without crossing it.
pub fn enclosed_by(walls: Board) -> Board {
    let inner = box_inside(walls) & !walls;
    if inner.is_empty() {
        return inner;
    }
    // Cells on or outside the loop's bounding box reach the border; only the inside is searched.
    let outside = (!inner & !walls).flood_fill(!walls);
    !walls & !outside
}

/// The cells strictly inside the bounding box.
fn box_inside(set: Board) -> Board {
    let mut columns = 0u16;
    let mut rows = 0u16;
    for x in 0..16 {
        let column = (set.0[x >> 2] >> (16 * (x & 3))) as u16;
        rows |= column;
        columns |= u16::from(column != 0) << x;
    }
    let (columns, rows) = (spread_bits(columns), u64::from(spread_bits(rows)));
    let mut inside = [0; 4];
    for x in 0..16 {
        let on = u64::from(columns >> x & 1).wrapping_neg();
        inside[x >> 2] |= (rows & on) << (16 * (x & 3));
    }
    Board(inside)
}

/// The bits strictly between the lowest and the highest set bit.
const fn spread_bits(bits: u16) -> u16 {
    if bits == 0 {
        return 0;
    }
    let (low, high) = (bits.trailing_zeros(), 15 - bits.leading_zeros());
    ((1u32 << high) - 1) as u16 & !(((1u32 << (low + 1)) - 1) as u16)
}
