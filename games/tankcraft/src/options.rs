//! The options of a person on the game's own page. They are computed from a [`View`], so they
//! reveal nothing that the side does not see.
//!
//! ```json
//! {"choose": "team", "types": [{"type": "Striker", "attack": 2, "life": 3, "range": 3}], "tanks": [0, 1, 2, 3, 4]}
//! {"choose": "orders", "tanks": [
//!   {"id": 0, "type": "Sniper", "cell": [5, 7], "life": 2, "range": 5, "revive": null,
//!    "go": [{"order": "GOUP", "cell": [4, 7], "legal": true, "why": null}], "targets": [[1, 6], [1, 7]]}]}
//! ```
//!
//! `go` lists all four directions. A move into stone or off the map kills at once; no rule forbids
//! it, but nobody wants it: the page treats it as illegal, and `why` names the obstacle. A legal
//! move can have a `why`, too: its cost.

use leitai_game::lang::Catalogue;
use leitai_game::{LocalizedText, Seat, Text};
use serde::Serialize;
use serde_json::{Value, json};

use crate::cell::{Cell, Direction};
use crate::messages::MESSAGES;
use crate::orders::TankOrder;
use crate::tank::{TankType, team_range};
use crate::view::{SeenTank, View};

/// The current options as JSON.
pub fn list_options(view: &View, seat: Seat) -> Value {
    match view.round {
        0 => {
            json!({"choose": "team", "types": TankType::ALL.map(type_numbers), "tanks": team_range(seat).collect::<Vec<_>>()})
        }
        _ => {
            json!({"choose": "orders", "tanks": team_range(seat).map(|id| tank_options(view, id)).collect::<Vec<_>>()})
        }
    }
}

fn type_numbers(kind: TankType) -> Value {
    json!({"type": kind, "attack": kind.attack(), "life": kind.life(), "range": kind.range()})
}

fn tank_options(view: &View, id: usize) -> Value {
    let SeenTank {
        kind,
        cell,
        life,
        revive,
        ..
    } = view.tanks[id];
    let ways = |cell| Direction::ALL.map(|direction| move_option(view, id, cell, direction));
    let range = kind.map(TankType::range);
    json!({
        "id": id, "type": kind, "cell": cell, "life": life, "revive": revive, "range": range,
        "go": cell.map_or(Vec::new(), |cell| ways(cell).into()),
        "targets": cell.zip(range).map_or(Vec::new(), |(cell, range)| cells_in_range(cell, range)),
    })
}

/// Every cell of the map in range (R3.1), including the own one (R5.1b).
fn cells_in_range(from: Cell, range: u8) -> Vec<Cell> {
    Cell::all()
        .filter(|cell| cell.distance(from) <= range)
        .collect()
}

/// A move of a tank.
#[derive(Debug, PartialEq, Serialize)]
struct MoveOption {
    order: String,
    cell: Cell,
    legal: bool,
    why: Option<LocalizedText>,
}

const EDGE: Text = Text {
    en: "the edge of the map kills",
    zh: "越出地图会阵亡",
};
const STONE: Text = Text {
    en: "stone kills",
    zh: "撞上石头会阵亡",
};

fn move_option(view: &View, id: usize, from: Cell, direction: Direction) -> MoveOption {
    let cell = from.next(direction);
    let deadly = deadly_ground(view, cell);
    let why = deadly
        .map(LocalizedText::from)
        .or_else(|| describe_brick(view, id, cell))
        .or_else(|| describe_friend(view, id, cell));
    MoveOption {
        order: TankOrder::Go(direction).notation(),
        cell,
        legal: deadly.is_none(),
        why,
    }
}

/// Why a tank that moves onto this cell dies whatever its HP is (R5.3a); `None` if it does not.
pub fn deadly_ground(view: &View, cell: Cell) -> Option<Text> {
    if Cell::on_map(cell.row.into(), cell.col.into()).is_none() {
        return Some(EDGE);
    }
    view.stone.has(cell).then_some(STONE)
}

/// The cost of a brick (R5.3b).
fn describe_brick(view: &View, id: usize, cell: Cell) -> Option<LocalizedText> {
    let brick = view.brick(cell);
    let left = view.tanks[id].life?.saturating_sub(brick);
    (brick > 0).then(|| match left {
        0 => in_both(format!("a brick with {brick} HP: the tank dies on it")),
        _ => in_both(format!("through a brick with {brick} HP: {left} HP left")),
    })
}

/// A friend in the way (R5.2c).
fn describe_friend(view: &View, id: usize, cell: Cell) -> Option<LocalizedText> {
    let side = crate::tank::side_of(id);
    let (other, ..) = view
        .tanks_on_map(side)
        .find(|(other, _, at)| *other != id && *at == cell)?;
    Some(in_both(format!(
        "your tank {other} stands there: this one goes only if it leaves"
    )))
}

fn in_both(message: String) -> LocalizedText {
    Catalogue::new([&MESSAGES]).write_both(|lang| lang.say(&message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::setup::{Config, MapName, MapSource, Setup};
    use crate::tank::Tank;
    use leitai_game::{BySeat, Game, Perspective};

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
                c.col > 1
                    && lines[c.row as usize - 1].chars().nth(c.col as usize - 1) == Some(glyph)
            });
            cell.map(|c| (c.row, c.col - 1)).expect("the map has one")
        };
        check(
            (1, 1),
            3,
            Direction::Up,
            false,
            Some("the edge of the map kills"),
        );
        check(find('#'), 3, Direction::Right, false, Some("stone kills"));
        check(
            find('2'),
            3,
            Direction::Right,
            true,
            Some("through a brick with 2 HP: 1 HP left"),
        );
        check(
            find('2'),
            2,
            Direction::Right,
            true,
            Some("a brick with 2 HP: the tank dies on it"),
        );
        check(
            (12, 11),
            3,
            Direction::Up,
            true,
            Some("your tank 1 stands there: this one goes only if it leaves"),
        );
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
}
