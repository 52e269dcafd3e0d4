//! Game files that a worker on another machine gets from its arena, by their hash.

use std::collections::BTreeMap;

use leitai_game::GameSet;
use leitai_store::{GameFileRow, GameFileState, Timestamp};
use serde::{Deserialize, Serialize};

use super::{read_game, report_unloaded};

/// A game file that an arena plays, as its workers learn of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedFile {
    /// The id of the game.
    pub game: String,
    /// Its rules with their version.
    pub rules: String,
    /// SHA-256 of the file.
    pub hash: String,
}

/// The newest version of each game that is played at this time.
pub fn list_played(rows: Vec<GameFileRow>, at: Timestamp) -> Vec<PlayedFile> {
    let mut newest = BTreeMap::new();
    for row in rows {
        if row.state == GameFileState::Published && !row.is_hidden(at) {
            newest.insert(row.game.clone(), row);
        }
    }
    let name = |row: GameFileRow| PlayedFile {
        game: row.game,
        rules: row.rules,
        hash: row.hash,
    };
    newest.into_values().map(name).collect()
}

/// Adds an older version of a game, which a contest keeps; one that cannot be loaded is told in the log.
pub fn add_older(games: &GameSet, (game, rules): (&str, &str), hash: &str, bytes: &[u8]) {
    match read_game(bytes, hash, (game, rules)) {
        Ok(loaded) => games.put_older(loaded),
        Err(why) => report_unloaded(game, hash, &why),
    }
}

/// The games of an arena that a worker fetched: by the id of each that is played, the hash of its file.
#[derive(Debug, Default)]
pub struct FetchedGames(BTreeMap<String, String>);

impl FetchedGames {
    /// Their ids.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Brings `games` to what the arena plays, and asks `fetch` for the bytes of each file that is not
    /// there. A game that the worker has by itself stays as it is. A file that cannot be loaded is told
    /// in the log, once.
    ///
    /// # Errors
    /// Those of `fetch`; the next call goes on.
    pub fn follow<E>(
        &mut self,
        games: &GameSet,
        played: &[PlayedFile],
        mut fetch: impl FnMut(&str) -> Result<Vec<u8>, E>,
    ) -> Result<(), E> {
        self.0.retain(|id, _| {
            let is_played = played.iter().any(|file| file.game == *id);
            if !is_played {
                games.unlist(id);
            }
            is_played
        });
        for file in played {
            let known = self.0.get(&file.game);
            let is_own = known.is_none() && games.find(&file.game).is_some();
            if is_own || known == Some(&file.hash) {
                continue;
            }
            let bytes = fetch(&file.hash)?;
            match read_game(&bytes, &file.hash, (&file.game, &file.rules)) {
                Ok(game) => games.put(game),
                Err(why) => {
                    games.unlist(&file.game);
                    report_unloaded(&file.game, &file.hash, &why);
                }
            }
            self.0.insert(file.game.clone(), file.hash.clone());
        }
        Ok(())
    }
}
