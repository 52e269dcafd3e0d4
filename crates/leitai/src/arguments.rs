//! Resolves arguments of the command line; an unknown name gets the nearest one in its error.

use std::path::{Path, PathBuf};

use leitai_game::{AnyGame, GameHandle};
use leitai_series::EntrantRequest;
use serde_json::{Map, Value};

use crate::{files, game_files};

pub use leitai_series::{
    InvalidRequest as UsageError, invalid_request as usage_error, nearest_names as nearest,
    suggest_names as did_you_mean,
};

/// The exit status of invalid usage, as in clap, and of a file that is not what was asked for.
pub const MISUSED: u8 = 2;

/// The game with this id, or of the game file with this path.
pub fn find_game(id: &str) -> anyhow::Result<GameHandle> {
    if let Some(game) = leitai_games::find_game(id) {
        return Ok(game.into());
    }
    if let Some(game) = game_files::find(id)? {
        return Ok(game);
    }
    let ids = leitai_games::ALL.iter().map(|game| game.meta().id);
    Err(usage_error(format!(
        "there is no game {id:?}; {}",
        did_you_mean(id, ids, "leitai games")
    )))
}

/// The id under which an arena has a game that is named by its id, its file or its folder. One that only
/// the arena knows stays as it is.
pub fn id_at_arena(named: &str) -> String {
    find_game(named).map_or_else(|_| named.to_owned(), |game| game.meta().id.to_owned())
}

/// The game with this id, for what takes Leitai's games only.
pub fn find_arena_game(id: &str) -> anyhow::Result<GameHandle> {
    let game = find_game(id)?;
    if leitai_games::find_game(game.meta().id).is_none() {
        return Err(usage_error(format!(
            "{id} is a game file with which this arena was not started; name its folder with --games"
        )));
    }
    Ok(game)
}

/// The entrants of words.
pub fn read_entrants<W: AsRef<str>>(
    game: &dyn AnyGame,
    words: impl IntoIterator<Item = W>,
) -> anyhow::Result<Vec<EntrantRequest>> {
    let read = |word: W| EntrantRequest::parse(game, word.as_ref());
    words.into_iter().map(read).collect()
}

/// The file that an option names.
pub fn read_named_file(option: &str, file: &Path) -> anyhow::Result<String> {
    files::read(file).map_err(|why| usage_error(format!("{option}: {why:#}")))
}

/// The config from `KEY=VALUE` words.
pub fn read_config(game: &dyn AnyGame, words: &[String]) -> anyhow::Result<Value> {
    let choices = Value::Object(parse_choices(words)?);
    game.read_config(&choices)
        .map_err(|why| usage_error(format!("--config {}: {why}", words.join(" --config "))))
}

/// The choices of `KEY=VALUE` words.
pub fn parse_choices(words: &[String]) -> anyhow::Result<Map<String, Value>> {
    let mut choices = Map::new();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| usage_error(format!("--config {word}: write KEY=VALUE")))?;
        choices.insert(key.to_owned(), value_of(value)?);
    }
    Ok(choices)
}

/// The files that `KEY=VALUE` words name: maps, for instance.
pub fn config_files(words: &[String]) -> Vec<PathBuf> {
    let values = words.iter().filter_map(|word| word.split_once('='));
    let files = values.filter_map(|(_, value)| file_in(value));
    files.map(PathBuf::from).collect()
}

fn file_in(word: &str) -> Option<&str> {
    word.strip_prefix('@')
        .or_else(|| Some(word).filter(|word| is_path(word)))
}

/// A JSON value, the content of a file (JSON or any text), or the word itself.
fn value_of(word: &str) -> anyhow::Result<Value> {
    let file = file_in(word);
    if file.is_none() && is_file_name(word) {
        return Err(usage_error(format!(
            "there is no file {word}; look for it with ls, or write the value itself"
        )));
    }
    let text = match file {
        Some(path) => files::read(path.as_ref()).map_err(|why| usage_error(format!("{why:#}")))?,
        None => word.to_owned(),
    };
    Ok(parse_json(&text).unwrap_or(Value::String(text)))
}

/// The text as JSON, except numbers that would lose digits, such as those of a map.
fn parse_json(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    (!is_long_number(text.trim(), &value)).then_some(value)
}

fn is_long_number(text: &str, value: &Value) -> bool {
    const LONG: usize = 19;
    value.is_number() && text.len() > LONG && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether the word can only mean a file: no value of a config has a slash or one of these endings.
fn is_file_name(word: &str) -> bool {
    let ending = Path::new(word).extension();
    let is_known = ["csv", "json", "map", "txt"]
        .iter()
        .any(|known| ending.is_some_and(|ending| ending.eq_ignore_ascii_case(known)));
    parse_json(word).is_none() && (is_known || word.contains('/'))
}

/// Whether the word is written like a path and the file exists.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.']) && Path::new(word).is_file()
}

/// The given seed, or a random one.
pub fn choose_seed(asked: Option<u64>) -> u64 {
    asked.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        // Seeds of the official site are milliseconds since 1970, too.
        now.map_or(1, |now| now.as_millis() as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_a_map_are_not_a_number() {
        let check =
            |word: &str, expected: Value| assert_eq!(value_of(word).expect("no file"), expected);
        check("64", Value::from(64));
        check("-0.5", Value::from(-0.5));
        check(&"1".repeat(182), Value::from("1".repeat(182)));
        check(&"0".repeat(182), Value::from("0".repeat(182)));
        check("[1,2]", serde_json::json!([1, 2]));
        check("standard", Value::from("standard"));
        for word in ["no/such", "maps.txt", "@none"] {
            let why = value_of(word)
                .expect_err("there is no such file")
                .to_string();
            assert!(why.contains(word.trim_start_matches('@')), "{why}");
        }
    }

    #[test]
    fn config_words_are_checked() {
        let snakego = find_game("snakego").expect("it is in the list");
        let check = |words: &[&str], expected: Result<&str, &str>| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            match (read_config(&*snakego, &words), expected) {
                (Ok(value), Ok(part)) => assert!(value.to_string().contains(part), "{value}"),
                (Err(error), Err(part)) => {
                    assert!(format!("{error:#}").contains(part), "{error:#}")
                }
                (got, _) => panic!("{words:?}: {got:?}"),
            }
        };
        check(&["max_round=64"], Ok("\"max_round\":64"));
        check(&["items=first-edition"], Ok("first-edition"));
        check(&["items=[[6,6,1,0,3]]"], Ok("[6,6,1,0,3]"));
        check(
            &["max_round=-5"],
            Err("max_round is -5; a whole number from 0 to 65535"),
        );
        check(
            &["max_round=70000"],
            Err("max_round is 70000; a whole number"),
        );
        check(
            &["max_round=ten"],
            Err("max_round is \"ten\"; a whole number"),
        );
        check(&["max_rounds=64"], Err("max_rounds"));
        check(&["max_round"], Err("KEY=VALUE"));
        check(&["items=sometimes"], Err("official"));
    }
}
