//! The games of an arena: those of the house, and the game files of a folder.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use leitai_game::clean_text::clean_line;
use leitai_game::{GameHandle, GameSet};
use leitai_guest::{LogicGame, prepare_for_page};
use leitai_judge::Sandbox;

use crate::game_files::{self, FoundGame};

/// The games that a process plays.
pub type Games = GameSet;

/// The games of the house, and those of a folder if there is one. A file of it that cannot be played
/// is told in the log, line by line, and left out.
///
/// # Errors
/// The folder cannot be read.
pub fn find_games(folder: Option<&Path>) -> anyhow::Result<Games> {
    let Some(folder) = folder else {
        return Ok(leitai_games::ALL.into());
    };
    let games = GameSet::from(leitai_games::ALL);
    let listed = games.list();
    let mut known: BTreeSet<String> = listed
        .iter()
        .map(|game| game.meta().id.to_owned())
        .collect();
    for path in game_files::list(Some(folder))? {
        let found = match game_files::read_any(&path) {
            Ok(found) => found,
            Err(why) => {
                for line in why.to_string().lines() {
                    tracing::warn!("{}", clean_line(line));
                }
                continue;
            }
        };
        let (id, name) = (found.about().id.clone(), path.display().to_string());
        if !known.insert(id.clone()) {
            let name = clean_line(&name);
            tracing::warn!("{name}: there is another game with the id {id}; this one is left out");
            continue;
        }
        tracing::info!(game = id, file = name, "a game file was loaded");
        games.put(match found {
            FoundGame::File(file) => {
                let rules = prepare_for_page(&file.parts);
                GameHandle::from(Arc::new(file.game.with_page_rules(rules)))
            }
            logic => logic.into_game(),
        });
    }
    Ok(games)
}

/// Lets the judge programs of these games run in this sandbox, in a process that plays and serves nobody.
pub fn open_judges(games: &Games, sandbox: &Sandbox) {
    for game in games.list().iter() {
        if let Some(led) = LogicGame::of(&**game) {
            games.put(Arc::new(led.open(sandbox)).into());
        }
    }
}
