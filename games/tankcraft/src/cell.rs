//! Cells, directions and sets of cells. A [`Grid`] has one word for each row and one bit for each
//! cell, including a border of one cell around the map, so every cell of the map has four
//! neighbours (R5.3a: off the map counts as stone).

use std::ops::{BitAnd, BitOr, Not};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Rows and columns of the map (R1.1).
pub const SIDE: u8 = 21;

/// A cell; row 1 is at the top and column 1 on the left. Rows and columns 0 and 22 are the border
/// around the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// 1 to 21 from top to bottom.
    pub row: u8,
    /// 1 to 21 from left to right.
    pub col: u8,
}

impl Cell {
    /// A corner of the border, which is never occupied.
    pub(crate) const NOWHERE: Cell = Cell { row: 0, col: 0 };

    /// The cell at `(row, col)`, both at most 22.
    pub const fn new(row: u8, col: u8) -> Cell {
        debug_assert!(row <= SIDE + 1 && col <= SIDE + 1);
        Cell { row, col }
    }

    /// The cell at these coordinates, if they lie on the map.
    #[inline]
    pub fn on_map(row: i32, col: i32) -> Option<Cell> {
        let inside = |x: i32| (1..=i32::from(SIDE)).contains(&x);
        (inside(row) && inside(col)).then_some(Cell {
            row: row as u8,
            col: col as u8,
        })
    }

    /// Every cell of the map, row by row from the top.
    pub fn all() -> impl Iterator<Item = Cell> {
        (1..=SIDE).flat_map(|row| (1..=SIDE).map(move |col| Cell { row, col }))
    }

    /// The cell after a half turn around the centre (R1.3).
    pub const fn rotate_half_turn(self) -> Cell {
        Cell {
            row: SIDE + 1 - self.row,
            col: SIDE + 1 - self.col,
        }
    }

    /// `|r1 - r2| + |c1 - c2|` (R3.1).
    #[inline]
    pub const fn distance(self, other: Cell) -> u8 {
        self.row.abs_diff(other.row) + self.col.abs_diff(other.col)
    }

    /// The next cell in this direction; for a cell of the map, it may lie on the border.
    #[inline]
    pub const fn next(self, direction: Direction) -> Cell {
        // A table instead of a match, because directions are hard to predict.
        const STEPS: [(u8, u8); 4] = [
            (1u8.wrapping_neg(), 0),
            (1, 0),
            (0, 1u8.wrapping_neg()),
            (0, 1),
        ];
        let (down, right) = STEPS[direction as usize];
        Cell {
            row: self.row.wrapping_add(down),
            col: self.col.wrapping_add(right),
        }
    }
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{})", self.row, self.col)
    }
}

/// Written as `[row, col]`.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.row, self.col].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Cell, D::Error> {
        let [row, col] = <[u8; 2]>::deserialize(deserializer)?;
        if row > SIDE + 1 || col > SIDE + 1 {
            return Err(D::Error::custom(format!(
                "the cell [{row}, {col}] is not on the map"
            )));
        }
        Ok(Cell { row, col })
    }
}

/// A direction on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// row - 1
    Up,
    /// row + 1
    Down,
    /// col - 1
    Left,
    /// col + 1
    Right,
}

impl Direction {
    /// All directions, in the order of the SDK's `GOUP GODOWN GOLEFT GORIGHT`.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Down,
        Direction::Left,
        Direction::Right,
    ];

    /// The opposite direction.
    pub const fn back(self) -> Direction {
        match self {
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
            Direction::Left => Direction::Right,
            Direction::Right => Direction::Left,
        }
    }
}

/// A set of cells, including the border: bit `col` of word `row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Grid([u32; SIDE as usize + 2]);

/// Columns 1 to 21.
const ROW: u32 = (1 << (SIDE + 1)) - 2;

impl Grid {
    /// The empty set.
    pub const EMPTY: Grid = Grid([0; SIDE as usize + 2]);
    /// Every cell of the map, without the border.
    pub const MAP: Grid = {
        let mut rows = [ROW; SIDE as usize + 2];
        rows[0] = 0;
        rows[SIDE as usize + 1] = 0;
        Grid(rows)
    };

    /// The set of these cells.
    pub fn from_cells(cells: impl IntoIterator<Item = Cell>) -> Grid {
        let mut grid = Grid::EMPTY;
        cells.into_iter().for_each(|cell| grid.insert(cell));
        grid
    }

    /// All cells of the map within this distance of a cell (R3.1).
    pub fn cells_within(center: Cell, distance: u8) -> Grid {
        let mut grid = Grid::EMPTY;
        for (row, out) in (0..).zip(&mut grid.0).skip(1).take(usize::from(SIDE)) {
            let Some(reach) = distance.checked_sub(center.row.abs_diff(row)) else {
                continue;
            };
            let to = (u64::from(center.col) + u64::from(reach)).min(31);
            let from = center.col.saturating_sub(reach);
            *out = ((2u64 << to) - (1 << from)) as u32 & ROW;
        }
        grid
    }

    /// Whether the cell is in the set.
    #[inline]
    pub const fn has(&self, cell: Cell) -> bool {
        self.0[cell.row as usize] >> cell.col & 1 != 0
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, cell: Cell) {
        self.0[cell.row as usize] |= 1 << cell.col;
    }

    /// Removes a cell.
    #[inline]
    pub const fn remove(&mut self, cell: Cell) {
        self.0[cell.row as usize] &= !(1 << cell.col);
    }

    /// One row of the map, 1 to 21 from the top: bit c - 1 for column c.
    #[inline]
    pub(crate) const fn row(&self, row: u8) -> u32 {
        (self.0[row as usize] & ROW) >> 1
    }

    /// Number of cells.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|row| row.count_ones()).sum()
    }

    /// Whether no cell is in the set.
    pub fn is_empty(&self) -> bool {
        *self == Grid::EMPTY
    }

    /// The cells, row by row from the top.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (0..).zip(self.0).flat_map(|(row, mut bits)| {
            std::iter::from_fn(move || {
                let col = bits.trailing_zeros() as u8;
                bits &= bits.wrapping_sub(1);
                (col < 32).then_some(Cell { row, col })
            })
        })
    }

    /// The set and all its 4-neighbours on the map.
    #[inline]
    pub fn with_neighbours(self) -> Grid {
        let mut out = Grid::EMPTY;
        for row in 1..=usize::from(SIDE) {
            let bits = self.0[row];
            out.0[row] = (bits | bits << 1 | bits >> 1 | self.0[row - 1] | self.0[row + 1]) & ROW;
        }
        out
    }

    /// All cells of `within` that are 4-connected to this set inside `within`.
    pub fn flood_fill(self, within: Grid) -> Grid {
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

impl BitAnd for Grid {
    type Output = Grid;
    #[inline]
    fn bitand(self, other: Grid) -> Grid {
        Grid(std::array::from_fn(|row| self.0[row] & other.0[row]))
    }
}

impl BitOr for Grid {
    type Output = Grid;
    #[inline]
    fn bitor(self, other: Grid) -> Grid {
        Grid(std::array::from_fn(|row| self.0[row] | other.0[row]))
    }
}

/// The other cells of the map and its border.
impl Not for Grid {
    type Output = Grid;
    #[inline]
    fn not(self) -> Grid {
        Grid(self.0.map(|row| !row & (ROW | 1 | 1 << (SIDE + 1))))
    }
}
