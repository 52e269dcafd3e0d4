//! What one snake can still make of itself: the areas that it can wall in, and whether it can go on
//! at all.
//!
//! A `Planner` looks at one snake while everybody else stands still. It walks every short path and
//! every longer one that turns seldom, because the largest areas have few corners. A path that
//! meets the snake's own body closes a loop, whose worth is counted exactly by the rule of
//! solidifying; a path that stays open shows that there is room to live.

use leitai_game::Seat;

use crate::action::Direction;
use crate::board::{Board, Cell, enclosed_by};
use crate::bots::flood::{self, NEVER};
use crate::position::{GROWING_ROUNDS, Position, Snake};

/// Centi-cells: the unit of all estimates of the bots.
pub const CELL: i32 = 100;

/// What the estimates weigh. All in centi-cells or percent.
#[derive(Clone, Copy, Debug)]
pub struct EstimateWeights {
    /// Paths with any number of turns have at most so many moves.
    pub winding: usize,
    /// Longer paths turn at most so often …
    pub turns: u8,
    /// … and have at most so many moves.
    pub reach: usize,
    /// What remains of a loop's worth for every move until it closes, in percent.
    pub patience: i32,
    /// What remains of it if the opponent can get in the way, in percent.
    pub contested: i32,
}

impl Default for EstimateWeights {
    fn default() -> EstimateWeights {
        EstimateWeights {
            winding: 6,
            turns: 2,
            reach: 20,
            patience: 95,
            contested: 55,
        }
    }
}

/// The surroundings that all snakes of one side share.
pub struct Surroundings<'a> {
    position: &'a Position,
    seat: Seat,
    blocked: Board,
    rounds_left: usize,
    /// Moves that the opponent's nearest head needs to a cell.
    opponent: [u8; 256],
    habits: EstimateWeights,
}

/// What a first step leads to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prospect {
    /// The worth of the best loop, closed after the first step; 0 for none.
    pub loop_worth: i32,
    /// The worth of the best loop even if it is a loss: what is left to a snake without a way out.
    pub escape: Option<i32>,
    /// The most moves that it can go on for, up to the planner's sight.
    pub lasts: usize,
}

impl<'a> Surroundings<'a> {
    /// What the snakes of this side find; `rounds_left` counts this round.
    pub fn new(
        position: &'a Position,
        seat: Seat,
        rounds_left: usize,
        habits: EstimateWeights,
    ) -> Surroundings<'a> {
        let free = flood::free_cells(position);
        let heads = Board::from_cells(position.snakes(seat.other()).iter().map(|snake| snake.head));
        Surroundings {
            position,
            seat,
            blocked: !free,
            rounds_left,
            opponent: flood::arrival_times(heads, free),
            habits,
        }
    }

    /// What each first step of a snake of this side leads to, by direction.
    pub fn find_prospects(&self, snake: &Snake, future: i32) -> [Prospect; 4] {
        let mut planner = Planner::new(self, snake, future);
        Direction::ALL.map(|direction| planner.first_step(direction))
    }
}

/// One snake's walk. Body cells are numbered from the head back, 0 to `length - 1`; the cell
/// entered by move `m` has the number `-m`. A cell with number `n` is left by the tail at move
/// `leaves - n`.
struct Planner<'a> {
    around: &'a Surroundings<'a>,
    snake: Snake,
    /// From which move on a cell can be entered; 0 for free cells, [`NEVER`] for what does not
    /// move.
    opens: [u8; 256],
    /// The number of the body cell on a cell that is not yet left.
    number: [i16; 256],
    /// `first[n]` is the first `n` body cells.
    first: Vec<Board>,
    /// `path[m]` is the cells entered by the first `m` moves.
    path: Vec<Board>,
    leaves: i16,
    /// What the snake counts for now: cells, bank, and its future.
    stake: i32,
    best: Prospect,
}

