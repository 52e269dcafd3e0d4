//! The last round of a leg, solved exactly while no shot can be fired.

use leitai_game::Seat;

use crate::cell::Direction;
use crate::orders::TankOrder;
use crate::position::Position;
use crate::rules::join_orders;
use crate::setup::Setup;
use crate::tank::{TEAM, team_range};

/// Enemies farther apart than this neither hit nor meet each other in one round.
const APART: u8 = 8;

/// What orders of the last round lead to: 1 a win, 0.5 a draw, 0 a loss, whatever the enemy does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastRound {
    /// The best orders.
    pub best_orders: [TankOrder; TEAM],
    /// What they lead to.
    pub best: f64,
    /// What the orders that were given lead to.
    pub played: f64,
}

/// Solves the last round for a seat that gave these orders. `None` before the last round, and
/// where enemies are so near that shots and meetings count.
pub fn solve_last_round(
    setup: &Setup,
    position: &Position,
    seat: Seat,
    played: [TankOrder; TEAM],
) -> Option<LastRound> {
    if position.end().is_some() || position.round() != setup.rounds() || !is_apart(position) {
        return None;
    }
    let enemy = list_captures(setup, position, seat.other());
    let value = |orders| {
        let values = enemy
            .iter()
            .map(|other| play_last(setup, position, seat, orders, *other));
        values.fold(1.0, f64::min)
    };
    let mut found = LastRound {
        best_orders: played,
        best: value(played),
        played: value(played),
    };
    for orders in list_captures(setup, position, seat) {
        let worth = value(orders);
        if worth > found.best {
            (found.best_orders, found.best) = (orders, worth);
        }
    }
    Some(found)
}

fn is_apart(position: &Position) -> bool {
    let living = |seat| {
        let tanks = position.tanks()[team_range(seat)].iter();
        tanks.filter(|tank| tank.is_alive())
    };
    living(Seat::First)
        .all(|one| living(Seat::Second).all(|other| one.cell.distance(other.cell) > APART))
}

/// All orders of a side that differ in the mines that are entered. What else its tanks do changes
/// no resource in the last round.
fn list_captures(setup: &Setup, position: &Position, seat: Seat) -> Vec<[TankOrder; TEAM]> {
    let mut all = vec![[TankOrder::Stop; TEAM]];
    for (place, tank) in position.tanks()[team_range(seat)].iter().enumerate() {
        if !tank.is_alive() {
            continue;
        }
        let enters = |way: &Direction| {
            let mine = setup.mine_at(tank.cell.next(*way));
            mine.is_some_and(|mine| position.owner(mine) != Some(seat))
        };
        let ways: Vec<Direction> = Direction::ALL.into_iter().filter(enters).collect();
        let before = all.clone();
        for way in ways {
            all.extend(before.iter().map(|orders| {
                let mut orders = *orders;
                orders[place] = TankOrder::Go(way);
                orders
            }));
        }
    }
    all
}

fn play_last(
    setup: &Setup,
    position: &Position,
    seat: Seat,
    own: [TankOrder; TEAM],
    other: [TankOrder; TEAM],
) -> f64 {
    let mut after = *position;
    let orders = match seat {
        Seat::First => join_orders(own, other),
        Seat::Second => join_orders(other, own),
    };
    after.play_round(setup, &orders, &mut ());
    match after.end().and_then(|end| end.winner) {
        None => 0.5,
        Some(winner) if winner == seat => 1.0,
        Some(_) => 0.0,
    }
}
