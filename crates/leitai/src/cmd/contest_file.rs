//! The file that a command about contests reads.

use std::path::Path;

use leitai_contest::file::{Contest, Games, check_contest};
use leitai_contest::problem::Problem;
use leitai_game::GameSet;
use serde_json::json;

use crate::files::{self, print_stdout};
use crate::game_files;
use crate::lang::{Localizer, catalogue};

/// The contest of a file and its text. If the file is not valid, everything that is wrong with it is
/// printed, and there is none.
pub fn read_file(
    lang: Localizer,
    path: &Path,
    json: bool,
) -> anyhow::Result<Option<(Contest, String)>> {
    let text = files::read(path)?;
    let games = Games::new(games_for(&text)?.0, catalogue().clone());
    match check_contest(&text, &games) {
        Ok(contest) => return Ok(Some((contest, text))),
        Err(problems) if json => print_stdout(&format!("{}\n", json!({"problems": problems})))?,
        Err(problems) => print_problems(lang, path, &problems),
    }
    Ok(None)
}

/// The id and the text of a contest file for an arena. Only the arena knows a game that is not at
/// hand here, so it checks such a file.
pub fn read_for_arena(
    lang: Localizer,
    path: &Path,
    json: bool,
) -> anyhow::Result<Option<(String, String)>> {
    let text = files::read(path)?;
    let (_, is_at_hand) = games_for(&text)?;
    match word_of(&text, "id").filter(|_| !is_at_hand) {
        Some(id) => Ok(Some((id, text))),
        None => Ok(read_file(lang, path, json)?.map(|(contest, text)| (contest.id, text))),
    }
}

/// Leitai's games and the game file that the contest names, and whether its game is among them.
fn games_for(text: &str) -> anyhow::Result<(GameSet, bool)> {
    let games = GameSet::from(leitai_games::ALL);
    let Some(id) = word_of(text, "game").filter(|id| games.find(id).is_none()) else {
        return Ok((games, true));
    };
    let found = game_files::find(&id)?.filter(|game| game.meta().id == id);
    let is_at_hand = found.is_some();
    if let Some(game) = found {
        games.put(game);
    }
    Ok((games, is_at_hand))
}

/// A text of a file that may be wrong elsewhere.
fn word_of(text: &str, key: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    Some(table.get(key)?.as_str()?.to_owned())
}

/// Prints problems to stderr, one a line, with the file's name before the line's number.
fn print_problems(lang: Localizer, path: &Path, problems: &[Problem]) {
    for problem in problems {
        let line = problem.to_line(lang.lang());
        files::print_stderr(&format!("{}:{line}", path.display()));
    }
    let count = lang.fill_count("{} problem", "{} problems", problems.len());
    files::print_stderr(&format!("{}: {count}", path.display()));
}
