//! The obstacles: drawn from a seed by the algorithm of the sites, or given as text.

use std::ops::Range;

use leitai_game::InvalidSetup;
use leitai_game::lang::say;

use crate::board::{Board, Cell, MAX_SIDE, run_right};
use crate::java_random::JavaRandom;

/// The fewest rows, and the fewest columns: a border and one cell inside.
pub const MIN_SIDE: u8 = 3;
/// "For each pair: at most 1000 tries"; "draw again from scratch …, at most 1000 times."
const TRIES: usize = 1000;

/// The obstacles of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObstacleMap {
    rows: u8,
    cols: u8,
    /// Obstacles and all cells outside of the map: a head there is dead.
    walls: Board,
}

/// The parameters of a drawn map: sizes, number of mirrored pairs of obstacles, and the two start
/// cells that stay free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct MapSpec {
    pub rows: u8,
    pub cols: u8,
    /// Pairs of obstacles inside the border.
    pub inner_pairs: u8,
    /// The start cells of the snakes.
    pub starts: [Cell; 2],
}

impl MapSpec {
    fn on_border(&self, cell: Cell) -> bool {
        let (last_row, last_col) = (self.rows - 1, self.cols - 1);
        cell.x().is_multiple_of(last_row) || cell.y().is_multiple_of(last_col)
    }

    /// Refuses parameters for which no map can be drawn.
    fn check_plan(&self) -> Result<(), InvalidSetup> {
        check_sides(self.rows, self.cols)?;
        if let Some(cell) = self.starts.iter().find(|cell| self.on_border(**cell)) {
            let (x, y) = (cell.x(), cell.y());
            return Err(InvalidSetup(say!(
                "a snake starts at [{x}, {y}], on the border of a standard map"
            )));
        }
        let room = (u16::from(self.rows) - 2) * (u16::from(self.cols) - 2);
        let most = (room / 2).saturating_sub(1);
        if u16::from(self.inner_pairs) > most {
            let pairs = self.inner_pairs;
            return Err(InvalidSetup(say!(
                "inner_pairs is {pairs}; 0 to {most} are accepted on this board"
            )));
        }
        Ok(())
    }
}

impl ObstacleMap {
    /// Reads rows times cols characters, row by row: `1` is an obstacle, `0` is free.
    pub fn parse(rows: u8, cols: u8, text: &str) -> Result<ObstacleMap, InvalidSetup> {
        check_sides(rows, cols)?;
        let expected = usize::from(rows) * usize::from(cols);
        if text.len() != expected {
            let found = text.len();
            return Err(InvalidSetup(say!(
                "the map has {found} characters; {rows} x {cols} cells take {expected}"
            )));
        }
        if let Some(wrong) = text.chars().find(|c| !matches!(c, '0' | '1')) {
            return Err(InvalidSetup(say!(
                "the map has the character {wrong:?}; only 0 and 1 are accepted"
            )));
        }
        let mut map = ObstacleMap {
            rows,
            cols,
            walls: border_cells(rows, cols),
        };
        let digits = text.bytes().zip(map.cells());
        let obstacles: Vec<Cell> = digits
            .filter(|(digit, _)| *digit == b'1')
            .map(|(_, cell)| cell)
            .collect();
        map.walls |= Board::from_cells(obstacles);
        map.check_edge()?;
        Ok(map)
    }

    /// Refuses a free cell in row or column 15, where [`Direction::step_from`] leads from the other
    /// edge. The sites' maps have obstacles along every edge.
    ///
    /// [`Direction::step_from`]: crate::board::Direction::step_from
    fn check_edge(&self) -> Result<(), InvalidSetup> {
        let last = MAX_SIDE - 1;
        let free = self.free_cells();
        match free
            .cells()
            .find(|cell| cell.x() == last || cell.y() == last)
        {
            None => Ok(()),
            Some(cell) => Err(InvalidSetup(say!(
                "the map is free at [{}, {}], on the last of {MAX_SIDE} rows or columns; put an obstacle on every \
                 cell there, or leave that row or column out",
                cell.x(),
                cell.y()
            ))),
        }
    }

