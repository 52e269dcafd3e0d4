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

const EDGE: Text = Text::new("the edge of the map kills", "越出地图会阵亡");
const STONE: Text = Text::new("stone kills", "撞上石头会阵亡");

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
