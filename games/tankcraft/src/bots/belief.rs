//! A full position from a side's view and its guess of the hidden part.

use leitai_game::{Rng, Seat};

use crate::cell::{Cell, Direction, Grid};
use crate::position::Position;
use crate::setup::{SIGHT, Setup};
use crate::tank::{TANKS, Tank, TankType, side_of, team_range};
use crate::view::{SeenTank, View};

/// The position with the enemies out of sight left out.
pub fn only_seen(setup: &Setup, view: &View) -> Position {
    let mut position = Position::start(setup);
    position.round = view.round;
    position.gold = view.gold;
    position.kills = view.kills;
    position.bricks = view.bricks;
    position.owners = view.owners;
    position.tanks = view
        .tanks
        .map(|tank| seen_tank(&tank).unwrap_or(absent_tank(&tank)));
    position
}

/// The view without the enemies that a seat overlooks. It notices those within this many
/// hundredths of a cell of one of its tanks; of those up to a cell farther it notices the share that
/// the distance leaves: at 350, every enemy three cells away and every second one at four.
pub fn overlook_far(view: &View, seat: Seat, notice: u16, rng: &mut Rng) -> View {
    if notice == u16::MAX {
        return *view;
    }
    let own: Vec<Cell> = view.tanks_on_map(seat).map(|(_, _, cell)| cell).collect();
    let mut left = *view;
    for told in &mut left.tanks[team_range(seat.other())] {
        let near = told
            .cell
            .map(|cell| own.iter().map(move |own| own.distance(cell)));
        let Some(distance) = near.and_then(Iterator::min) else {
            continue;
        };
        let missing = (100 * u16::from(distance)).saturating_sub(notice);
        if missing > 0 && draw_hundredth(rng) < u64::from(missing) {
            *told = SeenTank {
                kind: told.kind,
                cell: None,
                life: None,
                noharm: None,
                revive: None,
            };
        }
    }
    left
}

/// A number below 100. Its tens are what a draw of tenths was on the scale of 2026.1, so that its
/// levels play on as they did.
fn draw_hundredth(rng: &mut Rng) -> u64 {
    let draw = rng.next_u64();
    draw % 10 * 10 + draw / 10 % 10
}

/// The tank in the view, if it is a friend or in sight.
fn seen_tank(tank: &SeenTank) -> Option<Tank> {
    let kind = tank.kind?;
    match (tank.cell, tank.life, tank.noharm, tank.revive) {
        (Some(cell), Some(life), Some(noharm), _) => Some(Tank {
            life,
            noharm,
            ..Tank::new_tank(kind, cell)
        }),
        (None, Some(0), _, Some(round)) => Some(Tank::dead_tank(kind, round)),
        _ => None,
    }
}

/// Left out, and not to come back while anybody looks ahead.
fn absent_tank(tank: &SeenTank) -> Tank {
    Tank::unseen_tank(tank.kind.unwrap_or(TankType::Striker), None, None)
}

/// The position as the view and an earlier guess of it (made for this round) have it together: what
/// is seen is taken from the view, an enemy that is not seen stands where it was guessed, or near
/// there where it cannot be seen.
pub fn merge_view(setup: &Setup, view: &View, guess: &Position) -> Position {
    let seat = view.own_seat().unwrap_or(Seat::First);
    let mut position = only_seen(setup, view);
    let mut died = view.kills[seat.index()].saturating_sub(guess.kills[seat.index()]);
    let sight = sight_of(setup, &position, seat);
    for enemy in team_range(seat.other()) {
        if seen_tank(&view.tanks[enemy]).is_some() {
            continue;
        }
        let told = &view.tanks[enemy];
        let mut tank = correct_guess(&guess.tanks[enemy], told, setup.map().spawns[enemy]);
        if tank.is_alive() && sight.has(tank.cell) {
            // It is not where it was guessed: more kills than were guessed explain that, or it went
            // elsewhere.
            let hidden = Tank {
                cell: hide_tank(setup, tank.cell, &sight, seat),
                ..tank
            };
            let may_be_dead = told.life.is_none() && died > 0;
            tank = if may_be_dead {
                Tank::dead_tank(tank.kind, view.round + 1)
            } else {
                hidden
            };
            died = died.saturating_sub(u32::from(may_be_dead));
        }
        position.tanks[enemy] = tank;
    }
    position
}

/// The guess of a tank whose cell is not seen, with what is known of it all the same: the SDK's fog
/// tells its HP. A tank that was guessed dead and is not has no cell to go on with; it last came
/// from its spawn.
fn correct_guess(guess: &Tank, told: &SeenTank, spawn: Cell) -> Tank {
    let kind = told.kind.unwrap_or(guess.kind);
    let Some(life) = told.life else {
        return Tank { kind, ..*guess };
    };
    let noharm = told.noharm.unwrap_or(guess.noharm);
    let cell = if guess.is_alive() { guess.cell } else { spawn };
    Tank {
        life,
        noharm,
        ..Tank::new_tank(kind, cell)
    }
}

/// The nearest cell a tank can have gone to that is not in sight.
fn hide_tank(setup: &Setup, from: Cell, sight: &Grid, seat: Seat) -> Cell {
    let open = Grid::MAP & !setup.map().stone;
    let mut reached = Grid::from_cells([from]);
    loop {
        let hidden = (reached & !*sight).cells();
        // Half a turn turns the first cell in red's order into the first in blue's.
        let first = if seat == Seat::First {
            hidden.min()
        } else {
            hidden.max()
        };
        if let Some(cell) = first {
            return cell;
        }
        let more = reached.with_neighbours() & open;
        if more == reached {
            return from; // Everything is in sight; the guess is as good as any other.
        }
        reached = more;
    }
}

fn sight_of(setup: &Setup, position: &Position, seat: Seat) -> Grid {
    let mut sight = Grid::EMPTY;
    for mine in setup.map().mines {
        sight = sight | cells_around(mine, crate::setup::MINE_SIGHT);
    }
    let own = (0..TANKS)
        .filter(|tank| side_of(*tank) == seat)
        .map(|tank| position.tanks[tank]);
    own.filter(Tank::is_alive)
        .fold(sight, |sight, tank| sight | cells_around(tank.cell, SIGHT))
}

/// All cells within a distance, faster than [`Grid::cells_within`].
fn cells_around(cell: Cell, distance: u8) -> Grid {
    (0..distance).fold(Grid::from_cells([cell]), |grid, _| grid.with_neighbours())
}

/// The position of round 1 as every side can guess it: the enemies stand on their spawns (R2.4).
pub fn guess_opening(setup: &Setup, view: &View) -> Position {
    let mut position = only_seen(setup, view);
    for (number, tank) in position.tanks.iter_mut().enumerate() {
        let told = &view.tanks[number];
        if seen_tank(told).is_none() {
            *tank = Tank::new_tank(tank.kind, setup.map().spawns[number]);
            tank.life = told.life.unwrap_or(tank.life);
        }
    }
    position
}

/// Every direction that does not lead into stone.
pub fn open_ways(setup: &Setup, cell: Cell) -> impl Iterator<Item = Direction> {
    let stone = setup.map().stone;
    Direction::ALL
        .into_iter()
        .filter(move |direction| !stone.has(cell.next(*direction)))
}