    /// Draws the map of a seed: the border, then mirrored pairs, until the start cells are
    /// connected. One random generator is used throughout.
    pub fn draw_map(plan: &MapSpec, seed: i64) -> Result<ObstacleMap, InvalidSetup> {
        plan.check_plan()?;
        let mut random = JavaRandom::new(seed);
        let connected = (0..TRIES)
            .map(|_| draw_once(plan, &mut random))
            .find(|map| map.are_connected(plan.starts));
        connected.ok_or_else(|| {
            let pairs = plan.inner_pairs;
            InvalidSetup(say!(
                "seed {seed} gives no map with connected starts in {TRIES} draws; inner_pairs is {pairs}, ask for fewer"
            ))
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> u8 {
        self.cols
    }

    /// Obstacles, and all cells outside of the map.
    #[inline]
    pub fn walls(&self) -> &Board {
        &self.walls
    }

    /// The cells that a snake may cover.
    pub fn free_cells(&self) -> Board {
        !self.walls
    }

    /// Whether the cell is on the map, free or not.
    pub fn holds(&self, cell: Cell) -> bool {
        cell.x() < self.rows && cell.y() < self.cols
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        (0..rows).flat_map(move |x| (0..cols).map(move |y| Cell::new(x, y)))
    }

    /// The text that [`ObstacleMap::parse`] reads.
    pub fn text(&self) -> String {
        self.cells()
            .map(|cell| if self.walls.has(cell) { '1' } else { '0' })
            .collect()
    }

    /// [`ObstacleMap::text`], cut into rows.
    pub fn row_texts(&self) -> Vec<String> {
        let text = self.text();
        let rows = text.as_bytes().chunks(usize::from(self.cols));
        rows.map(|row| String::from_utf8_lossy(row).into_owned())
            .collect()
    }

    fn are_connected(&self, [a, b]: [Cell; 2]) -> bool {
        let free = self.free_cells();
        let mut reached = Board::from_cells([a]);
        while !reached.has(b) {
            let more = run_right(reached, free).with_neighbours_unmasked() & free;
            if more == reached {
                return false;
            }
            reached = more;
        }
        true
    }
}

fn check_sides(rows: u8, cols: u8) -> Result<(), InvalidSetup> {
    let accepted = MIN_SIDE..=MAX_SIDE;
    if accepted.contains(&rows) && accepted.contains(&cols) {
        return Ok(());
    }
    Err(InvalidSetup(say!(
        "the map has {rows} rows and {cols} cols; {MIN_SIDE} to {MAX_SIDE} of each are accepted"
    )))
}

/// All cells outside of a map of this size.
fn border_cells(rows: u8, cols: u8) -> Board {
    !cells_of_rectangle(0..rows, 0..cols)
}

/// The cells of these rows and columns.
fn cells_of_rectangle(rows: Range<u8>, cols: Range<u8>) -> Board {
    let row = (1u64 << cols.end) - (1 << cols.start);
    let mut words = [0; 4];
    rows.for_each(|x| words[usize::from(x >> 2)] |= row << (16 * (x & 3)));
    Board(words)
}

fn draw_once(plan: &MapSpec, random: &mut JavaRandom) -> ObstacleMap {
    let mut map = ObstacleMap {
        rows: plan.rows,
        cols: plan.cols,
        walls: border_cells(plan.rows, plan.cols),
    };
    map.walls |= !cells_of_rectangle(1..plan.rows - 1, 1..plan.cols - 1);
    for _ in 0..plan.inner_pairs {
        if let Some(pair) = (0..TRIES).find_map(|_| try_pair(plan, &map.walls, random)) {
            pair.into_iter().for_each(|cell| map.walls.insert(cell));
        }
    }
    map
}

/// "`r = nextInt(13)`, `c = nextInt(14)`; reject if `(r,c)` or its point mirror is an obstacle, or
/// `(r,c)` is `(11,1)` or `(1,12)`": those two mirror each other, so a check of both cells changes
/// nothing on the sites' board and keeps other starts free as well.
fn try_pair(plan: &MapSpec, walls: &Board, random: &mut JavaRandom) -> Option<[Cell; 2]> {
    let (r, c) = (random.next_int(plan.rows), random.next_int(plan.cols));
    let pair = [
        Cell::new(r, c),
        Cell::new(plan.rows - 1 - r, plan.cols - 1 - c),
    ];
    let taken = |cell: &Cell| walls.has(*cell) || plan.starts.contains(cell);
    (!pair.iter().any(taken)).then_some(pair)
}
