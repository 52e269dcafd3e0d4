//! Tests of `options`.

use leitai_game::Seat;
use leitai_game::{BySeat, Game, Perspective};
use leitai_tankcraft::cell::{Cell, Direction};
use leitai_tankcraft::options::*;
use leitai_tankcraft::orders::TankOrder;
use leitai_tankcraft::position::Position;
use leitai_tankcraft::setup::{Config, MapName, MapSource, Setup};
use leitai_tankcraft::tank::Tank;
use leitai_tankcraft::tank::TankType;
use leitai_tankcraft::view::View;
use serde_json::{Value, json};

fn setup() -> Setup {
    let config = Config {
        map: MapSource::Named(MapName::Crossroads),
        ..Config::default()
    };
    Setup::deal(&config, 0).expect("built in")
}

/// Round 1 of a leg of Strikers against Pioneers.
fn moment(setup: &Setup) -> Position {
    let mut position = Position::start(setup);
    position.choose_teams(
        setup,
        BySeat::new([TankType::Striker; 5], [TankType::Pioneer; 5]),
        &mut (),
    );
    position
}

fn first(setup: &Setup, position: &Position) -> Value {
    list_options(
        &View::new(setup, position, Perspective::Seat(Seat::First)),
        Seat::First,
    )
}

#[test]
fn before_round_1_the_options_are_types_with_their_numbers() {
    let setup = setup();
    let shown = first(&setup, &Position::start(&setup));
    assert_eq!(shown["choose"], "team");
    assert_eq!(
        shown["types"][2],
        json!({"type": "Sniper", "attack": 1, "life": 2, "range": 5})
    );
    assert_eq!(shown["tanks"], json!([0, 1, 2, 3, 4]));
}

/// The move of tank 0 with this HP from a cell in this direction.
#[track_caller]
fn check(at: (u8, u8), life: u8, direction: Direction, legal: bool, why: Option<&str>) {
    let setup = setup();
    let mut position = moment(&setup);
    position.tanks[0] = Tank {
        life,
        ..Tank::new_tank(TankType::Striker, Cell::new(at.0, at.1))
    };
    position.tanks[1].cell = Cell::new(11, 11);
    let shown = first(&setup, &position);
    let way = &shown["tanks"][0]["go"][direction as usize];
    assert_eq!(
        (way["legal"].as_bool(), way["why"]["en"].as_str()),
        (Some(legal), why),
        "{way}"
    );
    assert_eq!(way["order"], TankOrder::Go(direction).notation());
}

#[test]
fn every_move_names_its_obstacle() {
    let setup = setup();
    let find = |glyph: char| {
        let lines = View::new(&setup, &moment(&setup), Perspective::All).terrain_lines();
        // The cell is not on the right edge, so that the tank can come from its left.
        let cell = Cell::all().find(|c| {
            c.col > 1 && lines[c.row as usize - 1].chars().nth(c.col as usize - 1) == Some(glyph)
        });
        cell.map(|c| (c.row, c.col - 1)).expect("the map has one")
    };
    let friend = "your tank 1 stands there: this one goes only if it leaves";
    let (up, right) = (Direction::Up, Direction::Right);
    for (at, life, direction, legal, why) in [
        ((1, 1), 3, up, false, "the edge of the map kills"),
        (find('#'), 3, right, false, "stone kills"),
        (
            find('2'),
            3,
            right,
            true,
            "through a brick with 2 HP: 1 HP left",
        ),
        (
            find('2'),
            2,
            right,
            true,
            "a brick with 2 HP: the tank dies on it",
        ),
        ((12, 11), 3, up, true, friend),
    ] {
        check(at, life, direction, legal, Some(why));
    }
}

#[test]
fn targets_are_the_diamond_on_the_map_and_the_dead_have_none() {
    let setup = setup();
    let mut position = moment(&setup);
    position.tanks[0].cell = Cell::new(11, 11);
    position.tanks[1].cell = Cell::new(1, 1);
    position.tanks[2] = Tank::dead_tank(TankType::Striker, 4);
    let tanks = &first(&setup, &position)["tanks"];
    let count = |tank: usize| tanks[tank]["targets"].as_array().map(Vec::len);
    assert_eq!(
        [count(0), count(1), count(2)],
        [Some(25), Some(10), Some(0)]
    );
    assert_eq!(
        (&tanks[2]["cell"], &tanks[2]["revive"], &tanks[2]["go"]),
        (&Value::Null, &json!(4), &json!([]))
    );
}

#[test]
fn every_offered_order_is_legal() {
    let (setup, position) = (setup(), moment(&setup()));
    for tank in first(&setup, &position)["tanks"]
        .as_array()
        .expect("five tanks")
    {
        for way in tank["go"].as_array().expect("four ways") {
            let text = format!(
                "{};STOP;STOP;STOP;STOP",
                way["order"].as_str().expect("a word")
            );
            assert!(Position::read_action(&text).is_some(), "{text}");
        }
    }
}
