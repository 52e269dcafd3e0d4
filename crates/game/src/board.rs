//! Cells and sets of cells of a board with at most 16 by 16 cells. A [`Board`] has 256 bits; the
//! cell `(x, y)` is bit `16 x + y`, so ascending bits are cells by x, then by y, and a cell prints
//! as two hexadecimal digits. Each game defines the row axis and the origin.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use serde::{Deserialize, Serialize};

/// Cells along each side of the largest board.
pub const SIDE: u8 = 16;

/// A cell: x in the high four bits, y in the low four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub u8);

impl Cell {
    /// The cell at `(x, y)`, both below 16.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Cell {
        debug_assert!(x < SIDE && y < SIDE);
        Cell(x << 4 | y)
    }

    /// 0 to 15.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0 >> 4
    }

    /// 0 to 15.
    #[inline]
    pub const fn y(self) -> u8 {
        self.0 & 15
    }
}

/// A set of cells.
///
/// ```
/// use leitai_game::board::{Board, Cell};
/// let corner = Board::from_cells([Cell::new(0, 0)]);
/// assert_eq!(corner.with_neighbours().len(), 3);
/// assert!((corner.with_neighbours() & !corner).has(Cell::new(0, 1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Board(pub [u64; 4]);

/// Every cell with y = 0 of one word.
const FIRST_Y: u64 = 0x0001_0001_0001_0001;
/// Every cell with y = 15 of one word.
const LAST_Y: u64 = 0x8000_8000_8000_8000;

/// A word of [`Board::with_neighbours`], from the one before and the one after it.
#[inline]
pub const fn spread_word(own: u64, before: u64, after: u64) -> u64 {
    let along_y = (own << 1) & !FIRST_Y | (own >> 1) & !LAST_Y;
    own | along_y | own << 16 | own >> 16 | before >> 48 | after << 48
}

impl Board {
    /// No cell.
    pub const EMPTY: Board = Board([0; 4]);

    /// The set of one cell.
    #[inline]
    pub fn from_cells(cells: impl IntoIterator<Item = Cell>) -> Board {
        let mut board = Board::EMPTY;
        cells.into_iter().for_each(|cell| board.insert(cell));
        board
    }

    /// Whether the cell is in the set.
    #[inline]
    pub const fn has(&self, cell: Cell) -> bool {
        self.0[(cell.0 >> 6) as usize] >> (cell.0 & 63) & 1 != 0
    }

    /// 1 if the cell is in the set, else 0.
    #[inline]
    pub const fn bit(&self, cell: Cell) -> u64 {
        self.0[(cell.0 >> 6) as usize] >> (cell.0 & 63) & 1
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] |= 1 << (cell.0 & 63);
    }

    /// Removes a cell.
    #[inline]
    pub const fn remove(&mut self, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] &= !(1 << (cell.0 & 63));
    }

    /// Adds a cell if `on`, without a branch.
    #[inline]
    pub const fn insert_if(&mut self, on: bool, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] |= (on as u64) << (cell.0 & 63);
    }

    /// Removes a cell if `on`, without a branch.
    #[inline]
    pub const fn remove_if(&mut self, on: bool, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] &= !((on as u64) << (cell.0 & 63));
    }

    /// Number of cells.
    #[inline]
    pub const fn len(&self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// Whether no cell is in the set.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// The cells in ascending order: by x, then y.
    #[inline]
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..4).flat_map(move |word| {
            let mut bits = self.0[word];
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros();
                bits &= bits.wrapping_sub(1);
                (bit < 64).then_some(Cell((word as u8) << 6 | bit as u8))
            })
        })
    }

    /// The set and all its 4-neighbours.
    #[inline]
    pub const fn with_neighbours(self) -> Board {
        let [a, b, c, d] = self.0;
        Board([
            spread_word(a, 0, b),
            spread_word(b, a, c),
            spread_word(c, b, d),
            spread_word(d, c, 0),
        ])
    }

    /// The set and all its 4-neighbours, for boards of at most 15 by 15 cells: faster than
    /// [`with_neighbours`](Board::with_neighbours). Neighbours beyond the edge lie in row or column
    /// 15, which the caller masks.
    #[inline]
    pub const fn with_neighbours_unmasked(self) -> Board {
        let [a, b, c, d] = self.0;
        Board([
            a | a << 1 | a >> 1 | a << 16 | a >> 16 | b << 48 | b << 63,
            b | b << 1 | b >> 1 | b << 16 | b >> 16 | a >> 48 | c << 48 | a >> 63 | c << 63,
            c | c << 1 | c >> 1 | c << 16 | c >> 16 | b >> 48 | d << 48 | b >> 63 | d << 63,
            d | d << 1 | d >> 1 | d << 16 | d >> 16 | c >> 48 | c >> 63,
        ])
    }

    /// All cells of `within` that are 4-connected to this set inside `within`.
    #[inline]
    pub fn flood_fill(self, within: Board) -> Board {
        let mut filled = self & within;
        loop {
            let more = filled.with_neighbours() & within;
            if more == filled {
                return filled;
            }
            filled = more;
        }
    }
}

impl BitAnd for Board {
    type Output = Board;
    #[inline]
    fn bitand(self, other: Board) -> Board {
        Board(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl BitOr for Board {
    type Output = Board;
    #[inline]
    fn bitor(self, other: Board) -> Board {
        Board(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl Not for Board {
    type Output = Board;
    #[inline]
    fn not(self) -> Board {
        Board(self.0.map(|word| !word))
    }
}

impl BitAndAssign for Board {
    #[inline]
    fn bitand_assign(&mut self, other: Board) {
        *self = *self & other;
    }
}

impl BitOrAssign for Board {
    #[inline]
    fn bitor_assign(&mut self, other: Board) {
        *self = *self | other;
    }
}
