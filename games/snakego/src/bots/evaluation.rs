//! What a position is worth to a side, at a glance.

use leitai_game::Seat;

use crate::board::Board;
use crate::bots::flood;
use crate::bots::loops::CELL;
use crate::items::{Item, ItemKind, LIFETIME};
use crate::position::{Position, Snake};
use crate::setup::Setup;

/// Floods end after so many moves.
const HORIZON: u16 = 24;
/// Items that appear so many rounds from now count already.
const FORESIGHT: u16 = 14;

/// Weights, in centi-cells unless said otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// A length in the bank.
    pub bank: i32,
    /// A free cell that a side reaches first.
    pub space: i32,
    /// A length to be had from an item, before it fades with the distance.
    pub length: i32,
    /// A ray in the hand.
    pub ray: i32,
    /// What remains of an item's worth for every move to it, in percent.
    pub fading: i32,
    /// What the first, second, third and fourth snake will still achieve in a long game.
    pub futures: [i32; 4],
    /// How much of the square that a snake could wall in counts already, in percent: long snakes
    /// wall in more than the same length in pieces.
    pub mass: i32,
    /// A cell of a snake that has little room, for every cell that is missing.
    pub cramped: i32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            bank: 90,
            space: 3,
            length: 80,
            ray: 150,
            fading: 90,
            futures: [1500, 300, 100, 50],
            mass: 10,
            cramped: 12,
        }
    }
}

impl Weights {
    /// What a snake will still achieve as its side's number `index` (from 0).
    pub fn future_value(&self, snake: &Snake, index: usize, rounds_left: i32) -> i32 {
        let length = i32::from(snake.length + snake.bank).min(60);
        let square = length * length * CELL / 16 * self.mass / 100;
        (self.futures[index.min(3)] + square) * rounds_left.min(100) / 100
    }
}

/// Rounds that are still to be played after the current turn, at least.
pub fn rounds_left(setup: &Setup, position: &Position) -> i32 {
    i32::from(setup.max_round()) - i32::from(position.round())
}

/// What the position is worth to this seat, whose turn is just over: the opponent moves first.
pub fn evaluate_position(setup: &Setup, position: &Position, seat: Seat, weights: &Weights) -> i32 {
    let left = if position.end().is_some() {
        0
    } else {
        rounds_left(setup, position)
    };
    let cells = position.count_cells();
    let mut value = (i32::from(cells[seat]) - i32::from(cells[seat.other()])) * CELL;
    if left == 0 {
        return value;
    }
    let free = flood::free_cells(position);
    value += evaluate_holdings(position, seat, left, free, weights);
    value -= evaluate_holdings(position, seat.other(), left, free, weights);
    value + evaluate_race(setup, position, seat, left, free, weights)
}

/// What a side's snakes carry and can still become.
fn evaluate_holdings(
    position: &Position,
    seat: Seat,
    left: i32,
    free: Board,
    weights: &Weights,
) -> i32 {
    let snakes = position.snakes(seat).iter().enumerate();
    let of = |(index, snake): (usize, &Snake)| {
        let bank = i32::from(snake.bank).min(left) * weights.bank;
        let ray = if snake.ray().is_some() {
            weights.ray * left.min(50) / 50
        } else {
            0
        };
        bank + ray + weights.future_value(snake, index, left) - space_penalty(snake, free, weights)
    };
    snakes.map(of).sum()
}

/// How much a snake suffers from lack of room.
fn space_penalty(snake: &Snake, free: Board, weights: &Weights) -> i32 {
    let wanted = i32::from(snake.length).clamp(3, 12);
    let room = flood::count_reachable(snake.head, free, 6, wanted as u32) as i32;
    (wanted - room).max(0) * weights.cramped * i32::from(snake.length + 4) / 4
}

/// Both sides flood the board at once; who comes first owns the cell and gets the item on it.
#[doc(hidden)] // For tests.
pub fn evaluate_race(
    setup: &Setup,
    position: &Position,
    seat: Seat,
    left: i32,
    free: Board,
    weights: &Weights,
) -> i32 {
    let heads = |side| Board::from_cells(position.snakes(side).iter().map(|snake| snake.head));
    let (mut mine, mut theirs) = (heads(seat), heads(seat.other()));
    let goals = Goals::new(setup, position, left, weights);
    let (mut items, mut worth) = (0, 1000);
    let start = mine | theirs;
    for moves in 1..=HORIZON {
        worth = worth * weights.fading / 100;
        let their_step = theirs.with_neighbours() & free & !mine & !theirs;
        theirs |= their_step;
        let my_step = mine.with_neighbours() & free & !theirs & !mine;
        mine |= my_step;
        if (their_step | my_step).is_empty() {
            break;
        }
        if !((their_step | my_step) & goals.cells).is_empty() {
            items += goals.score_wave(my_step, moves, worth)
                - goals.score_wave(their_step, moves, worth);
        }
    }
    let cells = (mine & !start).len() as i32 - (theirs & !start).len() as i32;
    cells * weights.space * left.min(100) / 100 + items
}

/// Items that lie on the map or will soon.
struct Goals {
    cells: Board,
    list: [Goal; 32],
    count: usize,
}

#[derive(Clone, Copy, Default)]
struct Goal {
    cell: u8,
    /// Moves from now until it appears, and until it has vanished.
    from: u16,
    until: u16,
    worth: i32,
}

impl Goals {
    fn new(setup: &Setup, position: &Position, left: i32, weights: &Weights) -> Goals {
        let mut goals = Goals {
            cells: Board::EMPTY,
            list: [Goal::default(); 32],
            count: 0,
        };
        let round = position.round();
        position
            .items_within(setup, FORESIGHT)
            .for_each(|item| goals.add(item, round, left, weights));
        goals
    }

    fn add(&mut self, item: &Item, round: u16, left: i32, weights: &Weights) {
        if self.count == self.list.len() {
            return;
        }
        let worth = match item.kind {
            ItemKind::Length => i32::from(item.param).min(left) * weights.length,
            ItemKind::Ray => weights.ray * left.min(50) / 50,
        };
        let from = item.time.saturating_sub(round);
        let until = item.time + LIFETIME - round;
        self.list[self.count] = Goal {
            cell: item.cell.0,
            from,
            until,
            worth,
        };
        self.count += 1;
        self.cells.insert(item.cell);
    }

    /// The worth of the items in a wave that arrives after so many moves, faded to `faded` per
    /// mille.
    fn score_wave(&self, wave: Board, moves: u16, faded: i32) -> i32 {
        let hit = |goal: &&Goal| wave.has(crate::board::Cell(goal.cell)) && moves < goal.until;
        let goals = self.list[..self.count].iter().filter(hit);
        // Whoever comes early waits: the later of the two moments counts.
        goals
            .map(|goal| {
                let wait = i32::from(goal.from.saturating_sub(moves));
                goal.worth * faded / 1000 * (20 - wait.min(15)) / 20
            })
            .sum()
    }
}