impl<'a> Planner<'a> {
    fn new(around: &'a Surroundings<'a>, snake: &Snake, future: i32) -> Planner<'a> {
        let position = around.position;
        let cells = position.cells_of(snake);
        let growing = GROWING_ROUNDS.saturating_sub(position.round() - 1);
        let initial = snake.id == around.seat.index() as u16;
        // More than a planner can see changes nothing, and a given list of items can fill a bank
        // with thousands.
        let growth = snake.bank.min(100) + if initial { growing } else { 0 };
        let leaves = (snake.length + growth) as i16;
        let (mut opens, mut number) = ([0; 256], [0; 256]);
        around
            .blocked
            .cells()
            .for_each(|cell| opens[usize::from(cell.0)] = NEVER);
        let mut first = vec![Board::EMPTY];
        for (n, cell) in cells.iter().enumerate() {
            let at = usize::from(cell.0);
            opens[at] = (leaves - n as i16).min(i16::from(NEVER) - 1) as u8;
            number[at] = n as i16;
            let mut body = first[n];
            body.insert(*cell);
            first.push(body);
        }
        Planner {
            around,
            snake: *snake,
            opens,
            number,
            first,
            path: vec![Board::EMPTY],
            leaves,
            stake: i32::from(snake.length + growth) * CELL + future,
            best: Prospect::default(),
        }
    }

    fn first_step(&mut self, direction: Direction) -> Prospect {
        self.best = Prospect::default();
        let Some(cell) = direction.next_from(self.snake.head) else {
            return self.best;
        };
        if self.snake.facing() == Some(direction.back()) || self.opens[usize::from(cell.0)] > 1 {
            return self.best;
        }
        self.enter_cell(cell, direction, 1, 0, false);
        self.best
    }

    /// Makes move `m` onto an open cell and walks on from there.
    fn enter_cell(&mut self, cell: Cell, facing: Direction, m: usize, turns: u8, contested: bool) {
        let at = usize::from(cell.0);
        let contested = contested || usize::from(self.around.opponent[at]) < m;
        let before = (self.opens[at], self.number[at]);
        self.opens[at] = (self.leaves + m as i16).min(i16::from(NEVER) - 1) as u8;
        self.number[at] = -(m as i16);
        let mut path = self.path[m - 1];
        path.insert(cell);
        self.path.push(path);
        self.best.lasts = self.best.lasts.max(m);
        self.walk_on(cell, facing, m + 1, turns, contested);
        self.path.pop();
        (self.opens[at], self.number[at]) = before;
    }

    /// Tries every direction for move `m`.
    fn walk_on(&mut self, head: Cell, facing: Direction, m: usize, turns: u8, contested: bool) {
        let habits = &self.around.habits;
        if m > habits.reach.min(self.around.rounds_left) {
            return;
        }
        let most_turns = if m > habits.winding {
            habits.turns
        } else {
            u8::MAX
        };
        for direction in Direction::ALL
            .into_iter()
            .filter(|direction| *direction != facing.back())
        {
            let Some(cell) = direction.next_from(head) else {
                continue;
            };
            let turned = turns + u8::from(direction != facing);
            match self.opens[usize::from(cell.0)] {
                NEVER => {}
                opens if usize::from(opens) > m => self.close_loop(cell, m, contested),
                _ if turned > most_turns => {}
                _ => self.enter_cell(cell, direction, m, turned, contested),
            }
        }
    }

    /// Move `m` meets the own body in this cell.
    fn close_loop(&mut self, cell: Cell, m: usize, contested: bool) {
        let number = self.number[usize::from(cell.0)];
        let walked = self.path[m - 1];
        let ring = match usize::try_from(number) {
            Ok(n) => walked | self.first[n + 1],
            Err(_) => walked & !self.path[usize::from(number.unsigned_abs()) - 1],
        };
        let mut worth = self.loop_value(ring, m);
        if worth > 0 {
            let habits = &self.around.habits;
            let odds = if contested { habits.contested } else { 100 };
            worth = (2..m).fold(worth * odds / 100, |worth, _| worth * habits.patience / 100);
        }
        self.best.loop_worth = self.best.loop_worth.max(worth);
        self.best.escape = self.best.escape.max(Some(worth));
    }

    /// What becoming a wall wins over staying a snake.
    fn loop_value(&self, ring: Board, m: usize) -> i32 {
        let (position, seat) = (self.around.position, self.around.seat);
        let area = enclosed_by(ring);
        let solid = ring | area;
        let won =
            (solid & !position.walls(seat)).len() + (solid & position.walls(seat.other())).len();
        let mut worth = won as i32 * CELL - self.stake;
        if (area & position.bodies()).is_empty() {
            return worth;
        }
        // Whoever is inside may leave until the loop closes.
        let caught = |side| -> i32 {
            let inside = position
                .snakes(side)
                .iter()
                .filter(|snake| area.has(snake.head));
            inside
                .map(|snake| i32::from(snake.length + snake.bank) * CELL + 300)
                .sum()
        };
        let own = caught(seat)
            - if area.has(self.snake.head) {
                self.stake
            } else {
                0
            };
        worth += caught(seat.other()) / m as i32 - own.max(0);
        worth
    }
}
