//! The parts of the file, field by field, as the judge writes them. `-1` means "none".

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::action::Action;
use crate::board::Cell;
use crate::items::Item;

/// The format's name in replays and on the command line.
pub const NAME: &str = "official";

/// An entry of `item_list`; its id is its index.
#[derive(Serialize)]
pub struct ListedItem {
    x: u8,
    y: u8,
    time: u16,
    r#type: u8,
    param: u16,
}

impl From<&Item> for ListedItem {
    fn from(item: &Item) -> ListedItem {
        let Item {
            cell,
            time,
            kind,
            param,
        } = *item;
        ListedItem {
            x: cell.x(),
            y: cell.y(),
            time,
            r#type: kind.number(),
            param,
        }
    }
}

/// The events before a round's first turn. At most one item appears in a round, so each list names
/// at most one snake, and the judge's order of snakes does not matter.
#[derive(Default, Serialize)]
pub struct RoundInfo {
    /// Items of any type that appeared on a snake.
    pub gotten_item: Vec<TakenItem>,
    /// Items that vanished.
    pub expired_item: Vec<TakenItem>,
    /// Always empty.
    pub invalid_item: [u8; 0],
    /// Snakes whose length bank changed.
    pub extra_length: Vec<BankChange>,
}

/// An item and the snake that took it, -1 for none.
#[derive(Serialize)]
pub struct TakenItem {
    pub item: u16,
    pub snake: i32,
}

/// A snake and its new length bank.
#[derive(Serialize)]
pub struct BankChange {
    pub snake: u16,
    pub el: u16,
}

/// An operation of a snake, and its consequences.
#[derive(Serialize)]
pub struct Operation {
    pub basic: BasicOperation,
    /// The mover first, then the enclosed snakes in the order in which the judge visits the area.
    pub dead_snake: Vec<u16>,
    pub should_solid: bool,
    /// Loop and enclosed area, by x, then y.
    pub extra_solid_area: Vec<OfficialCell>,
    pub got_item: i32,
    /// The length bank of the acting snake after the operation; 0 if it died.
    pub extra_length: u16,
    pub new_snake_id: i32,
}

/// The action of a snake.
#[derive(Serialize)]
pub struct BasicOperation {
    r#type: u8,
    snake: u16,
    direction: i8,
    item_id: i32,
}

const MOVE: u8 = 1;
const RAY: u8 = 2;
const SPLIT: u8 = 3;

impl BasicOperation {
    /// The action of this snake, which holds this ray.
    pub fn new(action: Action, snake: u16, ray: Option<u16>) -> BasicOperation {
        let none = BasicOperation {
            r#type: MOVE,
            snake,
            direction: -1,
            item_id: -1,
        };
        match action {
            Action::Ray => BasicOperation {
                r#type: RAY,
                item_id: ray.map_or(-1, i32::from),
                ..none
            },
            Action::Split => BasicOperation {
                r#type: SPLIT,
                ..none
            },
            moving => BasicOperation {
                direction: moving.number() as i8 - 1,
                ..none
            },
        }
    }

    /// The action that a recorded operation names.
    pub fn read(operation: &Value) -> Result<Action, String> {
        let number = |key: &str| operation.get("basic")?.get(key)?.as_i64();
        match (number("type"), number("direction")) {
            (Some(1), Some(direction @ 0..=3)) => Ok(Action::ALL[direction as usize]),
            (Some(2), _) => Ok(Action::Ray),
            (Some(3), _) => Ok(Action::Split),
            _ => Err(
                "basic names no action; type 1 with direction 0 to 3, type 2 and type 3 are known"
                    .into(),
            ),
        }
    }
}

#[derive(Serialize)]
pub struct OfficialCell {
    x: u8,
    y: u8,
}

impl From<Cell> for OfficialCell {
    fn from(cell: Cell) -> OfficialCell {
        OfficialCell {
            x: cell.x(),
            y: cell.y(),
        }
    }
}

/// The data that an import stores, in [`leitai_game::Replay::origin`].
#[derive(Serialize, Deserialize)]
pub struct ImportOrigin {
    /// Always `official`.
    pub format: String,
    /// The judge's configuration.
    pub game_config: Value,
    /// The judge's description of the end.
    pub end_info: Value,
    /// Keys that the format does not know.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// The recorded extent of an aborted half.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<TruncatedHalf>,
}

/// The recorded extent of an aborted half. The replies alone do not tell it, because our engine
/// plays empty turns at once.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct TruncatedHalf {
    /// Turns in `operations`.
    pub turns: usize,
    /// Rounds in `round_info`.
    pub rounds: usize,
}
