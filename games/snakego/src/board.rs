//! Cells and sets of cells. A [`Board`] is 256 bits; cell `(x, y)` is bit `16 x + y`, so that
//! ascending bits are the order of the canonical state text (by x, then y) and a cell prints as two
//! hexadecimal digits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use serde::{Deserialize, Serialize};

use crate::action::Direction;

/// Cells along each side.
pub const SIDE: u8 = 16;

/// A cell; x to the right, y up, both 0..16, origin bottom left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub u8);

impl Cell {
    /// The cell at `(x, y)`, both below 16.
    pub const fn new(x: u8, y: u8) -> Cell {
        debug_assert!(x < SIDE && y < SIDE);
        Cell(x << 4 | y)
    }

    /// Column, 0 is left.
    pub const fn x(self) -> u8 {
        self.0 >> 4
    }

    /// Row, 0 is the bottom.
    pub const fn y(self) -> u8 {
        self.0 & 15
    }

    /// The next cell in this direction, unless it is off the map.
    #[inline]
    pub const fn next(self, direction: Direction) -> Option<Cell> {
        // The column or the row that a step in this direction would leave.
        const MASK: [u8; 4] = [0xf0, 0x0f, 0xf0, 0x0f];
        const EDGE: [u8; 4] = [0xf0, 0x0f, 0x00, 0x00];
        let at = direction as usize;
        if self.0 & MASK[at] == EDGE[at] {
            None
        } else {
            Some(self.step(direction))
        }
    }

    /// The next cell in this direction, which must be on the map (a neighbour that is known to be a
    /// body cell).
    #[inline]
    pub(crate) const fn step(self, direction: Direction) -> Cell {
        const STEP: [u8; 4] = [16, 1, 16u8.wrapping_neg(), 1u8.wrapping_neg()];
        Cell(self.0.wrapping_add(STEP[direction as usize]))
    }
}

/// A set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Board(pub [u64; 4]);

/// A direction for every cell, two bits each; zero ([`Direction::Right`]) where nothing was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Links([u64; 8]);

impl Links {
    pub(crate) const NONE: Links = Links([0; 8]);

    /// The direction that was set.
    #[inline]
    pub(crate) const fn get(&self, cell: Cell) -> Direction {
        let (word, shift) = Links::place(cell);
        Direction::from_bits((self.0[word] >> shift) as u8)
    }

    /// Sets the direction of a cell that has none.
    #[inline]
    pub(crate) const fn set(&mut self, cell: Cell, direction: Direction) {
        let (word, shift) = Links::place(cell);
        self.0[word] |= (direction as u64) << shift;
    }

    /// Forgets the direction of a cell, and gives it.
    #[inline]
    pub(crate) const fn take(&mut self, cell: Cell) -> Direction {
        let (word, shift) = Links::place(cell);
        let bits = self.0[word] >> shift & 3;
        self.0[word] ^= bits << shift;
        Direction::from_bits(bits as u8)
    }

    /// The low bit of every cell's direction, and the high bit.
    #[inline]
    pub(crate) fn by_bit(&self) -> [Board; 2] {
        let low = Board::from_halves(self.0.map(even_bits));
        let high = Board::from_halves(self.0.map(|word| even_bits(word >> 1)));
        [low, high]
    }

    const fn place(cell: Cell) -> (usize, u8) {
        ((cell.0 >> 5) as usize, (cell.0 & 31) * 2)
    }
}

/// Bits 0, 2, 4, … side by side.
const fn even_bits(word: u64) -> u64 {
    let bits = word & 0x5555_5555_5555_5555;
    let bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    let bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    let bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    let bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0xffff_ffff
}

const ROW_BOTTOM: u64 = 0x0001_0001_0001_0001;
const ROW_TOP: u64 = 0x8000_8000_8000_8000;

impl Board {
    /// No cell.
    pub const EMPTY: Board = Board([0; 4]);

    /// From 32 cells a word.
    fn from_halves(halves: [u64; 8]) -> Board {
        Board(std::array::from_fn(|word| {
            halves[2 * word] | halves[2 * word + 1] << 32
        }))
    }

    /// Just these cells.
    pub fn of(cells: impl IntoIterator<Item = Cell>) -> Board {
        let mut board = Board::EMPTY;
        cells.into_iter().for_each(|cell| board.insert(cell));
        board
    }

    /// Whether the cell is in the set.
    #[inline]
    pub const fn has(&self, cell: Cell) -> bool {
        self.0[(cell.0 >> 6) as usize] >> (cell.0 & 63) & 1 != 0
    }

