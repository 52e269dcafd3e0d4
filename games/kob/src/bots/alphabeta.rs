//! Alpha-beta over rounds, deepened step by step within the clock.
//!
//! Both sides move at once, but hardly meddle with each other within a round: on the standard board
//! two heads never meet (parity), so a direction's safety does not depend on the other's choice.
//! The search therefore takes a round as two half-moves and, pessimistically, lets the other side
//! answer a move that it cannot see in truth: what it promises is a lower bound of the simultaneous
//! game, and a forced win is one.

use std::time::Duration;

use leitai_game::{Bot, BotClock, Seat};
use leitai_search::SearchBudget;

use crate::board::Direction;
use crate::bots::territory::{SideTerritory, compute_territories};
use crate::position::Position;
use crate::setup::Setup;
use crate::view::View;

/// How much a bot thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As long as the clock allows; without a clock, `UNTIMED_NODES`.
    Clock,
    /// So many positions.
    Nodes(u64),
}

/// Searched positions without a time limit.
pub const UNTIMED_NODES: u64 = 20_000;

/// Longest time spent on one move; more gains little.
const MOST_TIME: Duration = Duration::from_secs(1);
/// Deepest search, in rounds.
const MAX_DEPTH: usize = 60;
/// Furthest a line is followed when both sides have no choice.
const MAX_PLY: usize = 100;
const WIN: i32 = 1_000_000;
const INFINITE: i32 = 2 * WIN;

/// The bot.
pub struct AlphaBetaBot {
    effort: Effort,
}

impl AlphaBetaBot {
    /// A bot that thinks so much.
    pub fn new(effort: Effort) -> AlphaBetaBot {
        AlphaBetaBot { effort }
    }
}

impl Bot<Position> for AlphaBetaBot {
    fn choose_action(&mut self, setup: &Setup, view: &View<'_>, clock: &dyn BotClock) -> Direction {
        let budget = match self.effort {
            Effort::Nodes(nodes) => SearchBudget::nodes(nodes),
            Effort::Clock => SearchBudget::clock(clock, MOST_TIME, UNTIMED_NODES),
        };
        AlphaBetaSearch::new(setup, view.seat(), budget).best_move(view.position)
    }
}

struct AlphaBetaSearch<'a> {
    setup: &'a Setup,
    me: Seat,
    budget: SearchBudget<'a>,
    nodes: u64,
    stopped: bool,
    order: [MoveOrdering; 2],
}

