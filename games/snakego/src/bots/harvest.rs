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
pub(crate) struct Harvest {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::setup::FaultScope;

    /// Lengths (x, y, round, cells) before the first action, when the heads are at (0, 15) and
    /// (15, 0).
    fn lead_of(lengths: &[(u8, u8, u16, u16)]) -> f32 {
        let item = |&(x, y, time, param): &(u8, u8, u16, u16)| Item {
            cell: Cell::new(x, y),
            time,
            kind: ItemKind::Length,
            param,
        };
        let items = lengths.iter().map(item).collect();
        let setup = Setup::new(100, FaultScope::Half, items).expect("the items are sound");
        let position = Position::start(&setup, &mut ());
        Harvest::new(&setup, &position, 3.0).first_lead(&setup, &position, &position.blocked())
    }

    #[test]
    fn an_item_is_the_nearer_side_s_and_fades_with_its_distance() {
        assert_eq!(lead_of(&[]), 0.0);
        assert_eq!(lead_of(&[(3, 15, 1, 4)]), 4.0 / 3.0);
        assert_eq!(lead_of(&[(15, 4, 1, 4)]), -1.0);
        assert_eq!(lead_of(&[(1, 15, 1, 4)]), 2.0);
        // As far from both.
        assert_eq!(lead_of(&[(8, 8, 1, 4)]), 0.0);
        assert_eq!(lead_of(&[(3, 15, 1, 4), (15, 4, 2, 4)]), 4.0 / 3.0 - 1.0);
    }

    #[test]
    fn items_of_the_next_20_rounds_count() {
        assert_eq!(lead_of(&[(3, 15, 21, 3)]), 1.0);
        assert_eq!(lead_of(&[(3, 15, 22, 3)]), 0.0);
    }

    /// The first item has vanished, and another one lies on its cell.
    #[test]
    fn an_item_that_lies_where_another_one_lay_counts_once() {
        let item = |time, param| Item {
            cell: Cell::new(3, 8),
            time,
            kind: ItemKind::Length,
            param,
        };
        let items = vec![item(1, 5), item(20, 7)];
        let setup = Setup::new(100, FaultScope::Half, items).expect("the items are sound");
        let mut position = Position::start(&setup, &mut ());
        let harvest = Harvest::new(&setup, &position, 3.0);
        while position.round() < 20 {
            let action = match (position.seat(), position.acting().head.x()) {
                (Seat::First, 15) => Action::Down,
                (Seat::First, _) => Action::Right,
                (Seat::Second, 0) => Action::Up,
                (Seat::Second, _) => Action::Left,
            };
            position.play_action(&setup, action, &mut ());
        }
        let heads = Seat::BOTH.map(|seat| position.snakes(seat)[0].head);
        assert_eq!(heads, [Cell::new(15, 11), Cell::new(0, 4)]);
        assert_eq!(
            harvest.first_lead(&setup, &position, &position.blocked()),
            -1.0
        );
    }

    #[test]
    fn an_item_that_will_appear_under_a_body_is_its_own() {
        // A snake of one cell will have left.
        assert_eq!(lead_of(&[(0, 15, 5, 3)]), 1.0);
        assert_eq!(lead_of(&[(15, 0, 5, 3)]), -1.0);
        // One that grows for ten rounds will not.
        assert_eq!(lead_of(&[(15, 0, 1, 10), (15, 0, 5, 3)]), -3.0);
        assert_eq!(lead_of(&[(15, 0, 1, 10), (15, 0, 12, 3)]), -1.0);
    }
}
