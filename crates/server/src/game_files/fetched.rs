//! Game files that a worker on another machine gets from its arena, by their hash.

use std::collections::BTreeMap;

use leitai_game::GameSet;
use leitai_store::{GameFileRow, GameFileState};
use serde::{Deserialize, Serialize};

use super::bounds::ARENA;
use super::{handle_of, read, report_unloaded};

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

/// The newest version of each game that is played.
pub fn list_played(rows: Vec<GameFileRow>) -> Vec<PlayedFile> {
    let mut newest = BTreeMap::new();
    for row in rows {
        if row.state == GameFileState::Published {
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

/// The games of an arena that a worker fetched.
#[derive(Debug, Default)]
pub struct FetchedGames {
    /// By the id of the game: the hash of its file, and whether it is played.
    known: BTreeMap<String, (String, bool)>,
}

impl FetchedGames {
    /// The ids of those that are played.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let played = self.known.iter().filter(|(_, (_, is_played))| *is_played);
        played.map(|(id, _)| id.as_str())
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
        for (id, (_, is_played)) in &mut self.known {
            if *is_played && !played.iter().any(|file| file.game == *id) {
                games.unlist(id);
                *is_played = false;
            }
        }
        for file in played {
            let known = self.known.get(&file.game);
            if known.is_some_and(|(hash, is_played)| *hash == file.hash && *is_played) {
                continue;
            }
            if known.is_none() && games.find(&file.game).is_some() {
                continue; // It came from the worker's own folder.
            }
            if known.is_some_and(|(hash, _)| *hash == file.hash) && self.list_again(games, file) {
                continue;
            }
            let bytes = fetch(&file.hash)?;
            let loaded = read(&bytes, &file.hash, ARENA);
            match loaded.and_then(|read| handle_of(read, &file.game, &file.rules)) {
                Ok(game) => games.put(game),
                Err(why) => {
                    games.unlist(&file.game);
                    report_unloaded(&file.game, &file.hash, &why);
                }
            }
            let entry = (file.hash.clone(), true);
            self.known.insert(file.game.clone(), entry);
        }
        Ok(())
    }

    /// Whether a game that had been retired is there still.
    fn list_again(&mut self, games: &GameSet, file: &PlayedFile) -> bool {
        let Some(game) = games.find_exact(&file.game, &file.rules) else {
            return false;
        };
        games.list_version(game);
        let entry = (file.hash.clone(), true);
        self.known.insert(file.game.clone(), entry);
        true
    }
}
