//! Reads a file's text as parts of the right types and sizes.

use std::fmt::Display;

use leitai_game::InvalidSetup;
use leitai_game::lang::say;
use serde_json::{Map, Value};

use crate::board::SIDE;
use crate::items::{DRAWN_ROUNDS, Item};
use crate::official::compare::{check_agreement, show_value};
use crate::official::file::ListedItem;
use crate::position::MAX_SNAKES;
use crate::setup::{FaultScope, Setup};

/// The most bytes of an official file; real ones have less than 2 MB.
pub const MAX_BYTES: usize = 16 << 20;
/// The deepest nesting in the parts of a file that are stored unchanged.
pub const MAX_DEPTH: usize = 32;

/// A file whose parts have the right types and sizes.
pub struct OfficialFile {
    pub game_config: Value,
    pub items: Vec<Value>,
    pub rounds: Vec<Value>,
    pub turns: Vec<Vec<Value>>,
    pub end_info: Value,
    pub extra: Map<String, Value>,
}

impl OfficialFile {
    /// Reads a text; its content is not checked yet.
    pub fn read(text: &str) -> Result<OfficialFile, InvalidSetup> {
        if text.len() > MAX_BYTES {
            return Err(InvalidSetup(say!(
                "the file has {} bytes; at most {MAX_BYTES} are read",
                text.len()
            )));
        }
        let top: Result<Map<String, Value>, _> = serde_json::from_str(text);
        let mut top = top.map_err(|why| InvalidSetup(say!("not an official replay: {why}")))?;
        let rounds = usize::from(DRAWN_ROUNDS);
        let file = OfficialFile {
            game_config: take_object(&mut top, "game_config")?,
            items: take_list(&mut top, "item_list", rounds)?,
            rounds: take_list(&mut top, "round_info", rounds)?,
            turns: split_turns(take_list(&mut top, "operations", 2 * rounds)?)?,
            end_info: take_object(&mut top, "end_info")?,
            extra: top,
        };
        let kept = file
            .extra
            .values()
            .chain([&file.game_config, &file.end_info]);
        match kept.map(nesting_depth).max() {
            Some(depth) if depth > MAX_DEPTH => Err(InvalidSetup(say!(
                "nested {depth} deep; at most {MAX_DEPTH} is read"
            ))),
            _ => Ok(file),
        }
    }

    /// The setup of the file.
    pub fn setup(&self) -> Result<Setup, InvalidSetup> {
        let number = |key: &str| self.game_config.get(key).and_then(Value::as_i64);
        for key in ["length", "width"] {
            if number(key) != Some(SIDE.into()) {
                let found = show_value(self.game_config.get(key));
                return Err(InvalidSetup(say!(
                    "game_config: {key} is {found}; only {SIDE} is played"
                )));
            }
        }
        let max_round = number("max_round").and_then(|rounds| u16::try_from(rounds).ok());
        let max_round = max_round.ok_or_else(|| {
            let found = show_value(self.game_config.get("max_round"));
            InvalidSetup(say!(
                "game_config: max_round is {found}; 1 to {DRAWN_ROUNDS} are accepted"
            ))
        })?;
        let items = self.items.iter().enumerate().map(|(id, raw)| {
            read_item(raw).map_err(|why| InvalidSetup(say!("item_list, item {id}: {why}")))
        });
        Setup::new(
            max_round,
            FaultScope::Half,
            items.collect::<Result<_, _>>()?,
        )
    }
}

/// An error in a turn, counted from 0.
pub fn error_at(turn: usize, what: impl Display) -> InvalidSetup {
    InvalidSetup(say!("{}: {what}", name_turn(turn)))
}

/// The name of a turn.
pub fn name_turn(turn: usize) -> String {
    format!("round {}, player {}", turn / 2 + 1, turn % 2)
}

fn take_object(top: &mut Map<String, Value>, key: &str) -> Result<Value, InvalidSetup> {
    match top.remove(key) {
        Some(value @ Value::Object(_)) => Ok(value),
        other => Err(wrong_kind(key, "an object", other)),
    }
}

fn take_list(
    top: &mut Map<String, Value>,
    key: &str,
    most: usize,
) -> Result<Vec<Value>, InvalidSetup> {
    match top.remove(key) {
        Some(Value::Array(list)) if list.len() > most => Err(InvalidSetup(say!(
            "{key} has {} entries; at most {most} are read",
            list.len()
        ))),
        Some(Value::Array(list)) => Ok(list),
        other => Err(wrong_kind(key, "a list", other)),
    }
}

fn wrong_kind(key: &str, expected: &str, found: Option<Value>) -> InvalidSetup {
    InvalidSetup(say!(
        "not an official replay: {key} is {}, not {expected}",
        show_value(found.as_ref())
    ))
}

fn split_turns(raw: Vec<Value>) -> Result<Vec<Vec<Value>>, InvalidSetup> {
    let turn = |(turn, value)| match value {
        Value::Array(operations) if operations.len() <= MAX_SNAKES => Ok(operations),
        Value::Array(operations) => {
            let count = operations.len();
            Err(error_at(
                turn,
                format!("{count} operations are recorded; a side has at most {MAX_SNAKES} snakes"),
            ))
        }
        other => Err(error_at(
            turn,
            format!(
                "the operations are {}, not a list",
                show_value(Some(&other))
            ),
        )),
    };
    raw.into_iter().enumerate().map(turn).collect()
}

fn read_item(raw: &Value) -> Result<Item, String> {
    let mut numbers = [0; 5];
    for (number, key) in numbers.iter_mut().zip(["x", "y", "time", "type", "param"]) {
        let value = raw.get(key);
        *number = value
            .and_then(Value::as_i64)
            .ok_or_else(|| format!("{key} is {}, not a number", show_value(value)))?;
    }
    let item = Item::from_numbers(numbers)?;
    check_agreement(raw, &ListedItem::from(&item))?;
    Ok(item)
}

/// The nesting depth of a value; the JSON reader stops at 128.
fn nesting_depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(nesting_depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(nesting_depth).max().unwrap_or(0),
        _ => 0,
    }
}
