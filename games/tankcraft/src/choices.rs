//! The legal actions of a side: one of each kind, or random ones. Both are computed from a
//! [`View`], so they reveal nothing that the side does not see.

use leitai_game::{Rng, Seat};

use crate::cell::{Cell, Direction, Grid};
use crate::orders::{Action, TankOrder};
use crate::tank::{TEAM, TankType, team_range};
use crate::view::View;

/// Actions of every kind, since there are too many to list: before round 1 every mix of types; then
/// all STOP, every direction in which a tank can go without dying at once, and for every tank a
/// shot at each enemy in range and at a brick.
pub fn list_kinds(view: &View, seat: Seat, out: &mut Vec<Action>) {
    if view.round == 0 {
        return out.extend(list_mixes().map(Action::Team));
    }
    out.push(Action::Orders([TankOrder::Stop; TEAM]));
    for (tank, kind, cell) in view.tanks_on_map(seat) {
        let say = |order| {
            let mut orders = [TankOrder::Stop; TEAM];
            orders[tank - team_range(seat).start] = order;
            Action::Orders(orders)
        };
        out.extend(open_ways(&view.stone, cell).map(|direction| say(TankOrder::Go(direction))));
        out.extend(
            cells_in_range(view, seat, kind, cell).map(|target| say(TankOrder::fire_at(target))),
        );
    }
}

/// A random action: five types, or for every tank STOP, a move without dying at once, or a shot somewhere in
/// range.
pub fn random_action(view: &View, seat: Seat, rng: &mut Rng) -> Action {
    match view.round {
        0 => random_team(rng),
        _ => random_orders(&view.stone, view.tanks_on_map(seat), rng),
    }
}

/// Five random types.
pub(crate) fn random_team(rng: &mut Rng) -> Action {
    Action::Team([(); TEAM].map(|()| TankType::ALL[rng.next_below(TankType::ALL.len())]))
}

/// For every tank of a side (number, type, cell) STOP, a move without dying at once, or a shot
/// somewhere in range; each direction is as likely as STOP and as a shot.
pub(crate) fn random_orders(
    stone: &Grid,
    tanks: impl Iterator<Item = (usize, TankType, Cell)>,
    rng: &mut Rng,
) -> Action {
    let mut orders = [TankOrder::Stop; TEAM];
    for (tank, kind, cell) in tanks {
        orders[tank % TEAM] = match rng.next_below(2 + open_ways(stone, cell).count()) {
            0 => TankOrder::Stop,
            1 => random_shot(kind, cell, rng),
            n => open_ways(stone, cell)
                .nth(n - 2)
                .map_or(TankOrder::Stop, TankOrder::Go),
        };
    }
    Action::Orders(orders)
}

/// Every mix of five types, in the order of [`TankType::ALL`].
fn list_mixes() -> impl Iterator<Item = [TankType; TEAM]> {
    let bounds = (0..=TEAM).flat_map(|a| (a..=TEAM).map(move |b| (a, b)));
    bounds.map(|(a, b)| {
        std::array::from_fn(|n| TankType::ALL[usize::from(n >= a) + usize::from(n >= b)])
    })
}

/// Directions that do not lead into stone or off the map.
fn open_ways(stone: &Grid, cell: Cell) -> impl Iterator<Item = Direction> {
    Direction::ALL
        .into_iter()
        .filter(move |direction| !stone.has(cell.next(*direction)))
}

/// The visible enemies in range, and the first brick in range.
fn cells_in_range(
    view: &View,
    seat: Seat,
    kind: TankType,
    cell: Cell,
) -> impl Iterator<Item = Cell> {
    let near = move |target: &Cell| target.distance(cell) <= kind.range();
    let brick = view.bricks[0].cells().find(near);
    view.tanks_on_map(seat.other())
        .map(|(_, _, enemy)| enemy)
        .filter(near)
        .chain(brick)
}

fn random_shot(kind: TankType, cell: Cell, rng: &mut Rng) -> TankOrder {
    let range = i32::from(kind.range());
    // The own cell is a target, too, so the loop ends; a draw is inside the diamond about every
    // second time.
    loop {
        let mut offset = || rng.next_below(2 * range as usize + 1) as i32 - range;
        let (down, right) = (offset(), offset());
        let (row, col) = (i32::from(cell.row) + down, i32::from(cell.col) + right);
        if down.abs() + right.abs() <= range && Cell::on_map(row, col).is_some() {
            return TankOrder::Fire { row, col };
        }
    }
}
