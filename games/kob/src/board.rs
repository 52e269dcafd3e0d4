//! Cells, directions and sets of cells. A [`Board`] is 256 bits; the cell in row `x` and column `y`
//! is bit `16 x + y`. Boards have at most 15 rows and 15 columns, so row 15 and column 15 are
//! always outside: a step off the board, in wrapping arithmetic, lands there and needs no test of
//! its own.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use serde::{Deserialize, Serialize};

/// Most rows, and most columns.
pub const MAX_SIDE: u8 = 15;

/// A direction; its number is that of the sites. "0 up (-1,0), 1 right (0,+1), 2 down (+1,0), 3
/// left (0,-1)."
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
    /// All four, by number.
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

    /// 0 to 3.
    #[inline]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// `'0'` to `'3'`.
    pub const fn digit(self) -> char {
        (b'0' + self as u8) as char
    }

    /// The opposite direction.
    #[inline]
    pub const fn back(self) -> Direction {
        Direction::ALL[self as usize ^ 2]
    }

    /// How far one step leads down and to the right.
    pub const fn delta(self) -> (i8, i8) {
        [(-1, 0), (0, 1), (1, 0), (0, -1)][self as usize]
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Direction {
        Direction::ALL[(bits & 3) as usize]
    }

    /// The directions in a bit set: bit n for number n.
    pub fn of_mask(mask: u8) -> impl Iterator<Item = Direction> {
        Direction::ALL
            .into_iter()
            .filter(move |direction| mask >> direction.number() & 1 != 0)
    }
}

/// A cell; `x` is the row from the top, `y` the column from the left, as the sites call them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell(pub u8);

impl Cell {
    /// The cell in this row and column, both at most 15.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Cell {
        debug_assert!(x <= MAX_SIDE && y <= MAX_SIDE);
        Cell(x << 4 | y)
    }

    /// Row, 0 is the top.
    #[inline]
    pub const fn x(self) -> u8 {
        self.0 >> 4
    }

    /// Column, 0 is the left.
    #[inline]
    pub const fn y(self) -> u8 {
        self.0 & 15
    }

    /// The next cell in this direction. A step off a board of at most 15 x 15 cells gives a cell in
    /// row or column 15.
    #[inline]
    pub const fn step(self, direction: Direction) -> Cell {
        const STEP: [u8; 4] = [16u8.wrapping_neg(), 1, 16, 1u8.wrapping_neg()];
        Cell(self.0.wrapping_add(STEP[direction as usize]))
    }
}

/// A set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Board(pub [u64; 4]);

impl Board {
    /// No cell.
    pub const EMPTY: Board = Board([0; 4]);

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

    /// The cells in ascending order: row by row.
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

    /// The set and all its 4-neighbours, some of them perhaps in row or column 15.
    #[inline]
    pub const fn spread(self) -> Board {
        let [a, b, c, d] = self.0;
        Board([
            a | a << 1 | a >> 1 | a << 16 | a >> 16 | b << 48 | b << 63,
            b | b << 1 | b >> 1 | b << 16 | b >> 16 | a >> 48 | c << 48 | a >> 63 | c << 63,
            c | c << 1 | c >> 1 | c << 16 | c >> 16 | b >> 48 | d << 48 | b >> 63 | d << 63,
            d | d << 1 | d >> 1 | d << 16 | d >> 16 | c >> 48 | c >> 63,
        ])
    }

    /// The set and, in its rows, all cells to its right up to the first that is not in `within`,
    /// which is on the board and holds the set. The sum's carry runs along a row and ends in column
    /// 15, which no board has.
    #[inline]
    pub(crate) fn run_right(self, within: Board) -> Board {
        let run = |set: u64, open: u64| set | (open.wrapping_add(set) ^ open) & open;
        Board(std::array::from_fn(|word| {
            run(self.0[word], within.0[word])
        }))
    }

    /// All cells of `within` (on the board) that are 4-connected to this set inside `within`.
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

    fn inside() -> Board {
        Board::of((0..15).flat_map(|x| (0..15).map(move |y| Cell::new(x, y))))
    }

    #[test]
    fn a_step_off_the_largest_board_lands_in_row_or_column_15() {
        for cell in inside().cells() {
            for direction in Direction::ALL {
                let (down, right) = direction.delta();
                let (x, y) = (cell.x() as i8 + down, cell.y() as i8 + right);
                let next = cell.step(direction);
                if (0..15).contains(&x) && (0..15).contains(&y) {
                    assert_eq!(next, Cell::new(x as u8, y as u8));
                } else {
                    assert!(
                        next.x() == 15 || next.y() == 15,
                        "{cell:?} {direction:?} {next:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn spreading_adds_the_neighbours_on_the_board() {
        for cell in inside().cells() {
            let around = Direction::ALL.map(|direction| cell.step(direction));
            let expected = Board::of(around.into_iter().chain([cell])) & inside();
            assert_eq!(Board::of([cell]).spread() & inside(), expected, "{cell:?}");
        }
    }

    #[test]
    fn a_run_goes_right_up_to_the_first_cell_that_is_closed() {
        let row =
            |x: u8, columns: &[u8]| columns.iter().map(|y| Cell::new(x, *y)).collect::<Vec<_>>();
        let open = Board::of([row(3, &[0, 1, 2, 3, 5, 6, 7, 14]), row(4, &[0, 1, 14])].concat());
        let check = |from: &[u8], reached: &[u8]| {
            assert_eq!(
                Board::of(row(3, from)).run_right(open),
                Board::of(row(3, reached)),
                "{from:?}"
            );
        };
        check(&[1], &[1, 2, 3]);
        check(&[0, 2], &[0, 1, 2, 3]);
        check(&[3, 6, 14], &[3, 6, 7, 14]);
        check(&[], &[]);
    }

    #[test]
    fn a_fill_stops_at_the_edge_of_what_is_open() {
        let open = Board::of([
            Cell::new(0, 0),
            Cell::new(0, 1),
            Cell::new(1, 1),
            Cell::new(3, 1),
            Cell::new(0, 14),
        ]);
        assert_eq!(Board::of([Cell::new(0, 0)]).fill(open).len(), 3);
        assert!(Board::of([Cell::new(9, 9)]).fill(open).is_empty());
    }

    #[test]
    fn directions_are_numbered_as_the_arrays_of_the_seed_say() {
        let deltas: Vec<_> = Direction::ALL
            .iter()
            .map(|direction| direction.delta())
            .collect();
        assert_eq!(deltas, [(-1, 0), (0, 1), (1, 0), (0, -1)]);
        assert!(
            Direction::ALL
                .iter()
                .all(|d| Direction::from_digit(d.digit() as u8) == Some(*d))
        );
        assert!(
            Direction::ALL
                .iter()
                .all(|d| d.back().back() == *d && d.back() != *d)
        );
        assert_eq!(Direction::from_digit(b'4'), None);
        assert_eq!(Direction::from_digit(b'/'), None);
    }
}
