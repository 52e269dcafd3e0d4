//! The canonical state text (R10).
//!
//! The form before the teams are known is our own: `round` is 0, and a tank is `-,row,col,0,0,-1`
//! on its spawn. In a position made from a view, a tank that the side does not see is
//! `type,-2,-2,life,noharm,-1` with -1 for what it does not know, as in the protocol (R7.3).

use std::fmt::{self, Write};

use leitai_game::Seat;

use crate::map::{owner_code, terrain_glyphs};
use crate::position::{GameEnd, Position};
use crate::setup::Setup;
use crate::tank::Tank;

/// Writes the position as one line without an end of line.
pub fn write(setup: &Setup, position: &Position, out: &mut dyn Write) -> fmt::Result {
    let by_seat = |f: fn(&Position, Seat) -> u32| Seat::BOTH.map(|seat| f(position, seat));
    let [gold, kills] = [by_seat(Position::gold), by_seat(Position::kills)];
    write!(
        out,
        "{}|{},{}|{},{}|",
        position.round, gold[0], gold[1], kills[0], kills[1]
    )?;
    for row in terrain_glyphs(&setup.map().stone, &position.bricks) {
        out.write_str(std::str::from_utf8(&row).expect("glyphs are ASCII"))?;
    }
    write!(out, "|{}|", write_owners(position))?;
    for (number, tank) in position.tanks.iter().enumerate() {
        out.write_str(if number > 0 { ";" } else { "" })?;
        write_tank(tank, position.round > 0, out)?;
    }
    match position.end {
        None => out.write_str("|-"),
        Some(end) => write!(out, "|{}", end_code(end)),
    }
}

/// The owners of the mines as thirteen letters `R`, `B` or `N`.
pub fn write_owners(position: &Position) -> String {
    (0..crate::map::MINES)
        .map(|mine| ['N', 'R', 'B'][owner_code(position.owners, mine)])
        .collect()
}

fn write_tank(tank: &Tank, known: bool, out: &mut dyn Write) -> fmt::Result {
    let Tank {
        cell,
        life,
        noharm,
        revive,
        ..
    } = tank;
    match (known, tank.is_alive()) {
        (false, _) => write!(out, "-,{},{},0,0,-1", cell.row, cell.col),
        (_, true) => write!(
            out,
            "{},{},{},{life},{noharm},-1",
            tank.kind.name(),
            cell.row,
            cell.col
        ),
        (_, false) if tank.is_unseen() => match tank.told {
            0 => write!(out, "{},-2,-2,-1,-1,-1", tank.kind.name()),
            told => write!(out, "{},-2,-2,{told},{noharm},-1", tank.kind.name()),
        },
        (_, false) => write!(out, "{},-2,-2,0,0,{revive}", tank.kind.name()),
    }
}

fn end_code(end: GameEnd) -> String {
    let winner = match end.winner {
        None => 'D',
        Some(Seat::First) => 'R',
        Some(Seat::Second) => 'B',
    };
    format!("{winner}:{}", end.cause.name())
}
