//! The text protocol (R9): a header with the map, then every round the knowledge of the side,
//! answered by five lines.

use std::fmt::Write;

use leitai_game::Replies;
use leitai_game::lang::{Message, say};
use leitai_game::{Framing, Perspective, Protocol, ProtocolInfo, Seat, Text};

use crate::orders::{Action, TankOrder, read_team};
use crate::position::Position;
use crate::setup::Setup;
use crate::tank::TEAM;
use crate::view::{SeenTank, View};

/// The protocol's entry in the game's list.
pub const INFO: ProtocolInfo<Position> = ProtocolInfo {
    name: "text",
    about: Text::new(
        "the text protocol: lines of words, one TEAM line at the start and five orders a round",
        "文本协议：开局一行 TEAM 选车，此后每回合五行指令",
    ),
    make: || Box::new(TextProtocol),
};

#[doc(hidden)] // For tests.
pub struct TextProtocol;

impl Protocol<Position> for TextProtocol {
    fn message_framing(&self, position: &Position) -> Framing {
        Framing::Lines(if position.round() == 0 { 1 } else { TEAM })
    }

    fn write_start(&mut self, setup: &Setup, _: &Position, seat: Seat) -> Vec<u8> {
        let side = if seat == Seat::First { "RED" } else { "BLUE" };
        let (goal, rounds, map) = (
            setup.goal(),
            setup.rounds(),
            setup.map().to_lines().join("\n"),
        );
        format!("TANKCRAFT 1\nSIDE {side}\nSIZE 21 21\nGOAL {goal}\nROUNDS {rounds}\nMAP\n{map}\n")
            .into_bytes()
    }

    fn write_question(&mut self, setup: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
        if position.round() == 0 {
            return b"CHOOSE\n".to_vec();
        }
        write_round(&View::new(setup, position, Perspective::Seat(seat))).into_bytes()
    }

    fn read(
        &mut self,
        _: &Setup,
        position: &Position,
        _: Seat,
        body: &[u8],
    ) -> Result<Action, Message> {
        if position.round() == 0 {
            parse_team(body)
        } else {
            parse_orders(body)
        }
    }

    fn write_step(&mut self, _: &Setup, _: &Position, _: Seat, _: &Replies<Position>) -> Vec<u8> {
        Vec::new()
    }

    fn write_end(&mut self, _: &Setup, position: &Position, seat: Seat) -> Vec<u8> {
        let Some(end) = position.end() else {
            return Vec::new();
        };
        let you = match end.winner {
            None => "DRAW",
            Some(winner) if winner == seat => "WIN",
            Some(_) => "LOSE",
        };
        let [red, blue] = Seat::BOTH.map(|seat| position.gold(seat));
        format!("END {you} {} {red} {blue}\n", end.cause.name()).into_bytes()
    }
}

/// Writes the message of a round for a side, from `ROUND` to `GO` (R9.4).
pub fn write_round(view: &View) -> String {
    let View {
        round,
        gold: [red, blue],
        kills: [red_kills, blue_kills],
        ..
    } = view;
    let mut out =
        format!("ROUND {round}\nGOLD {red} {blue}\nKILLS {red_kills} {blue_kills}\nTERRAIN\n");
    for line in view.terrain_lines() {
        out.push_str(&line);
        out.push('\n');
    }
    writeln!(out, "OWNERS {}", view.owner_letters()).expect("a String takes every text");
    for (number, tank) in view.tanks.iter().enumerate() {
        writeln!(out, "TANK {number} {}", tank_words(tank)).expect("a String takes every text");
    }
    out.push_str("GO\n");
    out
}

fn tank_words(tank: &SeenTank) -> String {
    let kind = tank.kind.map_or("-", |kind| kind.name());
    let or = |known: Option<u16>, otherwise: i32| known.map_or(otherwise, i32::from);
    let row = or(tank.cell.map(|cell| cell.row.into()), -2);
    let col = or(tank.cell.map(|cell| cell.col.into()), -2);
    let life = or(tank.life.map(u16::from), -1);
    let noharm = or(tank.noharm.map(u16::from), -1);
    format!("{kind} {row} {col} {life} {noharm} {}", or(tank.revive, -1))
}

fn parse_team(body: &[u8]) -> Result<Action, Message> {
    let line = split_lines(body).next().unwrap_or_default();
    read_team(line).map(Action::Team).ok_or_else(|| {
        let line = quote_line(line);
        say!("is no team ({line}); send TEAM and five of Striker, Pioneer, Sniper")
    })
}

fn parse_orders(body: &[u8]) -> Result<Action, Message> {
    let mut orders = [TankOrder::Unread; TEAM];
    let found = split_lines(body)
        .zip(&mut orders)
        .map(|(line, order)| *order = TankOrder::read(line))
        .count();
    if found < TEAM {
        return Err(say!(
            "has {found} lines; send {TEAM}, one for each of your tanks"
        ));
    }
    Ok(Action::Orders(orders))
}

/// The lines of a message; an LF after the last line begins no further line.
fn split_lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|byte| *byte == b'\n')
}

/// The beginning of a line, safe to print.
fn quote_line(line: &[u8]) -> String {
    let start = &line[..line.len().min(60)];
    format!("{:?}", String::from_utf8_lossy(start))
}
