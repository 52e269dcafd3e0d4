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
        let rows = [
            a | (a << 1) & !FIRST_Y | (a >> 1) & !LAST_Y,
            b | (b << 1) & !FIRST_Y | (b >> 1) & !LAST_Y,
            c | (c << 1) & !FIRST_Y | (c >> 1) & !LAST_Y,
            d | (d << 1) & !FIRST_Y | (d >> 1) & !LAST_Y,
        ];
        Board([
            rows[0] | a << 16 | a >> 16 | b << 48,
            rows[1] | b << 16 | b >> 16 | a >> 48 | c << 48,
            rows[2] | c << 16 | c >> 16 | b >> 48 | d << 48,
            rows[3] | d << 16 | d >> 16 | c >> 48,
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The 4-neighbours on a board with this many cells a side.
    fn neighbours(cell: Cell, side: u8) -> impl Iterator<Item = Cell> {
        let near = |a: u8, b: u8| a.abs_diff(b);
        (!Board::EMPTY)
            .cells()
            .filter(move |other| near(cell.x(), other.x()) + near(cell.y(), other.y()) == 1)
            .filter(move |other| other.x() < side && other.y() < side)
    }

    #[test]
    fn cells_are_listed_by_x_then_y() {
        let cells = [(3, 9), (3, 2), (0, 15), (15, 15)].map(|(x, y)| Cell::new(x, y));
        let order: Vec<Cell> = Board::from_cells(cells).cells().collect();
        assert_eq!(order, [cells[2], cells[1], cells[0], cells[3]]);
    }

    #[test]
    fn cells_are_added_and_removed_on_a_condition() {
        let (cell, other) = (Cell::new(9, 3), Cell::new(9, 4));
        let mut board = Board::from_cells([other]);
        board.insert_if(false, cell);
        assert_eq!(board.bit(cell), 0);
        board.insert_if(true, cell);
        assert_eq!(board, Board::from_cells([cell, other]));
        board.remove_if(false, cell);
        assert_eq!(board.bit(cell), 1);
        board.remove_if(true, cell);
        assert_eq!(board, Board::from_cells([other]));
    }

    #[test]
    fn neighbours_stop_at_the_edges() {
        for cell in (!Board::EMPTY).cells() {
            let expected = Board::from_cells(neighbours(cell, 16).chain([cell]));
            assert_eq!(
                Board::from_cells([cell]).with_neighbours(),
                expected,
                "{cell:?}"
            );
        }
    }

    #[test]
    fn unmasked_neighbours_agree_on_every_smaller_board() {
        let inside = Board::from_cells((0..15).flat_map(|x| (0..15).map(move |y| Cell::new(x, y))));
        for cell in inside.cells() {
            let expected = Board::from_cells(neighbours(cell, 15).chain([cell]));
            let spread = Board::from_cells([cell]).with_neighbours_unmasked() & inside;
            assert_eq!(spread, expected, "{cell:?}");
        }
    }

    #[test]
    fn a_fill_stays_inside_its_area() {
        let open = [(0, 0), (0, 1), (1, 1), (3, 1), (0, 14)].map(|(x, y)| Cell::new(x, y));
        let open = Board::from_cells(open);
        assert_eq!(
            Board::from_cells([Cell::new(0, 0)]).flood_fill(open).len(),
            3
        );
        assert!(
            Board::from_cells([Cell::new(9, 9)])
                .flood_fill(open)
                .is_empty()
        );
    }
}
