//! The file that a command about contests reads.

use leitai_contest::file::{Contest, Games, check_contest};
use leitai_contest::problem::Problem;
use leitai_contest::situations::is_file_name;
use leitai_game::GameSet;
use leitai_series::regression::SituationPack;

use crate::files;
use crate::game_files;
use crate::lang::catalogue;
use crate::prelude::*;

/// The contest of a file and its text. If the file is not valid, everything that is wrong with it is
/// printed, and there is none.
pub fn read_file(lang: Localizer, path: &Path, json: bool) -> Result<Option<(Contest, String)>> {
    let text = files::read(path)?;
    let games = Games::new(games_for(&text)?.0, catalogue().clone());
    match check_contest(&text, &games) {
        Ok(contest) => return Ok(Some((contest, text))),
        Err(problems) if json => print_stdout(&format!("{}\n", json!({"problems": problems})))?,
        Err(problems) => print_problems(lang, path, &problems),
    }
    Ok(None)
}

/// The id of a contest file for an arena, and what is sent of it: its text, and the situation packs that it
/// names. Only the arena knows a game that is not at hand here, so it checks such a file.
pub fn read_for_arena(lang: Localizer, path: &Path, json: bool) -> Result<Option<(String, Value)>> {
    let text = files::read(path)?;
    let (_, is_at_hand) = games_for(&text)?;
    let id = match word_of(&text, "id").filter(|_| !is_at_hand) {
        Some(id) => id,
        None => match read_file(lang, path, json)? {
            Some((contest, _)) => contest.id,
            None => return Ok(None),
        },
    };
    let mut packs = json!({});
    for name in packs_of(&text) {
        packs[&name] = json!(files::read(&beside(path, &name))?);
    }
    Ok(Some((id, json!({"file": text, "packs": packs}))))
}

/// The situation packs that lie beside a contest's file are what it says.
pub fn check_packs(path: &Path, contest: &Contest, text: &str) -> Result<()> {
    let (games, _) = games_for(text)?;
    let Some(game) = games.find(&contest.game) else {
        return Ok(());
    };
    for own in &contest.situations {
        let path = beside(path, &own.file);
        let checked = SituationPack::read(&path)?.check(&*game);
        checked.with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// A file in the folder of another.
fn beside(path: &Path, name: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new("")).join(name)
}

/// The packs that a file names which may be wrong elsewhere; names that lead away are left to the arena,
/// which refuses them.
fn packs_of(text: &str) -> Vec<String> {
    let table: toml::Table = text.parse().unwrap_or_default();
    let listed = table.get("situations").and_then(toml::Value::as_array);
    let names = listed.into_iter().flatten();
    let names = names.filter_map(|one| Some(one.get("file")?.as_str()?.to_owned()));
    names.filter(|name| is_file_name(name)).collect()
}

/// Leitai's games and the game file that the contest names, and whether its game is among them.
fn games_for(text: &str) -> Result<(GameSet, bool)> {
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