impl<'a> AlphaBetaSearch<'a> {
    fn new(setup: &'a Setup, me: Seat, budget: SearchBudget<'a>) -> AlphaBetaSearch<'a> {
        AlphaBetaSearch {
            setup,
            me,
            budget,
            nodes: 0,
            stopped: false,
            order: [MoveOrdering::new(), MoveOrdering::new()],
        }
    }

    /// The best direction of the deepest finished search. Values of an unfinished one are dropped.
    fn best_move(&mut self, position: &Position) -> Direction {
        let [mine, theirs] = self.candidate_moves(position);
        let mut best = Direction::of_mask(mine).next().unwrap_or(Direction::Up);
        if mine.count_ones() < 2 || theirs == 0 {
            return best;
        }
        for depth in 1..=MAX_DEPTH {
            let value = self.search_value(position, depth, 0, -INFINITE, INFINITE);
            if self.stopped {
                break;
            }
            best = self.order[0].killers[0]
                .expect("a finished search with two choices has noted the best");
            if value.abs() > WIN / 2 {
                break;
            }
        }
        best
    }

    /// The directions that are not sure to kill, mine and theirs.
    fn candidate_moves(&self, position: &Position) -> [u8; 2] {
        [self.me, self.me.other()].map(|seat| position.safe_mask(self.setup, seat))
    }

    /// The value for me of a position before a round, `ply` rounds from the root.
    fn search_value(
        &mut self,
        position: &Position,
        depth: usize,
        ply: usize,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let choices = self.candidate_moves(position);
        if let Some(value) = settled_value(choices, ply) {
            return value;
        }
        if depth == 0 || ply >= MAX_PLY {
            return self.evaluate_position(position);
        }
        let forced = choices == choices.map(|mask| mask & mask.wrapping_neg());
        let depth = depth - usize::from(!forced);
        let (mut best, mut best_move) = (-INFINITE, None);
        let (moves, count) = self.order[0].sort_moves(choices[0], position.head(self.me).0, ply);
        for direction in &moves[..count] {
            let value =
                self.worst_answer(position, *direction, choices[1], depth, ply, [alpha, beta]);
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, Some(*direction));
            }
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        if let Some(direction) = best_move {
            self.order[0].reward_cutoff(direction, position.head(self.me).0, ply, depth);
        }
        best
    }

    /// The value for me of this direction against the other side's best answer.
    fn worst_answer(
        &mut self,
        position: &Position,
        mine: Direction,
        theirs: u8,
        depth: usize,
        ply: usize,
        [alpha, beta]: [i32; 2],
    ) -> i32 {
        let them = position.head(self.me.other()).0;
        let (mut worst, mut worst_move) = (INFINITE, None);
        let (moves, count) = self.order[1].sort_moves(theirs, them, ply);
        for direction in &moves[..count] {
            let mut next = *position;
            next.play_round(self.setup, by_seat(self.me, mine, *direction));
            self.nodes += 1;
            self.stopped |= self.budget.is_spent(self.nodes);
            if self.stopped {
                return 0;
            }
            let value = self.search_value(&next, depth, ply + 1, alpha, beta.min(worst));
            if value < worst {
                (worst, worst_move) = (value, Some(*direction));
            }
            if worst <= alpha {
                break;
            }
        }
        if let Some(direction) = worst_move {
            self.order[1].reward_cutoff(direction, them, ply, depth);
        }
        worst
    }

    /// Territory; a side that is stuck while the other is not has all but lost.
    fn evaluate_position(&self, position: &Position) -> i32 {
        let [first, second] = compute_territories(self.setup, position);
        let (mine, theirs) = if self.me == Seat::First {
            (first, second)
        } else {
            (second, first)
        };
        territory_value(mine) - territory_value(theirs)
    }
}

fn territory_value(territory: SideTerritory) -> i32 {
    let cells = territory.cells as i32 * 10;
    if territory.stuck { cells - 1000 } else { cells }
}

/// The value of a position that needs no search: it is over, or a side has no way out. An earlier
/// win is better.
fn settled_value([mine, theirs]: [u8; 2], ply: usize) -> Option<i32> {
    let win = WIN - ply as i32;
    match (mine == 0, theirs == 0) {
        (false, false) => None,
        // Both die now, or are dead: of safe moves only those end a leg that lead two heads to one
        // cell.
        (true, true) => Some(0),
        (true, false) => Some(-win),
        (false, true) => Some(win),
    }
}

fn by_seat(me: Seat, mine: Direction, theirs: Direction) -> [Direction; 2] {
    match me {
        Seat::First => [mine, theirs],
        Seat::Second => [theirs, mine],
    }
}

/// Which directions to try first: the last best one at this depth, then those that were good from
/// this cell.
struct MoveOrdering {
    killers: [Option<Direction>; MAX_PLY + 1],
    good: Vec<u32>,
}

impl MoveOrdering {
    fn new() -> MoveOrdering {
        MoveOrdering {
            killers: [None; MAX_PLY + 1],
            good: vec![0; 4 * 256],
        }
    }

    fn sort_moves(&self, mask: u8, head: u8, ply: usize) -> ([Direction; 4], usize) {
        let (mut moves, mut count) = ([Direction::Up; 4], 0);
        for direction in Direction::of_mask(mask) {
            moves[count] = direction;
            count += 1;
        }
        let rank = |direction: &Direction| {
            let killer = self.killers[ply] == Some(*direction);
            std::cmp::Reverse((killer, self.good[index(head, *direction)]))
        };
        moves[..count].sort_by_key(rank);
        (moves, count)
    }

    fn reward_cutoff(&mut self, direction: Direction, head: u8, ply: usize, depth: usize) {
        self.killers[ply] = Some(direction);
        let good = &mut self.good[index(head, direction)];
        *good = good.saturating_add((depth * depth) as u32);
    }
}

fn index(head: u8, direction: Direction) -> usize {
    usize::from(head) << 2 | direction as usize
}
