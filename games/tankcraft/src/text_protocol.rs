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
    about: Text {
        en: "the text protocol: lines of words, one TEAM line at the start and five orders a round",
        zh: "文本协议：开局一行 TEAM 选车，此后每回合五行指令",
    },
    make: || Box::new(TextProtocol),
};

struct TextProtocol;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Direction;
    use crate::setup::{Config, MapName, MapSource};
    use crate::tank::TankType;
    use leitai_game::{BySeat, Fault, Game};

    fn setup() -> Setup {
        let map = MapSource::Named(MapName::Crossroads);
        Setup::deal(
            &Config {
                map,
                ..Config::default()
            },
            0,
        )
        .expect("built in")
    }

    fn in_round_one(setup: &Setup) -> Position {
        let mut position = Position::start(setup);
        let teams = BySeat::new([TankType::Striker; 5], [TankType::Sniper; 5]);
        position.choose_teams(setup, teams, &mut ());
        position
    }

    #[test]
    fn r9_2_the_opening_has_these_lines() {
        let setup = setup();
        let position = Position::start(&setup);
        let hello = String::from_utf8(TextProtocol.write_start(&setup, &position, Seat::Second))
            .expect("ASCII");
        let lines: Vec<&str> = hello.lines().collect();
        assert_eq!(
            lines[..7],
            [
                "TANKCRAFT 1",
                "SIDE BLUE",
                "SIZE 21 21",
                "GOAL 1000",
                "ROUNDS 400",
                "MAP",
                "..A...B...C...D...E.."
            ]
        );
        assert_eq!((lines.len(), lines[26]), (27, "..J...I...H...G...F.."));
        assert_eq!(
            TextProtocol.write_question(&setup, &position, Seat::First),
            b"CHOOSE\n"
        );
        assert_eq!(TextProtocol.message_framing(&position), Framing::Lines(1));
    }

    #[test]
    fn r9_3_the_first_reply_is_a_team() {
        let setup = setup();
        let position = Position::start(&setup);
        let read = |body: &[u8]| TextProtocol.read(&setup, &position, Seat::First, body);
        let team = b"TEAM Striker Striker Pioneer Pioneer Sniper my bot\r\n";
        assert_eq!(
            read(team).map(Position::write_action).as_deref(),
            Ok("Team;Striker;Striker;Pioneer;Pioneer;Sniper")
        );
        assert!(read(b"STOP").expect_err("no team").to_string().contains("\"STOP\""));
        assert!(read(&[0xff; 5000]).expect_err("no team").to_string().len() < 400);
        assert!(read(b"").is_err());
    }

    #[test]
    fn r9_4_a_round_has_these_lines() {
        let setup = setup();
        let position = in_round_one(&setup);
        let text = String::from_utf8(TextProtocol.write_question(&setup, &position, Seat::First))
            .expect("ASCII");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..5],
            [
                "ROUND 1",
                "GOLD 0 0",
                "KILLS 0 0",
                "TERRAIN",
                "....................."
            ]
        );
        assert_eq!(
            lines[25..28],
            [
                "OWNERS RRRNNNNNNNBBB",
                "TANK 0 Striker 1 3 3 0 -1",
                "TANK 1 Striker 1 7 3 0 -1"
            ]
        );
        assert_eq!(
            lines[31..],
            [
                "TANK 5 Sniper -2 -2 -1 -1 -1",
                "TANK 6 Sniper -2 -2 -1 -1 -1",
                "TANK 7 Sniper -2 -2 -1 -1 -1",
                "TANK 8 Sniper -2 -2 -1 -1 -1",
                "TANK 9 Sniper -2 -2 -1 -1 -1",
                "GO"
            ]
        );
    }

    #[test]
    fn r9_5_a_reply_has_five_lines() {
        let setup = setup();
        let position = in_round_one(&setup);
        assert_eq!(TextProtocol.message_framing(&position), Framing::Lines(5));
        let read = |body: &[u8]| TextProtocol.read(&setup, &position, Seat::First, body);
        let up = TankOrder::Go(Direction::Up);
        let expected = Ok(Action::Orders([
            up,
            TankOrder::Unread,
            TankOrder::Stop,
            TankOrder::Unread,
            TankOrder::Unread,
        ]));
        assert_eq!(
            read(b"GOUP\nTEAM Striker\nSTOP\n\xff\n"),
            expected,
            "an empty last line counts"
        );
        assert_eq!(
            read(b"GOUP\r\nTEAM Striker\r\nSTOP\r\n\xff\r\n\r\n"),
            expected
        );
        assert!(
            read(b"GOUP\nSTOP")
                .expect_err("two lines")
                .to_string()
                .contains("has 2 lines")
        );
    }

    #[test]
    fn r9_7_the_end_has_these_lines() {
        let setup = setup();
        let mut position = in_round_one(&setup);
        assert_eq!(TextProtocol.write_end(&setup, &position, Seat::First), b"");
        position.gold = [7, 9];
        position.record_faults(BySeat::new(None, Some(Fault::Exited)));
        assert_eq!(
            TextProtocol.write_end(&setup, &position, Seat::First),
            b"END WIN forfeit 7 9\n"
        );
        assert_eq!(
            TextProtocol.write_end(&setup, &position, Seat::Second),
            b"END LOSE forfeit 7 9\n"
        );
    }
}