    /// Whether the cell is in one of the two sets.
    #[inline]
    pub(crate) const fn either_has([a, b]: &[Board; 2], cell: Cell) -> bool {
        let word = (cell.0 >> 6) as usize;
        (a.0[word] | b.0[word]) >> (cell.0 & 63) & 1 != 0
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] |= 1 << (cell.0 & 63);
    }

    /// Takes a cell out.
    #[inline]
    pub const fn remove(&mut self, cell: Cell) {
        self.0[(cell.0 >> 6) as usize] &= !(1 << (cell.0 & 63));
    }

    /// Number of cells.
    pub const fn len(&self) -> u32 {
        let [a, b, c, d] = self.0;
        a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()
    }

    /// Whether no cell is in the set.
    pub const fn is_empty(&self) -> bool {
        self.0[0] | self.0[1] | self.0[2] | self.0[3] == 0
    }

    /// The cells in ascending order: by x, then y.
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
    pub const fn spread(self) -> Board {
        let [a, b, c, d] = self.0;
        let rows = [
            a | (a << 1) & !ROW_BOTTOM | (a >> 1) & !ROW_TOP,
            b | (b << 1) & !ROW_BOTTOM | (b >> 1) & !ROW_TOP,
            c | (c << 1) & !ROW_BOTTOM | (c >> 1) & !ROW_TOP,
            d | (d << 1) & !ROW_BOTTOM | (d >> 1) & !ROW_TOP,
        ];
        Board([
            rows[0] | a << 16 | a >> 16 | b << 48,
            rows[1] | b << 16 | b >> 16 | a >> 48 | c << 48,
            rows[2] | c << 16 | c >> 16 | b >> 48 | d << 48,
            rows[3] | d << 16 | d >> 16 | c >> 48,
        ])
    }

    /// All cells of `within` that are 4-connected to this set inside `within`.
    pub fn fill(self, within: Board) -> Board {
        let mut filled = self & within;
        loop {
            let more = filled.spread() & within;
            if more == filled {
                return filled;
            }
            filled = more;
        }
    }

    /// The cells that a closed loop of cells cuts off from the map's border: every cell that is not
    /// in the loop and not 4-connected to a border cell without crossing it.
    pub fn enclosed(self) -> Board {
        let inner = self.box_inside() & !self;
        if inner.is_empty() {
            return inner;
        }
        // Whatever lies on or outside the loop's bounding box reaches the border; only the inside
        // is searched.
        let outside = (!inner & !self).fill(!self);
        !self & !outside
    }

    /// The cells strictly inside the bounding box.
    fn box_inside(self) -> Board {
        let mut columns = 0u16;
        let mut rows = 0u16;
        for x in 0..16 {
            let column = (self.0[x >> 2] >> (16 * (x & 3))) as u16;
            rows |= column;
            columns |= u16::from(column != 0) << x;
        }
        let (columns, rows) = (between(columns), u64::from(between(rows)));
        let mut inside = [0; 4];
        for x in 0..16 {
            let on = u64::from(columns >> x & 1).wrapping_neg();
            inside[x >> 2] |= (rows & on) << (16 * (x & 3));
        }
        Board(inside)
    }
}

/// The bits strictly between the lowest and the highest set bit.
const fn between(bits: u16) -> u16 {
    if bits == 0 {
        return 0;
    }
    let (low, high) = (bits.trailing_zeros(), 15 - bits.leading_zeros());
    ((1u32 << high) - 1) as u16 & !(((1u32 << (low + 1)) - 1) as u16)
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

    /// A board from rows of text, the top row first; `#` is in the set. Rows are placed at the
    /// lower left.
    fn board(rows: &[&str]) -> Board {
        let mut board = Board::EMPTY;
        for (up, row) in rows.iter().rev().enumerate() {
            for (x, glyph) in row.chars().enumerate() {
                if glyph == '#' {
                    board.insert(Cell::new(x as u8, up as u8));
                }
            }
        }
        board
    }

    #[test]
    fn cells_come_by_x_then_y() {
        let cells = [
            Cell::new(3, 9),
            Cell::new(3, 2),
            Cell::new(0, 15),
            Cell::new(15, 15),
        ];
        let order: Vec<Cell> = Board::of(cells).cells().collect();
        assert_eq!(
            order,
            [
                Cell::new(0, 15),
                Cell::new(3, 2),
                Cell::new(3, 9),
                Cell::new(15, 15)
            ]
        );
    }

    #[test]
    fn spreading_stops_at_the_edges() {
        let corners = [
            Cell::new(0, 0),
            Cell::new(15, 15),
            Cell::new(0, 15),
            Cell::new(15, 0),
        ];
        assert_eq!(Board::of(corners).spread().len(), 12);
        for cell in Board::EMPTY.not().cells() {
            let around: Vec<Cell> = Direction::ALL
                .iter()
                .filter_map(|d| cell.next(*d))
                .collect();
            let expected = Board::of(around.into_iter().chain([cell]));
            assert_eq!(Board::of([cell]).spread(), expected, "{cell:?}");
        }
    }

    #[test]
    fn what_a_loop_encloses() {
        let check = |rows: &[&str], expected: u32| {
            let area = board(rows).enclosed();
            assert_eq!(area.len(), expected, "{rows:#?}");
        };
        check(&["##", "##"], 0);
        check(&["###", "#.#", "###"], 1);
        check(&["#####", "#...#", "###.#", "..#.#", "..###"], 5);
        check(&["####", "#..#", "#.##", "###."], 3);
        // Several areas at once: all that cannot reach the border counts.
        check(&[".###.", ".#.##", "##..#", "#.#.#", "#####"], 5);
        // The map's edge is no fence.
        check(&["###", "..#", "..#"], 0);
    }

    #[test]
    fn enclosure_agrees_with_a_plain_flood_fill() {
        let mut rng = leitai_game::Rng::new(1);
        for _ in 0..2000 {
            let set = Board(std::array::from_fn(|_| {
                rng.next_u64() & rng.next_u64() | rng.next_u64() & 0xff
            }));
            let border = (!Board::EMPTY)
                .cells()
                .filter(|c| c.x() % 15 == 0 || c.y() % 15 == 0);
            let outside = Board::of(border).fill(!set);
            assert_eq!(set.enclosed(), !set & !outside);
        }
    }
}
