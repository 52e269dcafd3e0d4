//! What the items in reach are worth to a side, by straight distances: bodies move out of the way,
//! so they do not count as obstacles.

use leitai_game::Seat;

use crate::board::{Board, Cell};
use crate::items::{Item, ItemKind, LIFETIME};
use crate::position::Position;
use crate::setup::Setup;

/// Items that appear so many rounds from now count already.
const AHEAD: u16 = 20;
/// Positions so many rounds after the root see all the items that count.
const LONGEST: u16 = 24;
/// What a wall on an item adds to the way.
const DETOUR: u32 = 2;
/// From this distance on an item is worth less.
const NEAR: u32 = 2;
/// Of an item that will appear under a body that has left its cell by then, this share counts.
const LEFT_TOO_EARLY: f32 = 1.0 / 3.0;

/// An item that lies on the map or will soon.
struct Prize {
    cell: Cell,
    /// The round in which it appears.
    time: u16,
    /// In cells.
    worth: f32,
}

/// The items that positions up to [`LONGEST`] rounds after a root may still see.
#[doc(hidden)] // For tests.
pub struct Harvest {
    prizes: Vec<Prize>,
}

impl Harvest {
    /// For a search that starts at this position. A ray counts for so many cells.
    pub fn new(setup: &Setup, root: &Position, ray: f32) -> Harvest {
        let make_prize = |item: &Item| Prize {
            cell: item.cell,
            time: item.time,
            worth: match item.kind {
                ItemKind::Length => f32::from(item.param),
                ItemKind::Ray => ray,
            },
        };
        let items = root.items_within(setup, AHEAD + LONGEST);
        Harvest {
            prizes: items.map(make_prize).collect(),
        }
    }

    /// What the first seat will gather more than the second, in cells: an item counts for the side
    /// that is nearer by two steps or more, else for both, and the less the farther it is. An item
    /// that will appear on a snake is the snake's.
    ///
    /// # Arguments
    /// `blocked`: cells with a wall or a body of this position.
    pub fn first_lead(&self, setup: &Setup, position: &Position, blocked: &Board) -> f32 {
        let (round, last) = (position.round(), setup.max_round());
        let lying = position.lying_ages();
        let mut sum = 0.0;
        for prize in &self.prizes {
            let counts = match round.checked_sub(prize.time) {
                None => prize.time <= (round + AHEAD).min(last),
                // Not by its cell: another one may lie there since.
                Some(age) => age < LIFETIME && lying >> age & 1 != 0,
            };
            if !counts {
                continue;
            }
            let worth = prize.worth.min(f32::from(last.saturating_sub(round)));
            let mut detour = 0;
            if blocked.has(prize.cell) {
                if position.bodies().has(prize.cell) {
                    sum += worth * first_share_under_body(position, prize);
                    continue;
                }
                detour = DETOUR;
            }
            let until = u32::from(prize.time + LIFETIME - round);
            let [first, second] = Seat::BOTH
                .map(|seat| distance_from(position, seat, prize.cell).saturating_add(detour));
            if first > until && second > until {
                continue;
            }
            let faded = |distance: u32| worth / distance.max(NEAR) as f32;
            if first.saturating_add(1) < second {
                sum += faded(first);
            } else if second.saturating_add(1) < first {
                sum -= faded(second);
            } else {
                sum += faded(first) - faded(second);
            }
        }
        sum
    }
}

/// The share of a coming item that counts for the first seat, less that of the second, as a body
/// lies where it will appear.
fn first_share_under_body(position: &Position, prize: &Prize) -> f32 {
    let (seat, stay) = position.covering_side(prize.cell);
    let share = if stay > prize.time.saturating_sub(position.round()) {
        1.0
    } else {
        LEFT_TOO_EARLY
    };
    match seat {
        Seat::First => share,
        Seat::Second => -share,
    }
}

/// Steps from the nearest head of a side, over whatever lies between; [`u32::MAX`] without a snake.
fn distance_from(position: &Position, seat: Seat, cell: Cell) -> u32 {
    let steps = |head: Cell| {
        u32::from(head.x().abs_diff(cell.x())) + u32::from(head.y().abs_diff(cell.y()))
    };
    let heads = position.snakes(seat).iter().map(|snake| snake.head);
    heads.map(steps).min().unwrap_or(u32::MAX)
}
