//! From the words of the command line to the things they name, with the nearest name when there is none.

use std::path::Path;

use anyhow::{Context, bail};
use leitai_game::AnyGame;
use serde_json::{Map, Value};

use crate::files;

/// The game with this id.
pub fn game(id: &str) -> anyhow::Result<&'static dyn AnyGame> {
    if let Some(game) = leitai_games::find(id) {
        return Ok(game);
    }
    let ids = leitai_games::ALL.iter().map(|game| game.meta().id);
    bail!("there is no game {id:?}; {}", did_you_mean(id, ids, "leitai games"));
}

/// "did you mean X?", or where the list is.
pub fn did_you_mean<'a>(word: &str, known: impl Iterator<Item = &'a str>, list: &str) -> String {
    let mut near: Vec<(usize, &str)> = known
        .map(|name| (strsim::damerau_levenshtein(&word.to_lowercase(), name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 3)
        .collect();
    near.sort();
    let names: Vec<&str> = near.into_iter().take(3).map(|(_, name)| name).collect();
    match names.is_empty() {
        true => format!("`{list}` lists them"),
        false => format!("did you mean {}? (`{list}` lists all)", names.join(" or ")),
    }
}

/// The config from `KEY=VALUE` words.
pub fn config(game: &dyn AnyGame, words: &[String]) -> anyhow::Result<Value> {
    let choices = Value::Object(choices(words)?);
    game.config(&choices).with_context(|| format!("--config {}", words.join(" --config ")))
}

/// What `KEY=VALUE` words choose.
pub fn choices(words: &[String]) -> anyhow::Result<Map<String, Value>> {
    let mut choices = Map::new();
    for word in words {
        let (key, value) =
            word.split_once('=').with_context(|| format!("--config {word}: write KEY=VALUE"))?;
        choices.insert(key.to_owned(), value_of(value)?);
    }
    Ok(choices)
}

/// A JSON value, the content of a file (JSON or any text), or the word itself.
fn value_of(word: &str) -> anyhow::Result<Value> {
    let file = word.strip_prefix('@').or_else(|| Some(word).filter(|word| is_path(word)));
    let text = match file {
        Some(path) => files::read(path.as_ref())?,
        None => word.to_owned(),
    };
    Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)))
}

/// Whether the word is written like a path and there is such a file.
fn is_path(word: &str) -> bool {
    word.contains(['/', '.']) && Path::new(word).is_file()
}

/// A seed of the user's, or a new one.
pub fn seed(asked: Option<u64>) -> u64 {
    asked.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        // The official site's seeds are milliseconds since 1970, too.
        now.map_or(1, |now| now.as_millis() as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_offered() {
        let names = || ["random", "greedy", "territory"].into_iter();
        let check = |word: &str, part: &str| {
            let said = did_you_mean(word, names(), "leitai bots snakego");
            assert!(said.contains(part), "{word}: {said}");
        };
        check("gredy", "did you mean greedy?");
        check("Territory", "did you mean territory?");
        check("alphazero", "`leitai bots snakego` lists them");
    }

    #[test]
    fn config_words_are_checked() {
        let snakego = game("snakego").expect("it is in the list");
        let check = |words: &[&str], expected: Result<&str, &str>| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            match (config(snakego, &words), expected) {
                (Ok(value), Ok(part)) => assert!(value.to_string().contains(part), "{value}"),
                (Err(error), Err(part)) => assert!(format!("{error:#}").contains(part), "{error:#}"),
                (got, _) => panic!("{words:?}: {got:?}"),
            }
        };
        check(&["max_round=64"], Ok("\"max_round\":64"));
        check(&["items=first-edition"], Ok("first-edition"));
        check(&["items=[[6,6,1,0,3]]"], Ok("[6,6,1,0,3]"));
        check(&["max_rounds=64"], Err("max_rounds"));
        check(&["max_round"], Err("KEY=VALUE"));
        check(&["items=sometimes"], Err("official"));
    }
}
