//! The canonical state text (R10).
//!
//! The form before the teams are known is our own: `round` is 0, and a tank is `-,row,col,0,0,-1`
//! on its spawn. In a position made from a view, a tank that the side does not see is
//! `type,-2,-2,life,noharm,-1` with -1 for what it does not know, as in the protocol (R7.3).

use std::fmt;

use leitai_game::Seat;
use leitai_game::plain_text::PlainText;

use crate::map::{MINES, owner_code};
use crate::position::{GameEnd, Position};
use crate::setup::Setup;
use crate::tank::{Tank, TankType};

/// Writes the position as one line without an end of line.
pub fn write(setup: &Setup, position: &Position, out: &mut dyn fmt::Write) -> fmt::Result {
    let mut text = PlainText::new();
    text.number(position.round.into());
    for count in [Position::gold, Position::kills] {
        let [red, blue] = Seat::BOTH.map(|seat| count(position, seat) as i32);
        text.byte(b'|').number(red).byte(b',').number(blue);
    }
    let terrain = setup.terrain(&position.bricks);
    text.byte(b'|').bytes(terrain.as_flattened());
    text.byte(b'|').bytes(&owner_glyphs(position));
    for (number, tank) in position.tanks.iter().enumerate() {
        let before = if number > 0 { b';' } else { b'|' };
        write_tank(before, tank, position.round > 0, &mut text);
    }
    text.byte(b'|');
    match position.end {
        None => text.byte(b'-'),
        Some(end) => text.push(&end_code(end)),
    };
    text.write_to(out)
}

/// The owners of the mines as thirteen letters `R`, `B` or `N`.
pub fn write_owners(position: &Position) -> String {
    owner_glyphs(position).map(char::from).iter().collect()
}

fn owner_glyphs(position: &Position) -> [u8; MINES] {
    std::array::from_fn(|mine| b"NRB"[owner_code(position.owners, mine)])
}

fn write_tank(before: u8, tank: &Tank, known: bool, text: &mut PlainText) {
    let cell = [i32::from(tank.cell.row), i32::from(tank.cell.col)];
    let (place, rest) = match (known, tank.is_alive()) {
        (false, _) => (cell, [0, 0, -1]),
        (_, true) => (cell, [tank.life.into(), tank.noharm.into(), -1]),
        (_, false) if !tank.is_unseen() => (NOWHERE, [0, 0, tank.revive.into()]),
        (_, false) if tank.told == 0 => (NOWHERE, [-1, -1, -1]),
        (_, false) => (NOWHERE, [tank.told.into(), tank.noharm.into(), -1]),
    };
    let (mut name, length) = match (known, tank.kind) {
        (false, _) => (*b" -      ", 2),
        (true, TankType::Striker) => (*b" Striker", 8),
        (true, TankType::Pioneer) => (*b" Pioneer", 8),
        (true, TankType::Sniper) => (*b" Sniper ", 7),
    };
    name[0] = before;
    text.short(name, length);
    text.fields(b',', [place[0], place[1], rest[0], rest[1], rest[2]]);
}

/// The cell of a tank that is dead or not seen (R7.3).
const NOWHERE: [i32; 2] = [-2, -2];

fn end_code(end: GameEnd) -> String {
    let winner = match end.winner {
        None => 'D',
        Some(Seat::First) => 'R',
        Some(Seat::Second) => 'B',
    };
    format!("{winner}:{}", end.cause.name())
}
