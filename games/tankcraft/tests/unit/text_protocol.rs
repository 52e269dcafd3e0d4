//! Tests of `text_protocol`.

use leitai_game::{BySeat, Fault, Game};
use leitai_game::{Framing, Protocol, Seat};
use leitai_tankcraft::cell::Direction;
use leitai_tankcraft::orders::{Action, TankOrder};
use leitai_tankcraft::position::Position;
use leitai_tankcraft::setup::Setup;
use leitai_tankcraft::setup::{Config, MapName, MapSource};
use leitai_tankcraft::tank::TankType;
use leitai_tankcraft::text_protocol::*;

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
    assert!(
        read(b"STOP")
            .expect_err("no team")
            .to_string()
            .contains("\"STOP\"")
    );
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
